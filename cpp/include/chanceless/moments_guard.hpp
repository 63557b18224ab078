#pragma once

// When a Pearson III distribution with the exact mean, variance and third cumulant is close to the distribution of
// mutual information over random tables.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chanceless/int128.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

/// Whether there are n >= 80 samples, 30 outside the largest cluster on either side, at least 12 expected to be outside
/// both, and at least 5 pairs of samples expected to share a cluster on both sides.
///
/// With fewer samples outside the largest cluster the distribution has another shape; with fewer common pairs it has
/// few values. Integers decide.
inline bool moments_hold(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                         std::uint64_t n_samples) noexcept {
    if (n_samples < 80) return false;
    const uint128 n = n_samples;
    const uint128 outside_rows = n - rows.back().size;
    const uint128 outside_columns = n - columns.back().size;
    if (std::min(outside_rows, outside_columns) < 30) return false;
    if (outside_rows * outside_columns < 12 * n) return false;
    const uint128 row_pairs = pairs_within(rows);
    const uint128 column_pairs = pairs_within(columns);
    // row_pairs * column_pairs >= 5 * all pairs, where the product may exceed 128 bits
    const uint128 wanted = 5 * (n * (n - 1) / 2);
    return column_pairs > 0 && row_pairs >= (wanted + column_pairs - 1) / column_pairs;
}

}  // namespace chanceless
