#pragma once

// What leaving one sample out does to the terms of a score: a number for each non-empty cell, since all samples of a
// cell do the same.
//
// These are changes, not values: a value of n samples is off by some units in its last place, and a change is smaller
// by a factor of n. Changes are computed from what differs alone, so that they keep their digits for any n.

#include "chance/expected.hpp"
#include "counting/listed_cells.hpp"

namespace chanceless::certainty {

using counting::ListedCells;
using numbers::Fixed, numbers::log_of, numbers::LogStep, numbers::max_samples;

/// The cells of a table, none of them empty, and the sizes of its rows and columns; its own copy of all of them.
struct CountedCells {
    struct Cell {
        std::size_t row;
        std::size_t column;
        std::uint64_t count;
    };

    std::vector<Cell> cells;
    std::vector<std::uint64_t> row_sizes;
    std::vector<std::uint64_t> column_sizes;
    std::uint64_t n_samples = 0;

    explicit CountedCells(const ListedCells& listed) : row_sizes(listed.height, 0), column_sizes(listed.width, 0) {
        cells.reserve(listed.counts.size());
        for (std::size_t part = 0; part < listed.n_parts(); ++part) {
            listed.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
                if (count == 0 || count > max_samples - n_samples)
                    throw std::invalid_argument("cells must hold samples, at most 2^53 in all");
                cells.push_back({row, column, count});
                row_sizes[row] += count;
                column_sizes[column] += count;
                n_samples += count;
            });
        }
    }
};

/// D(x) = x log x - (x - 1) log(x - 1), by which the sum of x log x falls, and x (D(x + 1) - D(x)), which falls from
/// 2 log 2 to 1.
struct LogSteps {
    double step;
    double growth;

    static LogSteps at(std::uint64_t value) noexcept {
        constexpr std::size_t n_small = 1024;
        static const auto small = [] {
            std::array<LogSteps, n_small> table{};
            for (std::uint64_t x = 1; x < n_small; ++x) {
                const Fixed<2> here = LogStep::at<2>(x);
                const Fixed<2> next = LogStep::at<2>(x + 1);
                table[x] = {here.divided(1, 0), (static_cast<int128>(x) * (next - here)).divided(1, 0)};
            }
            return table;
        }();
        return value < n_small ? small[value] : of_large(value);
    }

  private:
    /// With y = x - 1, D(x) = log x + 1 - 1/(2y) + 1/(3y^2) - ...; the terms left out are below 2^-60.
    static LogSteps of_large(std::uint64_t value) noexcept {
        const double z = 1.0 / static_cast<double>(value - 1);
        const double rest = z * (1.0 / 2 - z * (1.0 / 3 - z * (1.0 / 4 - z * (1.0 / 5 - z * (1.0 / 6)))));
        const double square = 1.0 / (static_cast<double>(value) * static_cast<double>(value));
        const double growth = square * (1.0 / 6 + square * (1.0 / 15));
        return {(log_of<2>(value).divided(1, 0) + 1.0) - rest, 1.0 + growth};
    }
};

inline double log_step(std::uint64_t value) noexcept { return LogSteps::at(value).step; }

/// Changes of n^3 / 2 times the pairwise adjusted mutual information by cell, and of n^3 / 2 times the pairwise
/// adjusted entropies by row and by column.
struct PairwiseChanges {
    std::vector<double> cells;
    std::vector<double> rows;
    std::vector<double> columns;
};

PairwiseChanges pairwise_changes(const CountedCells& table, const CancellationCheck& check_cancelled);

/// Changes of n times the expected mutual information, by cell.
///
/// As for the expectation itself, the smaller one of n EMI and J is summed.
std::vector<double> expected_changes(const CountedCells& table, const CancellationCheck& check_cancelled);

}  // namespace chanceless::certainty
