#pragma once

// Pairwise adjustment (Lazarenko & Bonald): what one random swap of two labels does to mutual information.

#include "counting/spectrum.hpp"
#include "numbers/log_sum.hpp"

namespace chanceless::terms {

using counting::CellGroup, counting::SizeGroup, counting::Spectrum;

/// n^2 times the probability that a swap takes a sample out of one of these cells (the first of its two).
inline int128 losses(const CellGroup& group, std::uint64_t n_samples) noexcept {
    const uint128 bystanders = uint128{n_samples} * group.cells - group.size_sum + uint128{group.count} * group.cells;
    return static_cast<int128>(group.count * bystanders);
}

/// n^2 times the probability that a swap brings a sample into one of these cells (the first of its two).
inline int128 gains(const CellGroup& group) noexcept {
    return static_cast<int128>(group.size_product - group.count * group.size_sum +
                               uint128{group.count} * group.count * group.cells);
}

/// s_p = (2 / n^3) * sum over non-empty cells of [x (n - a - b + x) D(x) - (a - x)(b - x) D(x + 1)],
/// with D(x) = x log x - (x - 1) log(x - 1).
///
/// It equals the paper's Theorem: losses and gains over all cells are equally many, so that every log n drops
/// out, and an empty cell has D(1) = 0. Weights of equal logarithms are added up first: a sum that is zero because
/// its weights are leaves exactly zero.
double pairwise_adjusted_mutual_information(const Spectrum& spectrum);

/// q_p = (2 / n^3) * sum of a (n - a) D(a): the pairwise adjusted mutual information of a clustering with
/// itself.
double pairwise_adjusted_entropy(const std::vector<SizeGroup>& groups, std::uint64_t n_samples);

}  // namespace chanceless::terms
