
#include "counting/listed_cells.hpp"

namespace chanceless::counting {

std::vector<SizeGroup> group_sizes(std::span<const std::uint64_t> sizes) {
    std::uint64_t largest = 0;
    for (const std::uint64_t size : sizes) largest = std::max(largest, size);
    // Of few sizes, large ones are sorted: to zero thousands of counters would take longer.
    SizeCounter counter(std::min<std::uint64_t>(largest, 8 * sizes.size() + 1));
    for (const std::uint64_t size : sizes) counter.add(size);
    return std::move(counter).groups();
}

void sort_by_count(std::vector<Cell>& cells, const CancellationCheck& check_cancelled) {
    std::uint64_t largest = 0;
    for (const Cell& cell : cells) largest = std::max(largest, cell.count);
    std::vector<Cell> spare(cells.size());
    const auto bits = static_cast<unsigned>(std::bit_width(largest));
    sort_by_digits<Cell>(cells, spare, bits, [](const Cell& cell) { return cell.count; }, check_cancelled);
}

Spectrum with_itself(std::vector<SizeGroup> groups) {
    Spectrum spectrum;
    for (const auto& [size, clusters] : groups) {
        const uint128 samples = uint128{size} * clusters;
        spectrum.cells.push_back({size, clusters, 2 * samples, size * samples, clusters});
        spectrum.row_overlaps.push_back({size * samples, size * clusters});
        spectrum.n_samples += size * clusters;
    }
    spectrum.column_overlaps = spectrum.row_overlaps;
    spectrum.columns = groups;
    spectrum.rows = std::move(groups);
    return spectrum;
}

namespace {

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

}  // namespace

Spectrum summarise(const ListedCells& cells, const Crew& crew, bool with_overlaps) {
    return summarise<ListedCells>(cells, crew, with_overlaps);
}

CellLists merge_cells(const ListedCells& cells, const CancellationCheck& check_cancelled) {
    if (cells.height != 0 && (~std::uint64_t{0}) / cells.height < cells.width)
        throw std::invalid_argument("n_rows * n_columns must be below 2^64");
    // A dense table is faster than sorting up to four places for each cell.
    const bool dense = std::uint64_t{cells.height} * cells.width <= 4 * cells.counts.size();
    const auto placed = dense ? added_up(cells, check_cancelled) : sorted(cells, check_cancelled);
    CellLists merged;
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
