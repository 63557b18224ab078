#pragma once

// Shared by the tests of the core: checks, and tables of labels.

#include <cstdio>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/count.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/listed_cells.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

inline int passed = 0;
inline int failed = 0;

inline void check(bool holds, const char* what, const char* file, int line) {
    if (holds) {
        ++passed;
    } else {
        ++failed;
        std::printf("%s:%d: %s\n", file, line, what);
    }
}

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

/// Whether a call throws an exception of this type.
template <class Exception, class Call>
bool throws(const Call& call) {
    try {
        call();
    } catch (const Exception&) {
        return true;
    }
    return false;
}

template <class T>
Labels view(const std::vector<T>& labels) {
    return labels_of<T>(labels.data(), sizeof(T), labels.size());
}

/// The table of two labellings; not inline, so that only counting_tests.cpp compiles the ways to count.
Table table_of(const Labels& row_labels, const Labels& column_labels);

template <class T>
Table count_of(const std::vector<T>& row_labels, const std::vector<T>& column_labels) {
    return table_of(view(row_labels), view(column_labels));
}

inline Spectrum spectrum_of(const Table& table) {
    const ListedCells cells{table.row_codes, table.column_codes, table.counts, table.row_labels.size(),
                            table.column_labels.size()};
    return summarise(cells, {1, never_cancelled});
}

void clusterings_tests();
void counting_tests();
void cumulant_tests();
void hahn_tests();
void hash_tests();
void jackknife_tests();
void permutation_tests();
void threads_tests();
void variance_tests();

}  // namespace chanceless
