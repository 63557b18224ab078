#pragma once

// Exact permutation tests: by enumeration where the tables are few, and of every 2 x 2 table.

#include <tuple>

#include "certainty/null_statistic.hpp"
#include "certainty/table_probability.hpp"

namespace chanceless::certainty {

using chance::Statistic;
using counting::number_of_clusters, counting::SizeGroup, counting::Spectrum;
using numbers::CompensatedSum, numbers::exp_of_double, numbers::log_of_double;

// Permutation tests of 2 x 2 tables with any number of samples: one hypergeometric number, of which the tails are
// summed.
//
// The statistics fall and then rise with the first cell of the table (the sum of x log x and the pairs are convex; for
// the pairwise one all 2 x 2 tables of up to 150 samples were looked at, and random ones of more): bisection finds
// where a tail starts. From there, probabilities are summed outwards until the rest is negligible.

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

// Permutation tests by enumeration of all tables with the sizes of the observed one.

/// At most so many tables have these row sizes and any column sizes that leave what remains to the largest row.
double table_bound(const std::vector<SizeGroup>& rows, std::uint64_t columns) noexcept;

/// An upper bound of the number of tables with the sizes of a spectrum: the smaller of those by rows and by columns.
double table_bound(const Spectrum& spectrum) noexcept;

/// Fills all rows but the largest, cell by cell, in every possible way. Empty cells are passed over, so that the time
/// for a table does not depend on the number of columns.
template <class Statistic>
class TableEnumeration {
  public:
    using Value = typename Statistic::Value;

    /// Enumerates over the side with the lower bound: the same for a table and its transpose. Both sides have two
    /// clusters or more.
    TableEnumeration(const Spectrum& spectrum, const Statistic& statistic, const CancellationCheck& check_cancelled)
        : statistic_(&statistic), check_(check_cancelled), n_samples_(spectrum.n_samples) {
        const double bound = table_bound(spectrum.rows, number_of_clusters(spectrum.columns));
        const double other_bound = table_bound(spectrum.columns, number_of_clusters(spectrum.rows));
        const bool by_rows = std::tie(bound, spectrum.rows) <= std::tie(other_bound, spectrum.columns);
        const auto& rows = by_rows ? spectrum.rows : spectrum.columns;
        const auto& columns = by_rows ? spectrum.columns : spectrum.rows;
        highest_tie_ = statistic.observed(spectrum) + statistic.slack();
        lowest_tie_ = statistic.observed(spectrum) - statistic.slack();
        list_columns(columns);
        list_rows(rows);
    }

    ExactProbability run() {
        start_row(0, {log_constant_, Value{}});
        return {n_hits_ == n_tables_ ? 0.0 : std::min(0.0, extreme_.log()), extreme_.log_with(-0.5, ties_), n_tables_};
    }

  private:
    /// What a cell takes from the log probability and adds to the statistic; the sum of these over some cells.
    struct Part {
        double weight = 0.0;
        Value statistic{};

        friend Part operator+(Part left, const Part& right) noexcept {
            left.weight += right.weight;
            left.statistic += right.statistic;
            return left;
        }
        friend Part operator-(Part left, const Part& right) noexcept {
            left.weight -= right.weight;
            left.statistic -= right.statistic;
            return left;
        }
    };

    /// A row but the largest. `skipped[j]` is the sum over empty cells in columns before j, `room[j]` the samples left
    /// in columns from j on.
    struct Row {
        std::uint64_t size;
        std::size_t parts;  // place in parts_
        std::vector<Part> skipped;
        std::vector<std::uint64_t> room;
    };

    void list_columns(const std::vector<SizeGroup>& columns) {
        for (const SizeGroup& group : columns) {
            kind_of_column_.insert(kind_of_column_.end(), group.clusters, kinds_.size());
            left_.insert(left_.end(), group.clusters, group.size);
            kinds_.push_back(group.size);
        }
    }

    void list_rows(const std::vector<SizeGroup>& rows) {
        std::uint64_t others = 0;
        log_constant_ = factorial_rest(n_samples_) - factorial_rest(rows.back().size);
        for (const SizeGroup& group : rows) {
            const std::uint64_t clusters = group.clusters - (&group == &rows.back() ? 1 : 0);
            for (std::uint64_t i = 0; i < clusters; ++i) {
                log_constant_ -= factorial_rest(group.size);
                others += group.size;
                rows_.push_back({group.size, parts_.size(), std::vector<Part>(left_.size() + 1),
                                 std::vector<std::uint64_t>(left_.size() + 1)});
            }
            if (clusters > 0) parts_.push_back(parts_of_row(group.size));
        }
        largest_ = parts_of_row(rows.back().size, others);
    }

    /// The parts of the cells of a row, by kind of column and count; of the largest row, by kind of column and by the
    /// samples that `others` have of it.
    std::vector<std::vector<Part>> parts_of_row(std::uint64_t size, std::optional<std::uint64_t> others = {}) const {
        std::vector<std::vector<Part>> parts;
        for (const std::uint64_t column_size : kinds_) {
            const CellSizes sizes{size, column_size, n_samples_};
            std::vector<Part>& of_kind = parts.emplace_back();
            for (std::uint64_t i = 0; i <= std::min(others.value_or(size), column_size); ++i) {
                const std::uint64_t count = others ? column_size - i : i;
                const double taken = others ? factorial_rest(column_size) : 0.0;
                of_kind.push_back({sizes.weight(count) - taken, statistic_->cell(count, size, column_size)});
            }
        }
        return parts;
    }

    [[nodiscard]] const Part& largest_at(std::size_t column) const noexcept {
        const std::size_t kind = kind_of_column_[column];
        return largest_[kind][kinds_[kind] - left_[column]];
    }

    void start_row(std::size_t i, const Part& sum) {
        Row& row = rows_[i];
        const bool is_last = i + 1 == rows_.size();
        for (std::size_t j = 0; j < left_.size(); ++j) {
            const Part& empty = parts_[row.parts][kind_of_column_[j]][0];
            row.skipped[j + 1] = row.skipped[j] + (is_last ? empty + largest_at(j) : empty);
        }
        row.room.back() = 0;
        for (std::size_t j = left_.size(); j-- > 0;) row.room[j] = row.room[j + 1] + left_[j];
        fill(i, 0, row.size, sum);
        check_.after(left_.size());
    }

    /// Distributes `wanted` > 0 samples of row i over the columns from `first` on.
    void fill(std::size_t i, std::size_t first, std::uint64_t wanted, const Part& sum) {
        const Row& row = rows_[i];
        for (std::size_t j = first; j < left_.size() && row.room[j] >= wanted; ++j) {
            const Part before = sum + (row.skipped[j] - row.skipped[first]);
            const std::vector<Part>& parts = parts_[row.parts][kind_of_column_[j]];
            const std::uint64_t least = wanted > row.room[j + 1] ? wanted - row.room[j + 1] : 1;
            const std::uint64_t most = std::min(wanted, left_[j]);
            left_[j] -= least - 1;
            for (std::uint64_t count = least; count <= most; ++count) {
                --left_[j];
                const Part here = before + parts[count];
                continue_after(i, j, wanted - count, i + 1 == rows_.size() ? here + largest_at(j) : here);
            }
            left_[j] += std::max(most, least - 1);
        }
    }

    void continue_after(std::size_t i, std::size_t column, std::uint64_t wanted, const Part& sum) {
        if (wanted > 0) return fill(i, column + 1, wanted, sum);
        const Row& row = rows_[i];
        const Part full = sum + (row.skipped.back() - row.skipped[column + 1]);
        if (i + 1 < rows_.size()) return start_row(i + 1, full);
        finish(full);
    }

    void finish(const Part& table) {
        check_.after(16);
        n_tables_ += 1.0;
        if (table.statistic < lowest_tie_) return;
        n_hits_ += 1.0;
        extreme_.add(-table.weight);
        if (!(highest_tie_ < table.statistic)) ties_.add(-table.weight);
    }

    const Statistic* statistic_;
    PeriodicCheck check_;
    std::uint64_t n_samples_;
    Value lowest_tie_;
    Value highest_tie_;
    std::vector<std::uint64_t> kinds_;  // distinct sizes of columns
    std::vector<std::size_t> kind_of_column_;
    std::vector<std::uint64_t> left_;  // samples of each column that no row has yet
    std::vector<Row> rows_;
    std::vector<std::vector<std::vector<Part>>> parts_;
    std::vector<std::vector<Part>> largest_;
    double log_constant_ = 0.0;
    double n_tables_ = 0.0;
    double n_hits_ = 0.0;
    SumOfLogs extreme_;
    SumOfLogs ties_;
};

/// No more tables are enumerated.
inline constexpr double most_tables = 1e6;

bool can_be_exact(const Spectrum& spectrum) noexcept;

ExactProbability exact_probability(const Spectrum& spectrum, Statistic which, const CancellationCheck& check_cancelled);

}  // namespace chanceless::certainty
