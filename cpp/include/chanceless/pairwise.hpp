#pragma once

// Pairwise adjustment (Lazarenko & Bonald): what one random swap of two labels does to mutual information.

#include <cstdint>
#include <vector>

#include "chanceless/fixed_point.hpp"
#include "chanceless/log_sum.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

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
/// out, and an empty cell has D(1) = 0. Equal arguments of D are added up first: a sum that is zero because
/// its weights are leaves exactly zero.
inline double pairwise_adjusted_mutual_information(const Spectrum& spectrum) {
    std::vector<LogTerm> terms;
    const auto add = [&](int128 weight, std::uint64_t value) {
        if (!terms.empty() && terms.back().value == value) {
            terms.back().weight += 2 * weight;
        } else if (value > 1) {
            terms.push_back({2 * weight, value});
        }
    };
    for (const CellGroup& group : spectrum.cells) {
        add(losses(group, spectrum.n_samples), group.count);
        add(-gains(group), group.count + 1);
    }
    std::erase_if(terms, [](const LogTerm& term) { return term.weight == 0; });
    return correctly_rounded<LogStep>(terms, spectrum.n_samples, 3);
}

/// q_p = (2 / n^3) * sum of a (n - a) D(a): the pairwise adjusted mutual information of a clustering with
/// itself.
inline double pairwise_adjusted_entropy(const std::vector<SizeGroup>& groups, std::uint64_t n_samples) {
    std::vector<LogTerm> terms;
    for (const SizeGroup& group : groups) {
        const int128 weight = 2 * static_cast<int128>(group.clusters) * static_cast<int128>(group.size) *
                              static_cast<int128>(n_samples - group.size);
        if (weight != 0 && group.size > 1) terms.push_back({weight, group.size});
    }
    return correctly_rounded<LogStep>(terms, n_samples, 3);
}

}  // namespace chanceless
