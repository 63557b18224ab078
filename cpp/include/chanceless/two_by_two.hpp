#pragma once

// Permutation tests of 2 x 2 tables with any number of samples: one hypergeometric number, of which the tails are
// summed.
//
// The statistics fall and then rise with the first cell of the table (the sum of x log x and the pairs are convex; for
// the pairwise one all 2 x 2 tables of up to 150 samples were looked at, and random ones of more): bisection finds
// where a tail starts. From there, probabilities are summed outwards until the rest is negligible.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "chanceless/cancellation.hpp"
#include "chanceless/compensated.hpp"
#include "chanceless/elementary.hpp"
#include "chanceless/int128.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/table_probability.hpp"

namespace chanceless {

inline bool is_two_by_two(const Spectrum& spectrum) noexcept {
    return number_of_clusters(spectrum.rows) == 2 && number_of_clusters(spectrum.columns) == 2;
}

/// All 2 x 2 tables with given sizes, by the count of their first cell: from lowest to highest.
class TwoByTwoTables {
  public:
    explicit TwoByTwoTables(const Spectrum& spectrum)
        : row_(spectrum.rows.front().size), column_(spectrum.columns.front().size), all_(spectrum.n_samples) {
        constant_ = factorial_rest(row_) + factorial_rest(all_ - row_) + factorial_rest(column_) +
                    factorial_rest(all_ - column_) - factorial_rest(all_);
    }

    // The first row and column are the smaller ones: no other cell is empty before the first one.
    [[nodiscard]] std::uint64_t highest() const noexcept { return std::min(row_, column_); }
    [[nodiscard]] std::uint64_t mode() const noexcept {
        return static_cast<std::uint64_t>((uint128{row_} + 1) * (uint128{column_} + 1) / (uint128{all_} + 2));
    }

    template <class Statistic>
    [[nodiscard]] typename Statistic::Value statistic(const Statistic& of, std::uint64_t count) const noexcept {
        return of.cell(count, row_, column_) + of.cell(row_ - count, row_, all_ - column_) +
               of.cell(column_ - count, all_ - row_, column_) +
               of.cell(all_ - row_ - column_ + count, all_ - row_, all_ - column_);
    }

    [[nodiscard]] double log_probability(std::uint64_t count) const noexcept {
        const std::uint64_t other_row = all_ - row_;
        const std::uint64_t other_column = all_ - column_;
        return constant_ - CellSizes{row_, column_, all_}.weight(count) -
               CellSizes{row_, other_column, all_}.weight(row_ - count) -
               CellSizes{other_row, column_, all_}.weight(column_ - count) -
               CellSizes{other_row, other_column, all_}.weight(other_row - column_ + count);
    }

    /// p(count + 1) / p(count).
    [[nodiscard]] double step_up(double count) const noexcept {
        const double neither = static_cast<double>(all_ - row_ - column_);
        return (static_cast<double>(row_) - count) * (static_cast<double>(column_) - count) /
               ((count + 1.0) * (neither + count + 1.0));
    }

  private:
    std::uint64_t row_;
    std::uint64_t column_;
    std::uint64_t all_;
    double constant_;
};

/// Sums the probabilities of some counts outwards from the most likely one.
class IntervalMass {
  public:
    IntervalMass(const TwoByTwoTables& tables, const CancellationCheck& check_cancelled)
        : tables_(&tables), check_(check_cancelled) {}

    /// The logarithm of the probability of first ... end - 1; -infinity if there are none.
    double log_of(std::uint64_t first, std::uint64_t end) {
        if (first >= end) return -std::numeric_limits<double>::infinity();
        start_ = std::clamp(tables_->mode(), first, end - 1);
        log_start_ = tables_->log_probability(start_);
        sum_ = CompensatedSum();
        sum_.add(1.0);
        walk<1>(end - 1 - start_);
        walk<-1>(start_ - first);
        return log_start_ + log_of_double(sum_.value());
    }

  private:
    /// Adds `n_steps` counts above or below the start, relative to it. Ratios of neighbours are multiplied for a
    /// thousand steps, which is off by 5e-13 at most; then the probability is computed anew.
    template <int Direction>
    void walk(std::uint64_t n_steps) {
        constexpr std::uint64_t block = 1024;
        for (std::uint64_t done = 0; done < n_steps; done += block) {
            const std::uint64_t start = Direction > 0 ? start_ + done : start_ - done;
            double weight = exp_of_double(tables_->log_probability(start) - log_start_);
            auto count = static_cast<double>(start);
            double ratio = 1.0;
            double sum = 0.0;
            for (std::uint64_t i = 0; i < std::min(block, n_steps - done); ++i) {
                ratio = Direction > 0 ? tables_->step_up(count) : 1.0 / tables_->step_up(count - 1.0);
                weight *= ratio;
                sum += weight;
                count += Direction;
            }
            sum_.add(sum);
            // Ratios fall with the distance from the mode: the rest is at most a geometric series.
            if (weight * ratio < 0x1p-56 * sum_.value() * (1.0 - ratio)) return;
            check_.after(block);
        }
    }

    const TwoByTwoTables* tables_;
    PeriodicCheck check_;
    std::uint64_t start_ = 0;
    double log_start_ = 0.0;
    CompensatedSum sum_;
};

/// The counts whose statistic is high: up to `low_end` (exclusive), and from `high_start` on.
struct TwoTails {
    std::uint64_t low_end;
    std::uint64_t high_start;
};

/// The smallest count from `first` on for which is_right holds, `last` if none below has it; if it holds for a count,
/// it does for all after it.
template <class IsRight>
std::uint64_t first_that(std::uint64_t first, std::uint64_t last, const IsRight& is_right) {
    while (first < last) {
        const std::uint64_t middle = first + (last - first) / 2;
        if (is_right(middle)) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    return first;
}

template <class Statistic>
ExactProbability two_by_two_probability(const Spectrum& spectrum, const Statistic& statistic,
                                        const CancellationCheck& check_cancelled) {
    const TwoByTwoTables tables(spectrum);
    const std::uint64_t end = tables.highest() + 1;
    const auto at = [&](std::uint64_t count) { return tables.statistic(statistic, count); };
    const std::uint64_t lowest = first_that(0, end - 1, [&](std::uint64_t c) { return !(at(c + 1) < at(c)); });
    const auto tails = [&](const auto& is_high) {
        return TwoTails{first_that(0, lowest, [&](std::uint64_t c) { return !is_high(at(c)); }),
                        first_that(lowest, end, [&](std::uint64_t c) { return is_high(at(c)); })};
    };
    const auto observed = statistic.observed(spectrum);
    const auto slack = statistic.slack();
    const TwoTails extreme = tails([&](const auto& value) { return !(value < observed - slack); });
    const TwoTails beyond = tails([&](const auto& value) { return observed + slack < value; });
    IntervalMass mass(tables, check_cancelled);
    SumOfLogs all;
    all.add(mass.log_of(0, extreme.low_end));
    all.add(mass.log_of(extreme.high_start, end));
    SumOfLogs ties;
    ties.add(mass.log_of(beyond.low_end, extreme.low_end));
    ties.add(mass.log_of(extreme.high_start, beyond.high_start));
    const bool is_certain = extreme.low_end == extreme.high_start;
    return {is_certain ? 0.0 : std::min(0.0, all.log()), all.log_with(-0.5, ties), static_cast<double>(end)};
}

}  // namespace chanceless
