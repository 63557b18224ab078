#pragma once

// Permutation tests by enumeration of all tables with the sizes of the observed one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/table_probability.hpp"

namespace chanceless {

/// The number of ways to distribute `size` samples over `columns` columns, C(size + columns - 1, size); infinite
/// from 1e300 on.
inline double ways_to_distribute(std::uint64_t size, std::uint64_t columns) noexcept {
    const std::uint64_t fewer = std::min(size, columns - 1);
    const double more = static_cast<double>(size) + static_cast<double>(columns - 1) - static_cast<double>(fewer);
    double ways = 1.0;
    for (std::uint64_t i = 1; i <= fewer && ways < 1e300; ++i) {
        ways *= (more + static_cast<double>(i)) / static_cast<double>(i);
    }
    return ways < 1e300 ? ways : std::numeric_limits<double>::infinity();
}

/// At most so many tables have these row sizes and any column sizes that leave what remains to the largest row.
inline double table_bound(const std::vector<SizeGroup>& rows, std::uint64_t columns) noexcept {
    double bound = 1.0;
    for (const SizeGroup& group : rows) {
        const double ways = ways_to_distribute(group.size, columns);
        const std::uint64_t clusters = group.clusters - (&group == &rows.back() ? 1 : 0);
        for (std::uint64_t i = 0; i < clusters && ways > 1.0 && bound < 1e300; ++i) bound *= ways;
    }
    return bound < 1e300 ? bound : std::numeric_limits<double>::infinity();
}

/// An upper bound of the number of tables with the sizes of a spectrum: the smaller of those by rows and by columns.
inline double table_bound(const Spectrum& spectrum) noexcept {
    if (spectrum.n_samples == 0) return 1.0;
    return std::min(table_bound(spectrum.rows, number_of_clusters(spectrum.columns)),
                    table_bound(spectrum.columns, number_of_clusters(spectrum.rows)));
}

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
        largest_ = parts_of_largest(rows.back().size, others);
    }

    /// The parts of the cells of a row, by kind of column and count.
    std::vector<std::vector<Part>> parts_of_row(std::uint64_t size) const {
        std::vector<std::vector<Part>> parts;
        for (const std::uint64_t column_size : kinds_) {
            const CellSizes sizes{size, column_size, n_samples_};
            std::vector<Part>& of_kind = parts.emplace_back();
            for (std::uint64_t count = 0; count <= std::min(size, column_size); ++count) {
                of_kind.push_back({sizes.weight(count), statistic_->cell(count, size, column_size)});
            }
        }
        return parts;
    }

    /// The parts of the cells of the largest row, by kind of column and by the samples that other rows have of it.
    std::vector<std::vector<Part>> parts_of_largest(std::uint64_t size, std::uint64_t others) const {
        std::vector<std::vector<Part>> parts;
        for (const std::uint64_t column_size : kinds_) {
            const CellSizes sizes{size, column_size, n_samples_};
            std::vector<Part>& of_kind = parts.emplace_back();
            for (std::uint64_t taken = 0; taken <= std::min(others, column_size); ++taken) {
                const std::uint64_t count = column_size - taken;
                of_kind.push_back(
                    {sizes.weight(count) - factorial_rest(column_size), statistic_->cell(count, size, column_size)});
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

}  // namespace chanceless
