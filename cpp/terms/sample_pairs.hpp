#pragma once

// Pairs of samples, for the Rand family: exact counts, and the sums that their variance is made of.

#include "counting/spectrum.hpp"

namespace chanceless::terms {

using counting::CellGroup, counting::SizeGroup, counting::Spectrum;

/// Number of unordered pairs of samples that share a cluster.
inline uint128 pairs_within(const std::vector<SizeGroup>& groups) noexcept {
    uint128 pairs = 0;
    for (const SizeGroup& group : groups) pairs += ((uint128{group.size} * (group.size - 1)) >> 1) * group.clusters;
    return pairs;
}

/// Number of unordered pairs of samples that share a cell: a cluster in both clusterings.
inline uint128 pairs_within(const std::vector<CellGroup>& groups) noexcept {
    uint128 pairs = 0;
    for (const CellGroup& group : groups) pairs += ((uint128{group.count} * (group.count - 1)) >> 1) * group.cells;
    return pairs;
}

/// Unordered pairs of samples: those that share a cell, a row, a column, and all.
struct PairsOfSamples {
    uint128 cells;
    uint128 rows;
    uint128 columns;
    uint128 all;
};

inline uint128 all_pairs(std::uint64_t n_samples) noexcept {
    return n_samples == 0 ? 0 : (uint128{n_samples} * (n_samples - 1)) >> 1;
}

inline PairsOfSamples pairs_of_samples(const Spectrum& spectrum) noexcept {
    return {pairs_within(spectrum.cells), pairs_within(spectrum.rows), pairs_within(spectrum.columns),
            all_pairs(spectrum.n_samples)};
}

/// The sum of the cubes of sizes, high * 2^53 + low.
struct SumOfCubes {
    uint128 high = 0;
    uint128 low = 0;
};

/// The samples of a size, at most 2^53 of all, times the two halves of the square of the size.
inline SumOfCubes sum_of_cubes(const std::vector<SizeGroup>& groups) noexcept {
    constexpr uint128 half = (uint128{1} << 53) - 1;
    SumOfCubes sum;
    for (const SizeGroup& group : groups) {
        const uint128 square = uint128{group.size} * group.size;
        const uint128 samples = uint128{group.size} * group.clusters;
        sum.high += samples * (square >> 53);
        sum.low += samples * (square & half);
    }
    return sum;
}

}  // namespace chanceless::terms
