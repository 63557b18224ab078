#pragma once

// Cells listed by the code of the row, the code of the column and the count, in arrays of the caller.

#include "counting/spectrum.hpp"

namespace chanceless::counting {

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
            const auto row = static_cast<std::uint64_t>(rows[i]);
            const auto column = static_cast<std::uint64_t>(columns[i]);
            if (row >= height || column >= width)
                throw std::invalid_argument("the codes of cells must be below n_rows and n_columns");
            visit(static_cast<std::size_t>(row), static_cast<std::size_t>(column),
                  static_cast<std::uint64_t>(counts[i]));
        }
    }
};

/// Cells row by row, columns ascending, each once and none empty.
struct CellLists {
    using Integers = std::vector<std::int64_t, LargePageAllocator<std::int64_t>>;

    Integers row_codes;
    Integers column_codes;
    Integers counts;
};

/// The spectrum of listed cells, by one thread.
Spectrum summarise(const ListedCells& cells, const Crew& crew, bool with_overlaps = false);

/// Sorts cells, adds up those that are listed more than once, and leaves out empty ones.
CellLists merge_cells(const ListedCells& cells, const CancellationCheck& check_cancelled);

}  // namespace chanceless::counting
