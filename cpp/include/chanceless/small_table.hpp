#pragma once

// Few samples with labels close together -> their spectrum. The table is on the stack, since to allocate memory would
// take longer than to count.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chanceless/dense.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

/// The table of at most `most_samples` samples, with at most `most_cells` cells, empty ones included.
class SmallTable {
  public:
    static constexpr std::size_t most_samples = 4096;
    static constexpr unsigned most_bits = 12;

    /// Nothing, if samples are too many or labels too far apart.
    static std::optional<Spectrum> count(const Labels& row_labels, const Labels& column_labels) {
        const std::size_t n = row_labels.size;
        if (n == 0 || n > most_samples) return std::nullopt;
        const Range row_range = row_labels.range(row_labels, 0, n);
        const Range column_range = column_labels.range(column_labels, 0, n);
        const Frame rows = frame_of(row_range);
        const Frame columns = frame_of(column_range);
        if (rows.bits > most_bits || columns.bits > most_bits || rows.bits + columns.bits > most_bits)
            return std::nullopt;
        alignas(64) std::array<std::uint16_t, most_samples> index;
        // Another thread may change labels meanwhile: those outside the frames are left to the general way.
        if (!Indices{row_labels, column_labels, rows, columns}.fill(0, n, index.data())) return std::nullopt;
        return SmallTable(row_range, column_range, columns.size(), rows.size() * columns.size(), {index.data(), n})
            .spectrum();
    }

  private:
    static constexpr std::size_t most_cells = std::size_t{1} << most_bits;

    /// All indices are below `n_cells`; the rows and columns that there are may be fewer than the frames have.
    SmallTable(const Range& rows, const Range& columns, std::size_t step, std::size_t n_cells,
               std::span<const std::uint16_t> index) noexcept
        : n_rows_(rows.width() + 1), n_columns_(columns.width() + 1), step_(step) {
        std::fill_n(counts_.begin(), n_cells, std::uint16_t{0});
        for (const std::uint16_t cell : index) ++counts_[cell];
        std::fill_n(column_sizes_.begin(), n_columns_, std::uint16_t{0});
        const std::uint16_t* counts = counts_.data();
        for (std::size_t row = 0; row < n_rows_; ++row, counts += step_) {
            unsigned size = 0;
            for (std::size_t column = 0; column < n_columns_; ++column) {
                size += counts[column];
                column_sizes_[column] = static_cast<std::uint16_t>(column_sizes_[column] + counts[column]);
            }
            row_sizes_[row] = static_cast<std::uint16_t>(size);
        }
    }

    [[nodiscard]] Spectrum spectrum() const {
        Spectrum spectrum{group({row_sizes_.data(), n_rows_}), group({column_sizes_.data(), n_columns_}), group_cells(),
                          0};
        for (const auto& [size, clusters] : spectrum.rows) spectrum.n_samples += size * clusters;
        return spectrum;
    }

    /// Clusters grouped by size, the empty ones left out.
    static std::vector<SizeGroup> group(std::span<const std::uint16_t> sizes) {
        std::array<std::uint16_t, most_cells> sorted;
        std::size_t n = 0;
        for (const std::uint16_t size : sizes) {
            sorted[n] = size;
            n += static_cast<std::size_t>(size != 0);
        }
        std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
        std::vector<SizeGroup> groups;
        groups.reserve(std::min<std::size_t>(n, 64));
        for (std::size_t i = 0; i < n; ++i) {
            if (groups.empty() || groups.back().size != sorted[i]) groups.push_back({sorted[i], 0});
            ++groups.back().clusters;
        }
        return groups;
    }

    /// The number of cells, the sum of a + b and the sum of a * b in one word: 13, 25 and 26 bits. With 2^12 cells and
    /// samples at most, the sums over all cells, empty ones included, are n (rows + columns) < 2^25 and n^2 <= 2^24.
    struct Packed {
        static constexpr unsigned sum_shift = 13;
        static constexpr unsigned product_shift = 38;

        static std::uint64_t cell(std::uint64_t a, std::uint64_t b) noexcept {
            return (1 + (a << sum_shift)) + b * ((std::uint64_t{1} << sum_shift) + (a << product_shift));
        }
        static CellGroup group(std::uint64_t count, std::uint64_t sums) noexcept {
            const auto bits = [&](unsigned first, unsigned last) {
                return (sums << (64 - last)) >> (64 - last + first);
            };
            return {count, bits(0, sum_shift), bits(sum_shift, product_shift), bits(product_shift, 64)};
        }
    };

    /// Cells grouped by count: most counts are small and summed in place, the rest is sorted. Neighbours go to one of
    /// four lanes each, since to add to the same place twice in succession is slow.
    [[nodiscard]] std::vector<CellGroup> group_cells() const {
        constexpr std::size_t n_in_place = 64;
        std::array<std::array<std::uint64_t, n_in_place>, 4> in_place{};
        std::array<Large, most_cells> large;
        std::size_t n_large = 0;
        const std::uint16_t* counts = counts_.data();
        for (std::size_t row = 0; row < n_rows_; ++row, counts += step_) {
            for (std::size_t column = 0; column < n_columns_; ++column) {
                const std::uint64_t sums = Packed::cell(row_sizes_[row], column_sizes_[column]);
                if (counts[column] < n_in_place) {
                    in_place[column % 4][counts[column]] += sums;
                } else {
                    large[n_large++] = {counts[column], sums};
                }
            }
        }
        std::vector<CellGroup> groups;
        groups.reserve(16);
        for (std::size_t count = 1; count < n_in_place; ++count) {
            const std::uint64_t sums =
                (in_place[0][count] + in_place[1][count]) + (in_place[2][count] + in_place[3][count]);
            if (sums != 0) groups.push_back(Packed::group(count, sums));
        }
        add_large({large.data(), n_large}, groups);
        return groups;
    }

    struct Large {
        std::uint16_t count;
        std::uint64_t sums;
    };

    static void add_large(std::span<Large> cells, std::vector<CellGroup>& groups) {
        std::sort(cells.begin(), cells.end(),
                  [](const Large& left, const Large& right) { return left.count < right.count; });
        for (std::size_t i = 0; i < cells.size();) {
            const std::uint16_t count = cells[i].count;
            std::uint64_t sums = 0;
            for (; i < cells.size() && cells[i].count == count; ++i) sums += cells[i].sums;
            groups.push_back(Packed::group(count, sums));
        }
    }

    std::size_t n_rows_;
    std::size_t n_columns_;
    std::size_t step_;
    // Not initialised beyond the rows and columns that there are.
    std::array<std::uint16_t, most_cells> counts_;
    std::array<std::uint16_t, most_cells> row_sizes_;
    std::array<std::uint16_t, most_cells> column_sizes_;
};

}  // namespace chanceless
