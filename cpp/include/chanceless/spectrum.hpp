#pragma once

// The cells of a contingency table -> the three short lists that every score is a function of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/fixed_point.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// So many clusters of this size.
struct SizeGroup {
    std::uint64_t size;
    std::uint64_t clusters;

    bool operator==(const SizeGroup&) const = default;
};

/// So many cells of this count; the sum of (a + b) and the sum of a * b over them, where a and b are the
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

/// Clusters grouped by size, the empty ones left out. Most sizes are small: those are counted in place.
inline std::vector<SizeGroup> group_sizes(std::span<const std::uint64_t> sizes) {
    constexpr std::uint64_t most_in_place = 4096;
    std::uint64_t largest = 0;
    for (const std::uint64_t size : sizes) largest = std::max(largest, size);
    std::vector<std::uint64_t> small(std::min({largest + 1, most_in_place, 8 * sizes.size() + 2}), 0);
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

/// Sizes of clusters, the empty ones too.
using Sizes = std::vector<std::uint64_t, LargePages<std::uint64_t>>;

/// Sizes of all rows and columns, and how many cells are not empty.
struct Margins {
    Sizes row_sizes;
    Sizes column_sizes;
    std::size_t n_cells = 0;
};

/// How many threads shall look at the cells of a table.
struct Helpers {
    unsigned n_members = 1;
    const Pause& pause;
};

/// `Cells` are parts of neighbouring rows; for_each_cell(part, visit) calls a function for each cell of one, the empty
/// ones or not.
template <class Cells>
Margins margins_of(const Cells& cells, const Helpers& helpers) {
    Margins margins{Sizes(cells.n_rows(), 0), {}};
    std::uint64_t* const row_sizes = margins.row_sizes.data();
    // Rows belong to one part each; columns do not, so that each member needs its own, as long as these are few.
    const unsigned n_members = cells.n_columns() > (std::size_t{1} << 17) ? 1 : helpers.n_members;
    std::vector<Sizes> columns(n_members, Sizes(cells.n_columns(), 0));
    std::vector<std::size_t> n_cells(n_members, 0);
    in_chunks(n_members, cells.n_parts(), 1, helpers.pause, [&](unsigned member, std::size_t part, std::size_t) {
        std::uint64_t* const column_sizes = columns[member].data();
        std::size_t not_empty = 0;
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            row_sizes[row] += count;
            column_sizes[column] += count;
            not_empty += static_cast<std::size_t>(count != 0);
        });
        n_cells[member] += not_empty;
    });
    margins.column_sizes = std::move(columns[0]);
    margins.n_cells = n_cells[0];
    for (unsigned member = 1; member < n_members; ++member) {
        margins.n_cells += n_cells[member];
        for (std::size_t i = 0; i < columns[member].size(); ++i) margins.column_sizes[i] += columns[member][i];
    }
    return margins;
}

/// A cell that is kept until all of its count are known.
struct Cell {
    std::uint64_t count;
    std::uint64_t row_size;
    std::uint64_t column_size;
};

/// What is added up over the cells of one count. `Sum` is 64 bits wide where the squares of all samples fit.
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

/// Cells grouped by count. Most counts are small: those are added up in place, only the rest is kept and sorted.
template <class Sum, class Cells>
std::vector<CellGroup> group_cells(const Cells& cells, const Margins& margins, std::uint64_t n_samples,
                                   const Helpers& helpers) {
    // Small tables are sorted as they are: to set 2048 sums to zero would take longer.
    const std::uint64_t n_in_place = std::min<std::uint64_t>(n_samples + 1, margins.n_cells < 512 ? 64 : 2048);
    std::vector<std::vector<CellSums<Sum>>> small(helpers.n_members, std::vector<CellSums<Sum>>(n_in_place));
    std::vector<std::vector<Cell>> kept(helpers.n_members);
    const std::uint64_t* const row_sizes = margins.row_sizes.data();
    const std::uint64_t* const column_sizes = margins.column_sizes.data();
    in_chunks(helpers.n_members, cells.n_parts(), 1, helpers.pause,
              [&](unsigned member, std::size_t part, std::size_t) {
                  CellSums<Sum>* const in_place = small[member].data();
                  cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
                      if (count < n_in_place) {
                          in_place[count].add(row_sizes[row], column_sizes[column]);
                      } else {
                          kept[member].push_back({count, row_sizes[row], column_sizes[column]});
                      }
                  });
              });
    std::vector<CellGroup> groups;
    for (std::uint64_t count = 1; count < n_in_place; ++count) {
        for (unsigned member = 1; member < helpers.n_members; ++member) small[0][count].add(small[member][count]);
        if (small[0][count].cells != 0) groups.push_back(small[0][count].group(count));
    }
    std::vector<Cell> large = std::move(kept[0]);
    for (unsigned member = 1; member < helpers.n_members; ++member) {
        large.insert(large.end(), kept[member].begin(), kept[member].end());
    }
    std::sort(large.begin(), large.end(), [](const Cell& left, const Cell& right) { return left.count < right.count; });
    for (std::size_t i = 0; i < large.size();) {
        const std::uint64_t count = large[i].count;
        CellSums<Sum> sums;
        for (; i < large.size() && large[i].count == count; ++i) sums.add(large[i].row_size, large[i].column_size);
        groups.push_back(sums.group(count));
    }
    return groups;
}

template <class Cells>
Spectrum summarise(const Cells& cells, const Helpers& helpers) {
    const Margins margins = margins_of(cells, helpers);
    Spectrum spectrum;
    spectrum.rows = group_sizes(margins.row_sizes);
    spectrum.columns = group_sizes(margins.column_sizes);
    for (const auto& [size, clusters] : spectrum.rows) spectrum.n_samples += size * clusters;
    // Over all cells, a + b and a * b add up to at most 2 n^2.
    const bool narrow = spectrum.n_samples < std::uint64_t{1} << 31;
    spectrum.cells = narrow ? group_cells<std::uint64_t>(cells, margins, spectrum.n_samples, helpers)
                            : group_cells<uint128>(cells, margins, spectrum.n_samples, helpers);
    return spectrum;
}

/// Cells listed by row, column and count.
struct ListedCells {
    std::span<const std::int64_t> rows;
    std::span<const std::int64_t> columns;
    std::span<const std::int64_t> counts;
    std::size_t height;
    std::size_t width;

    [[nodiscard]] std::size_t n_rows() const noexcept { return height; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return width; }
    [[nodiscard]] std::size_t n_parts() const noexcept { return 1; }

    template <class Visit>
    void for_each_cell(std::size_t, const Visit& visit) const {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            visit(static_cast<std::size_t>(rows[i]), static_cast<std::size_t>(columns[i]),
                  static_cast<std::uint64_t>(counts[i]));
        }
    }
};

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
