#include "certainty/jackknife.hpp"

#include <numeric>
#include <tuple>

namespace chanceless::certainty {

using chance::Amount, chance::cell_entropy, chance::cell_information, chance::in_order, chance::independent_log_count,
    chance::is_one_cluster, chance::nodes_of, chance::SizeNodes, chance::sum_over_pairs, chance::WeightedSize;
using counting::group_sizes, counting::SizeGroup;
using numbers::Bounded, numbers::CompensatedSum;

namespace {

/// A number below 64 in units of 2^-60: sums of 2^53 of them, and of two such sums, are exact in any order.
int128 in_units(double value) noexcept { return static_cast<int128>(value * 0x1p60); }
inline double from_units(int128 sum) noexcept { return static_cast<double>(sum) * 0x1p-60; }

/// Changes of the sum of a (n - a) D(a): - (sum of a D(a)) - (n - 2a) D(a) - (n - a) (a - 1) (D(a) - D(a - 1)).
std::vector<double> pairwise_entropy_changes(const std::vector<std::uint64_t>& sizes, std::uint64_t n_samples) {
    int128 sum = 0;
    for (const std::uint64_t size : sizes) sum += static_cast<int128>(size) * in_units(log_step(size));
    const auto n = static_cast<double>(n_samples);
    std::vector<double> changes;
    for (const std::uint64_t whole : sizes) {
        const auto size = static_cast<double>(whole);
        const double before = whole == 0 ? 0.0 : LogSteps::at(whole - 1).growth;
        changes.push_back(-from_units(sum) - (n - 2.0 * size) * log_step(whole) - (n - size) * before);
    }
    return changes;
}

/// n^3 / 2 times the pairwise adjusted mutual information is, with w(x) = x (D(x + 1) - D(x)),
///
///     sum over cells of  n x D(x) - x w(x) + (a + b) w(x) - a b D(x + 1).
///
/// A sample of the cell (i, j) changes x, a and b there, a in its row, b in its column, and n.
class PairwiseSums {
  public:
    explicit PairwiseSums(const CountedCells& table)
        : table_(table), rows_(table.row_sizes.size()), columns_(table.column_sizes.size()) {}

    void add(const CountedCells::Cell& cell) noexcept {
        const auto [step, growth] = LogSteps::at(cell.count);
        const int128 next_step = in_units(step + growth / static_cast<double>(cell.count));
        Sums& row = rows_[cell.row];
        Sums& column = columns_[cell.column];
        row.growth += in_units(growth);
        column.growth += in_units(growth);
        row.next_steps += static_cast<int128>(table_.column_sizes[cell.column]) * next_step;
        column.next_steps += static_cast<int128>(table_.row_sizes[cell.row]) * next_step;
        steps_ += static_cast<int128>(cell.count) * in_units(step);
    }

    /// The change without a sample of a cell, when all cells are added.
    [[nodiscard]] double change(const CountedCells::Cell& cell) const noexcept {
        const auto [step, growth] = LogSteps::at(cell.count);
        const double before = LogSteps::at(cell.count - 1).growth;
        const auto x = static_cast<double>(cell.count);
        const auto row_rest = static_cast<double>(table_.row_sizes[cell.row] - 1);
        const auto column_rest = static_cast<double>(table_.column_sizes[cell.column] - 1);
        const Sums& row = rows_[cell.row];
        const Sums& column = columns_[cell.column];
        const double sums = from_units(row.next_steps + column.next_steps - row.growth - column.growth - steps_ -
                                       in_units(step + growth / x));
        const double products = row_rest * column_rest * (growth / x) + (row_rest + column_rest) * (before - growth);
        const auto others = static_cast<double>(table_.n_samples - 1);
        return sums - others * (step + before) + products + (x * growth - (x - 1.0) * before);
    }

  private:
    struct Sums {
        int128 growth = 0;      // of w(x) over the cells of a row or column
        int128 next_steps = 0;  // of D(x + 1), times the size of the other side
    };

    const CountedCells& table_;
    std::vector<Sums> rows_;
    std::vector<Sums> columns_;
    int128 steps_ = 0;  // of x D(x) over all cells
};

/// A size, and the size without one sample; that may be zero.
struct ShrinkingSize {
    Amount whole;
    Amount less;
    bool vanishes;

    explicit ShrinkingSize(std::uint64_t size) noexcept
        : whole(size), less(std::max<std::uint64_t>(size - 1, 1)), vanishes(size == 1) {}
};

/// Changes of the sum over all rows and columns of `cell_value`, when sizes shrink and the number of samples with them.
///
/// With f(a, b) for n - 1 samples: the change of n, without that of any size; of one row; of one column; and what the
/// row and the column have in common, which needs four values for each pair of sizes that occurs.
class ShrinkingSum {
  public:
    using CellValue = Bounded (*)(const Amount&, const Amount&, const Amount&) noexcept;

    ShrinkingSum(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns, std::uint64_t n_samples,
                 CellValue cell_value, int growth, const CancellationCheck& check_cancelled)
        : cell_value_(cell_value), others_(n_samples - 1), check_cancelled_(check_cancelled) {
        for (const SizeGroup& group : rows) rows_.emplace_back(group.size);
        for (const SizeGroup& group : columns) columns_.emplace_back(group.size);
        const SizeNodes row_nodes = nodes_of(rows, n_samples - 1, growth, check_cancelled);
        const SizeNodes column_nodes = nodes_of(columns, n_samples - 1, growth, check_cancelled);
        const auto& [first, second] = in_order(rows, columns) ? std::tie(rows, columns) : std::tie(columns, rows);
        of_number_ = sum_of(first, second, n_samples - 1, growth) - sum_of(first, second, n_samples, growth);
        of_rows_ = changes_of(rows_, column_nodes);
        of_columns_ = changes_of(columns_, row_nodes);
    }

    /// The change for a pair of distinct sizes, by their places in the lists.
    [[nodiscard]] double at(std::size_t row, std::size_t column) {
        const ShrinkingSize& a = rows_[row];
        const ShrinkingSize& b = columns_[column];
        count_evaluations(4);
        const double row_less = a.vanishes ? 0.0 : value(a.less, b.whole);
        const double column_less = b.vanishes ? 0.0 : value(a.whole, b.less);
        const double both_less = a.vanishes || b.vanishes ? 0.0 : value(a.less, b.less);
        const double both = (value(a.whole, b.whole) + both_less) - (row_less + column_less);
        return of_number_ + (of_rows_[row] + of_columns_[column]) + both;
    }

  private:
    [[nodiscard]] double value(const Amount& row, const Amount& column) const noexcept {
        return cell_value_(row, column, others_).value;
    }

    [[nodiscard]] double sum_of(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                                std::uint64_t n_samples, int growth) const {
        const SizeNodes row_nodes = nodes_of(rows, n_samples, growth, check_cancelled_);
        const SizeNodes column_nodes = nodes_of(columns, n_samples, growth, check_cancelled_);
        const auto of_nodes = [&](const WeightedSize& row, const WeightedSize& column, const Amount& all) {
            return cell_value_(row.amount, column.amount, all);
        };
        return sum_over_pairs(row_nodes, column_nodes, n_samples, of_nodes, check_cancelled_).total;
    }

    /// What each size of one side changes when it shrinks, the sizes of the other side being as they are.
    [[nodiscard]] std::vector<double> changes_of(const std::vector<ShrinkingSize>& sizes, const SizeNodes& others) {
        std::vector<double> changes;
        for (const ShrinkingSize& size : sizes) {
            count_evaluations(2 * others.sizes.size());
            CompensatedSum sum;
            for (const WeightedSize& other : others.sizes) {
                const double less = size.vanishes ? 0.0 : value(size.less, other.amount);
                sum.add(other.weight * (less - value(size.whole, other.amount)));
            }
            changes.push_back(sum.value());
        }
        return changes;
    }

    void count_evaluations(std::size_t number) {
        constexpr std::size_t between_checks = 100'000;
        evaluations_ += number;
        if (evaluations_ < between_checks) return;
        check_cancelled_();
        evaluations_ = 0;
    }

    CellValue cell_value_;
    Amount others_;
    const CancellationCheck& check_cancelled_;
    std::vector<ShrinkingSize> rows_;
    std::vector<ShrinkingSize> columns_;
    double of_number_ = 0.0;
    std::vector<double> of_rows_;
    std::vector<double> of_columns_;
    std::size_t evaluations_ = 0;
};

/// The place of each size among distinct ones, which ascend.
std::vector<std::size_t> places_of(const std::vector<std::uint64_t>& sizes, const std::vector<SizeGroup>& groups) {
    std::vector<std::size_t> places;
    places.reserve(sizes.size());
    for (const std::uint64_t size : sizes) {
        const auto place =
            std::lower_bound(groups.begin(), groups.end(), size,
                             [](const SizeGroup& group, std::uint64_t wanted) { return group.size < wanted; });
        places.push_back(static_cast<std::size_t>(place - groups.begin()));
    }
    return places;
}

/// Visits all cells with the change of a pair of sizes; each distinct pair is evaluated once.
template <class Visit>
void for_each_change(const CountedCells& table, const std::vector<SizeGroup>& rows,
                     const std::vector<SizeGroup>& columns, ShrinkingSum& sum, const Visit& visit) {
    const std::vector<std::size_t> row_places = places_of(table.row_sizes, rows);
    const std::vector<std::size_t> column_places = places_of(table.column_sizes, columns);
    std::vector<std::size_t> order(table.cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto row_place = [&](std::size_t i) { return row_places[table.cells[i].row]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t left, std::size_t right) { return row_place(left) < row_place(right); });
    std::vector<double> known(columns.size());
    std::vector<std::size_t> known_for(columns.size(), std::numeric_limits<std::size_t>::max());
    for (const std::size_t i : order) {
        const std::size_t row = row_places[table.cells[i].row];
        const std::size_t column = column_places[table.cells[i].column];
        if (known_for[column] != row) {
            known[column] = sum.at(row, column);
            known_for[column] = row;
        }
        visit(i, known[column]);
    }
}

}  // namespace

PairwiseChanges pairwise_changes(const CountedCells& table, const CancellationCheck& check_cancelled) {
    constexpr std::size_t cells_between_checks = 100'000;
    const auto for_each_cell = [&](const auto& visit) {
        for (std::size_t i = 0; i < table.cells.size(); ++i) {
            if (i % cells_between_checks == 0) check_cancelled();
            visit(table.cells[i]);
        }
    };
    PairwiseSums sums(table);
    for_each_cell([&](const CountedCells::Cell& cell) { sums.add(cell); });
    std::vector<double> cells;
    cells.reserve(table.cells.size());
    for_each_cell([&](const CountedCells::Cell& cell) { cells.push_back(sums.change(cell)); });
    return {std::move(cells), pairwise_entropy_changes(table.row_sizes, table.n_samples),
            pairwise_entropy_changes(table.column_sizes, table.n_samples)};
}

std::vector<double> expected_changes(const CountedCells& table, const CancellationCheck& check_cancelled) {
    std::vector<double> changes(table.cells.size(), 0.0);
    const std::vector<SizeGroup> rows = group_sizes(table.row_sizes);
    const std::vector<SizeGroup> columns = group_sizes(table.column_sizes);
    if (rows.empty() || is_one_cluster(rows) || is_one_cluster(columns)) return changes;
    const std::uint64_t n = table.n_samples;
    if (independent_log_count(rows, columns, n) >= 0.0) {
        ShrinkingSum sum(rows, columns, n, cell_information, 1, check_cancelled);
        for_each_change(table, rows, columns, sum, [&](std::size_t i, double change) { changes[i] = change; });
        return changes;
    }
    ShrinkingSum sum(rows, columns, n, cell_entropy, 2, check_cancelled);
    for_each_change(table, rows, columns, sum, [&](std::size_t i, double change) {
        const auto& [row, column, count] = table.cells[i];
        const double sizes = log_step(table.row_sizes[row]) + log_step(table.column_sizes[column]);
        changes[i] = change + (sizes - log_step(n));
    });
    return changes;
}

}  // namespace chanceless::certainty
