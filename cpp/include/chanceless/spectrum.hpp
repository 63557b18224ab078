#pragma once

// The cells of a contingency table -> their spectrum: three short lists, from which every score is computed.

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/fixed_point.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/sort.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// The number of clusters of a size.
struct SizeGroup {
    std::uint64_t size;
    std::uint64_t clusters;

    auto operator<=>(const SizeGroup&) const = default;
};

/// The number of cells of a count; the sum of (a + b) and the sum of a * b over them, where a and b are the
/// sizes of a cell's row and column.
struct CellGroup {
    std::uint64_t count;
    std::uint64_t cells;
    uint128 size_sum;
    uint128 size_product;

    bool operator==(const CellGroup&) const = default;
};

/// Each list in ascending order of its first entry.
struct Spectrum {
    std::vector<SizeGroup> rows;
    std::vector<SizeGroup> columns;
    std::vector<CellGroup> cells;
    std::uint64_t n_samples = 0;

    bool operator==(const Spectrum&) const = default;
};

inline std::uint64_t number_of_clusters(const std::vector<SizeGroup>& groups) noexcept {
    std::uint64_t clusters = 0;
    for (const SizeGroup& group : groups) clusters += group.clusters;
    return clusters;
}

inline std::uint64_t number_of_cells(const std::vector<CellGroup>& groups) noexcept {
    std::uint64_t cells = 0;
    for (const CellGroup& group : groups) cells += group.cells;
    return cells;
}

/// Whether the two clusterings are the same: as many cells as clusters on both sides.
inline bool is_identical(const Spectrum& spectrum) noexcept {
    const std::uint64_t n_cells = number_of_cells(spectrum.cells);
    return n_cells == number_of_clusters(spectrum.rows) && n_cells == number_of_clusters(spectrum.columns);
}

/// Clusters grouped by size, the empty ones left out. Most sizes are small: these are counted in place.
inline std::vector<SizeGroup> group_sizes(std::span<const std::uint64_t> sizes) {
    constexpr std::uint64_t most_in_place = 4096;
    std::uint64_t largest = 0;
    for (const std::uint64_t size : sizes) largest = std::max(largest, size);
    std::vector<std::uint64_t> small(std::min<std::uint64_t>({largest + 1, most_in_place, 8 * sizes.size() + 2}), 0);
    std::vector<std::uint64_t> large;
    for (const std::uint64_t size : sizes) {
        if (size < small.size()) {
            ++small[size];
        } else {
            large.push_back(size);
        }
    }
    std::vector<SizeGroup> groups;
    for (std::uint64_t size = 1; size < small.size(); ++size) {
        if (small[size] != 0) groups.push_back({size, small[size]});
    }
    std::sort(large.begin(), large.end());
    for (const std::uint64_t size : large) {
        if (groups.empty() || groups.back().size != size) groups.push_back({size, 0});
        ++groups.back().clusters;
    }
    return groups;
}

/// Sizes of clusters, empty ones included.
using Sizes = std::vector<std::uint64_t, LargePageAllocator<std::uint64_t>>;

/// Sizes of all rows and columns, and the number of non-empty cells.
struct Margins {
    Sizes row_sizes;
    Sizes column_sizes;
    std::size_t n_cells = 0;
};

/// Sums the cells of each row and column. `Cells` consist of parts of adjacent rows; for_each_cell(part, visit) visits
/// the non-empty cells of a part, and may visit empty ones.
template <class Cells>
Margins margins_of(const Cells& cells, const Workers& workers) {
    Margins margins{Sizes(cells.n_rows(), 0), {}, 0};
    std::uint64_t* const row_sizes = margins.row_sizes.data();
    // A row belongs to one part, a column to several: each worker has its own column sizes, if columns are not too
    // many.
    const unsigned n_workers = cells.n_columns() > (std::size_t{1} << 17) ? 1 : workers.n_workers;
    std::vector<Sizes> columns(n_workers, Sizes(cells.n_columns(), 0));
    std::vector<std::size_t> n_cells(n_workers, 0);
    in_chunks(n_workers, cells.n_parts(), 1, workers.check_cancelled,
              [&](unsigned worker, std::size_t part, std::size_t) {
                  std::uint64_t* const column_sizes = columns[worker].data();
                  std::size_t not_empty = 0;
                  cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
                      row_sizes[row] += count;
                      column_sizes[column] += count;
                      not_empty += static_cast<std::size_t>(count != 0);
                  });
                  n_cells[worker] += not_empty;
              });
    margins.column_sizes = std::move(columns[0]);
    margins.n_cells = n_cells[0];
    for (unsigned worker = 1; worker < n_workers; ++worker) {
        margins.n_cells += n_cells[worker];
        for (std::size_t i = 0; i < columns[worker].size(); ++i) margins.column_sizes[i] += columns[worker][i];
    }
    return margins;
}

/// A cell with a large count, to be sorted by it.
struct Cell {
    std::uint64_t count;
    std::uint64_t row_size;
    std::uint64_t column_size;
};

inline void sort_by_count(std::vector<Cell>& cells, const CancellationCheck& check_cancelled) {
    std::uint64_t largest = 0;
    for (const Cell& cell : cells) largest = std::max(largest, cell.count);
    std::vector<Cell> spare(cells.size());
    const auto bits = static_cast<unsigned>(std::bit_width(largest));
    sort_by_digits<Cell>(cells, spare, bits, [](const Cell& cell) { return cell.count; }, check_cancelled);
}

/// Sums over the cells of one count. `Sum` has 64 bits where twice the square of the number of samples fits.
template <class Sum>
struct CellSums {
    std::uint64_t cells = 0;
    Sum size_sum = 0;
    Sum size_product = 0;

    void add(std::uint64_t row_size, std::uint64_t column_size) noexcept {
        ++cells;
        size_sum += row_size + column_size;
        size_product += Sum{row_size} * column_size;
    }
    void add(const CellSums& other) noexcept {
        cells += other.cells;
        size_sum += other.size_sum;
        size_product += other.size_product;
    }
    [[nodiscard]] CellGroup group(std::uint64_t count) const noexcept { return {count, cells, size_sum, size_product}; }
};

/// Cells grouped by count. Most counts are small: these are summed in place, only the rest is stored and sorted.
template <class Sum, class Cells>
std::vector<CellGroup> group_cells(const Cells& cells, const Margins& margins, std::uint64_t n_samples,
                                   const Workers& workers) {
    // Small tables have few sums in place: to zero 2048 of them would take longer than to sort.
    const std::uint64_t n_in_place = std::min<std::uint64_t>(n_samples + 1, margins.n_cells < 512 ? 64 : 2048);
    std::vector<std::vector<CellSums<Sum>>> small(workers.n_workers, std::vector<CellSums<Sum>>(n_in_place));
    std::vector<std::vector<Cell>> stored(workers.n_workers);
    const std::uint64_t* const row_sizes = margins.row_sizes.data();
    const std::uint64_t* const column_sizes = margins.column_sizes.data();
    in_chunks(workers.n_workers, cells.n_parts(), 1, workers.check_cancelled,
              [&](unsigned worker, std::size_t part, std::size_t) {
                  CellSums<Sum>* const in_place = small[worker].data();
                  cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
                      if (count < n_in_place) {
                          in_place[count].add(row_sizes[row], column_sizes[column]);
                      } else {
                          stored[worker].push_back({count, row_sizes[row], column_sizes[column]});
                      }
                  });
              });
    std::vector<CellGroup> groups;
    for (std::uint64_t count = 1; count < n_in_place; ++count) {
        for (unsigned worker = 1; worker < workers.n_workers; ++worker) small[0][count].add(small[worker][count]);
        if (small[0][count].cells != 0) groups.push_back(small[0][count].group(count));
    }
    std::vector<Cell> large = std::move(stored[0]);
    for (unsigned worker = 1; worker < workers.n_workers; ++worker) {
        large.insert(large.end(), stored[worker].begin(), stored[worker].end());
    }
    sort_by_count(large, workers.check_cancelled);
    for (std::size_t i = 0; i < large.size();) {
        const std::uint64_t count = large[i].count;
        CellSums<Sum> sums;
        for (; i < large.size() && large[i].count == count; ++i) sums.add(large[i].row_size, large[i].column_size);
        groups.push_back(sums.group(count));
    }
    return groups;
}

template <class Cells>
Spectrum summarise(const Cells& cells, const Workers& workers) {
    const Margins margins = margins_of(cells, workers);
    Spectrum spectrum;
    spectrum.rows = group_sizes(margins.row_sizes);
    spectrum.columns = group_sizes(margins.column_sizes);
    for (const auto& [size, clusters] : spectrum.rows) spectrum.n_samples += size * clusters;
    // Over all cells, both a + b and a * b sum to at most 2 n^2.
    const bool narrow = spectrum.n_samples < std::uint64_t{1} << 31;
    spectrum.cells = narrow ? group_cells<std::uint64_t>(cells, margins, spectrum.n_samples, workers)
                            : group_cells<uint128>(cells, margins, spectrum.n_samples, workers);
    return spectrum;
}

/// The spectrum of a clustering with itself: every cell is a whole cluster.
inline Spectrum summarise(std::span<const std::uint64_t> cluster_sizes) {
    Spectrum spectrum;
    spectrum.rows = group_sizes(cluster_sizes);
    spectrum.columns = spectrum.rows;
    for (const auto& [size, clusters] : spectrum.rows) {
        const uint128 samples = uint128{size} * clusters;
        spectrum.cells.push_back({size, clusters, 2 * samples, size * samples});
        spectrum.n_samples += static_cast<std::uint64_t>(samples);
    }
    return spectrum;
}

}  // namespace chanceless
