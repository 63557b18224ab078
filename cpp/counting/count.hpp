#pragma once

// Two labellings of the same samples -> their contingency table, or its spectrum.

#include "counting/labels.hpp"
#include "counting/spectrum.hpp"

namespace chanceless::counting {

/// The label of each row and column, and the non-empty cells, row by row, columns ascending: the code of a cell's row,
/// the code of its column and its count.
struct Table {
    using Integers = std::vector<std::int64_t, LargePageAllocator<std::int64_t>>;

    std::vector<std::uint64_t> row_labels;
    std::vector<std::uint64_t> column_labels;
    Integers row_codes;
    Integers column_codes;
    Integers counts;
};

Table count_table(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled);

Spectrum count_spectrum(const Labels& row_labels, const Labels& column_labels,
                        const CancellationCheck& check_cancelled);

/// The spectrum of a clustering with itself.
Spectrum count_spectrum(const Labels& labels, const CancellationCheck& check_cancelled);

/// The spectrum of the samples whose codes are below `n_rows` and `n_columns`; all codes are at least 0.
Spectrum count_kept(const Labels& row_codes, std::uint64_t n_rows, const Labels& column_codes, std::uint64_t n_columns,
                    const CancellationCheck& check_cancelled);

}  // namespace chanceless::counting
