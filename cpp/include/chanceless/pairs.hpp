#pragma once

// Pairs of samples, for the Rand family: exact counts.

#include <vector>

#include "chanceless/fixed_point.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

/// Number of unordered pairs of samples that share a cluster.
inline uint128 pairs_within(const std::vector<SizeGroup>& groups) noexcept {
    uint128 pairs = 0;
    for (const SizeGroup& group : groups) pairs += uint128{group.size} * (group.size - 1) / 2 * group.clusters;
    return pairs;
}

/// Number of unordered pairs of samples that share a cell: a cluster in both clusterings.
inline uint128 pairs_within(const std::vector<CellGroup>& groups) noexcept {
    uint128 pairs = 0;
    for (const CellGroup& group : groups) pairs += uint128{group.count} * (group.count - 1) / 2 * group.cells;
    return pairs;
}

}  // namespace chanceless
