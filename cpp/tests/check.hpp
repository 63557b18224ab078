#pragma once

// What the core's tests share: checks that are counted, and labels that are counted.

#include <cstdio>
#include <vector>

#include "chanceless/count.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/threads.hpp"

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

inline const Pause no_pause = [] {};

template <class T>
Labels view(const std::vector<T>& labels) {
    return labels_of<T>(labels.data(), sizeof(T), labels.size());
}

template <class T>
Table count_of(const std::vector<T>& rows, const std::vector<T>& columns) {
    return count_table(view(rows), view(columns), no_pause);
}

inline Spectrum spectrum_of(const Table& table) {
    const ListedCells cells{table.rows, table.columns, table.counts, table.row_labels.size(),
                            table.column_labels.size()};
    return summarise(cells, {1, no_pause});
}

/// Everything about counting; see counting_tests.cpp.
void counting_tests();

/// Many clusterings at once; see clusterings_tests.cpp.
void clusterings_tests();

}  // namespace chanceless
