#pragma once

// Two labellings of the same samples -> their contingency table, or its spectrum.

#include "counting/labels.hpp"
#include "counting/listed_cells.hpp"

namespace chanceless::counting {

/// The non-empty cells of a table, and the label of each row and column.
struct Table : CellLists {
    std::vector<std::uint64_t> row_labels;
    std::vector<std::uint64_t> column_labels;
};

Table count_table(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled);

Spectrum count_spectrum(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled,
                        bool with_overlaps = false);

/// The spectrum of a clustering with itself.
Spectrum count_spectrum(const Labels& labels, const CancellationCheck& check_cancelled);

/// The spectrum of the samples whose codes are below `n_rows` and `n_columns`; all codes are at least 0.
Spectrum count_kept(const Labels& row_codes, std::uint64_t n_rows, const Labels& column_codes, std::uint64_t n_columns,
                    const CancellationCheck& check_cancelled, bool with_overlaps = false);

}  // namespace chanceless::counting
