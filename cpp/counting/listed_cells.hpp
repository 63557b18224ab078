#pragma once

// Cells listed by the code of the row, the code of the column and the count, in arrays of the caller.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/cancellation.hpp"
#include "base/memory.hpp"
#include "base/sort.hpp"
#include "base/threads.hpp"

namespace chanceless::counting {

using base::CancellationCheck, base::Crew, base::LargePageAllocator, base::sort_by_digits;

/// Each code is checked where it is used and read once: other threads may change the arrays meanwhile.
struct ListedCells {
    std::span<const std::int64_t> row_codes;
    std::span<const std::int64_t> column_codes;
    std::span<const std::int64_t> counts;
    std::size_t height;
    std::size_t width;

    static constexpr std::size_t part_size = std::size_t{1} << 16;

    [[nodiscard]] std::size_t n_rows() const noexcept { return height; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return width; }
    [[nodiscard]] std::size_t n_parts() const noexcept { return (counts.size() + part_size - 1) / part_size; }

    /// A row may have cells in several parts: for one worker only.
    template <class Visit>
    void for_each_cell(std::size_t part, const Visit& visit) const {
        const volatile std::int64_t* const rows = row_codes.data();
        const volatile std::int64_t* const columns = column_codes.data();
        const std::size_t stop = std::min(counts.size(), (part + 1) * part_size);
        for (std::size_t i = part * part_size; i < stop; ++i) {
            const auto row = static_cast<std::size_t>(rows[i]);
            const auto column = static_cast<std::size_t>(columns[i]);
            if (row >= height || column >= width)
                throw std::invalid_argument("the codes of cells must be below n_rows and n_columns");
            visit(row, column, static_cast<std::uint64_t>(counts[i]));
        }
    }
};

/// Cells row by row, columns ascending, each once and none empty.
struct MergedCells {
    using Integers = std::vector<std::int64_t, LargePageAllocator<std::int64_t>>;

    Integers row_codes;
    Integers column_codes;
    Integers counts;
};

namespace detail {

/// A cell by its place in the table, row by row.
struct Placed {
    std::uint64_t place;
    std::uint64_t count;
};
using PlacedCells = std::vector<Placed, LargePageAllocator<Placed>>;

/// Visits the place and the count of every listed cell.
template <class Visit>
void for_each_place(const ListedCells& cells, const CancellationCheck& check_cancelled, const Visit& visit) {
    const std::uint64_t width = cells.width;
    Crew(1, check_cancelled).in_chunks(cells.n_parts(), 1, [&](unsigned, std::size_t part, std::size_t) {
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            visit(row * width + column, count);
        });
    });
}

/// Adds up in a dense table.
inline PlacedCells added_up(const ListedCells& cells, const CancellationCheck& check_cancelled) {
    std::vector<std::uint64_t> dense(cells.height * cells.width, 0);
    for_each_place(cells, check_cancelled, [&](std::uint64_t place, std::uint64_t count) { dense[place] += count; });
    PlacedCells result;
    for (std::size_t place = 0; place < dense.size(); ++place) {
        if (dense[place] != 0) result.push_back({place, dense[place]});
    }
    return result;
}

/// Sorts by place and adds up neighbours.
inline PlacedCells sorted(const ListedCells& cells, const CancellationCheck& check_cancelled) {
    PlacedCells result;
    result.reserve(cells.counts.size());
    for_each_place(cells, check_cancelled, [&](std::uint64_t place, std::uint64_t count) {
        if (count != 0) result.push_back({place, count});
    });
    const auto place_of_cell = [](const Placed& cell) { return cell.place; };
    const auto comes_before = [](const Placed& left, const Placed& right) { return left.place < right.place; };
    if (!std::is_sorted(result.begin(), result.end(), comes_before)) {
        PlacedCells spare(result.size());
        const auto bits = static_cast<unsigned>(std::bit_width(std::uint64_t{cells.height} * cells.width));
        sort_by_digits<Placed>(result, spare, bits, place_of_cell, check_cancelled);
    }
    std::size_t kept = 0;
    for (const Placed& cell : result) {
        if (kept > 0 && result[kept - 1].place == cell.place) {
            result[kept - 1].count += cell.count;
        } else {
            result[kept++] = cell;
        }
    }
    result.resize(kept);
    return result;
}

}  // namespace detail

/// Sorts cells, adds up those that are listed more than once, and leaves out empty ones.
inline MergedCells merge_cells(const ListedCells& cells, const CancellationCheck& check_cancelled) {
    if (cells.height != 0 && (~std::uint64_t{0}) / cells.height < cells.width)
        throw std::invalid_argument("n_rows * n_columns must be below 2^64");
    // A dense table is faster than sorting up to four places for each cell.
    const bool dense = cells.height * cells.width <= 4 * cells.counts.size();
    const auto placed = dense ? detail::added_up(cells, check_cancelled) : detail::sorted(cells, check_cancelled);
    MergedCells merged;
    for (auto* list : {&merged.row_codes, &merged.column_codes, &merged.counts}) list->resize(placed.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (i % ListedCells::part_size == ListedCells::part_size - 1) check_cancelled();
        merged.row_codes[i] = static_cast<std::int64_t>(placed[i].place / cells.width);
        merged.column_codes[i] = static_cast<std::int64_t>(placed[i].place % cells.width);
        merged.counts[i] = static_cast<std::int64_t>(placed[i].count);
    }
    return merged;
}

}  // namespace chanceless::counting
