#pragma once

// Pairwise adjustment (Lazarenko & Bonald): what one random swap of two labels does to mutual information.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/int128.hpp"
#include "counting/spectrum.hpp"
#include "numbers/log_sum.hpp"

namespace chanceless::terms {

using base::int128, base::uint128;
using counting::CellGroup, counting::SizeGroup, counting::Spectrum;
using numbers::correctly_rounded, numbers::LogTerm, numbers::ValueTimesLog;

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

/// A sum of weight * D(x), with D(x) = x log x - (x - 1) log(x - 1), as a sum of weight * x log x.
///
/// Weights of D(x) and of D(x + 1) meet at x log x, which is computed once. The losses add up to n^2 at most, the gains
/// do: weights of x log x stay below 4 n^2 <= 2^108, and the whole sum below 4 n^2 (1 + log n) < 2^114.
class StepSum {
  public:
    /// For so many different x.
    explicit StepSum(std::size_t n_steps) { terms_.reserve(2 * n_steps); }

    /// Adds weight * D(x); x must not descend.
    void add(int128 weight, std::uint64_t x) {
        if (x != x_) finish_step();
        x_ = x;
        weight_ += weight;
    }

    /// (2 / n^3) times the sum.
    [[nodiscard]] double mean(std::uint64_t n_samples) {
        finish_step();
        std::erase_if(terms_, [](const LogTerm& term) { return term.weight == 0 || term.value <= 1; });
        return correctly_rounded<ValueTimesLog>(terms_, n_samples, 3);
    }

  private:
    void finish_step() {
        add_term(-2 * weight_, x_ - 1);
        add_term(2 * weight_, x_);
        weight_ = 0;
    }

    void add_term(int128 weight, std::uint64_t value) {
        if (terms_.empty() || terms_.back().value != value) terms_.push_back({0, value});
        terms_.back().weight += weight;
    }

    std::vector<LogTerm> terms_;
    int128 weight_ = 0;
    std::uint64_t x_ = 1;  // D(1) = 0
};

/// s_p = (2 / n^3) * sum over non-empty cells of [x (n - a - b + x) D(x) - (a - x)(b - x) D(x + 1)],
/// with D(x) = x log x - (x - 1) log(x - 1).
///
/// It equals the paper's Theorem: losses and gains over all cells are equally many, so that every log n drops
/// out, and an empty cell has D(1) = 0. Weights of equal logarithms are added up first: a sum that is zero because
/// its weights are leaves exactly zero.
inline double pairwise_adjusted_mutual_information(const Spectrum& spectrum) {
    StepSum sum(2 * spectrum.cells.size());
    for (const CellGroup& group : spectrum.cells) {
        sum.add(losses(group, spectrum.n_samples), group.count);
        sum.add(-gains(group), group.count + 1);
    }
    return sum.mean(spectrum.n_samples);
}

/// q_p = (2 / n^3) * sum of a (n - a) D(a): the pairwise adjusted mutual information of a clustering with
/// itself.
inline double pairwise_adjusted_entropy(const std::vector<SizeGroup>& groups, std::uint64_t n_samples) {
    StepSum sum(groups.size());
    for (const SizeGroup& group : groups) {
        sum.add(static_cast<int128>(uint128{group.clusters} * group.size * (n_samples - group.size)), group.size);
    }
    return sum.mean(n_samples);
}

}  // namespace chanceless::terms
