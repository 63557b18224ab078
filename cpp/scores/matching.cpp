#include "scores/matching.hpp"

#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

namespace chanceless::scores {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct Cell {
    std::size_t row;
    std::size_t column;
    std::int64_t count;
    std::int64_t place;
};

class Matcher {
  public:
    Matcher(const counting::ListedCells& listed, const CancellationCheck& check_cancelled)
        : begins_(listed.height + 1, 0), rows_(listed.height), columns_(listed.width), check_(check_cancelled) {
        std::int64_t place = 0;
        for (std::size_t part = 0; part < listed.n_parts(); ++part)
            listed.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
                if (count > max_count) throw std::invalid_argument("cells must hold at most 2^53 samples");
                cells_.push_back({row, column, static_cast<std::int64_t>(count), place++});
            });
        std::stable_sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.row < b.row; });
        for (const Cell& cell : cells_) ++begins_[cell.row + 1];
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    }

    std::vector<std::int64_t> match() {
        for (std::size_t row = 0; row < rows_.size(); ++row) add(row);
        std::vector<std::int64_t> places;
        for (const Side& row : rows_)
            if (row.cell != none) places.push_back(cells_[row.cell].place);
        std::sort(places.begin(), places.end());
        return places;
    }

  private:
    static constexpr std::uint64_t max_count = std::uint64_t{1} << 53;
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

    struct Side {
        std::int64_t price = 0;
        std::size_t cell = none;  // the matched one
    };
    struct Column : Side {
        std::int64_t distance = far;
        std::size_t from = none;  // the cell that is the last step of the path
    };

    void add(std::size_t row) {
        for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i)
            rows_[row].price = std::max(rows_[row].price, cells_[i].count - columns_[cells_[i].column].price);
        find_path(row);
        for (const std::size_t column : settled_) {
            const std::int64_t change = shortest_ - columns_[column].distance;
            columns_[column].price += change;
            rows_[cells_[columns_[column].cell].row].price -= change;
        }
        rows_[row].price -= shortest_;
        follow_path();
        for (const std::size_t column : reached_) columns_[column].distance = far;
    }

    /// Finds the shortest path to a column that is free, or to a row that is left alone: the given one at first.
    void find_path(std::size_t row) {
        open_ = {};
        settled_.clear();
        reached_.clear();
        shortest_ = rows_[row].price;
        end_ = none;
        reach_columns(row, 0);
        while (!open_.empty() && std::get<0>(open_.top()) < shortest_) {
            const auto [distance, turn, column] = open_.top();
            open_.pop();
            if (distance > columns_[column].distance) continue;  // reached by a shorter path meanwhile
            settled_.push_back(column);
            const std::size_t next = cells_[columns_[column].cell].row;
            if (distance + rows_[next].price < shortest_) {
                shortest_ = distance + rows_[next].price;
                end_ = column;
            }
            reach_columns(next, distance);
        }
    }

    void reach_columns(std::size_t row, std::int64_t distance) {
        check_.after(1 + begins_[row + 1] - begins_[row]);
        for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) {
            Column& column = columns_[cells_[i].column];
            const std::int64_t length = distance + rows_[row].price + column.price - cells_[i].count;
            if (length >= std::min(column.distance, shortest_)) continue;
            if (column.distance == far) reached_.push_back(cells_[i].column);
            column.distance = length;
            column.from = i;
            if (column.cell != none) {
                open_.emplace(length, ++n_opened_, cells_[i].column);
            } else {
                shortest_ = length;
                end_ = cells_[i].column;
            }
        }
    }

    /// Each row on the path moves to the next column; the row of the last one is left alone.
    void follow_path() {
        if (end_ == none) return;
        if (columns_[end_].cell != none) rows_[cells_[columns_[end_].cell].row].cell = none;
        for (std::size_t column = end_;;) {
            const std::size_t cell = columns_[column].from;
            const std::size_t previous = std::exchange(rows_[cells_[cell].row].cell, cell);
            columns_[column].cell = cell;
            if (previous == none) return;
            column = cells_[previous].column;
        }
    }

    std::vector<Cell> cells_;  // row by row
    std::vector<std::size_t> begins_;
    std::vector<Side> rows_;
    std::vector<Column> columns_;
    std::vector<std::size_t> settled_;
    std::vector<std::size_t> reached_;
    using Open = std::tuple<std::int64_t, std::uint64_t, std::size_t>;   // distance, turn, column
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;  // of equal distances first come, first served
    std::uint64_t n_opened_ = 0;
    std::int64_t shortest_ = 0;
    std::size_t end_ = none;
    PeriodicCheck check_;
};

}  // namespace

std::vector<std::int64_t> best_matching(const counting::ListedCells& cells, const CancellationCheck& check_cancelled) {
    return Matcher(cells, check_cancelled).match();
}

}  // namespace chanceless::scores
