#pragma once

// The cells of a contingency table -> the three short lists that every score is a function of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/fixed_point.hpp"

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

/// Groups items by key, ascending. Most keys are small: those are counted in place, only the rest is sorted.
template <class Group, class Item, class Key, class Merge>
std::vector<Group> group_by(std::span<const Item> items, const Key& key, const Merge& merge) {
    constexpr std::uint64_t most_in_place = 4096;
    std::uint64_t largest = 0;
    for (const Item& item : items) largest = std::max<std::uint64_t>(largest, key(item));
    std::vector<Group> small(std::min(largest + 1, most_in_place), Group{});
    std::vector<Item> large;
    for (const Item& item : items) {
        if (key(item) < small.size()) {
            merge(small[key(item)], item);
        } else {
            large.push_back(item);
        }
    }
    std::sort(large.begin(), large.end(), [&](const Item& left, const Item& right) { return key(left) < key(right); });
    std::vector<Group> groups = std::move(small);
    std::erase(groups, Group{});
    groups.shrink_to_fit();
    for (std::size_t i = 0; i < large.size(); ++i) {
        if (i == 0 || key(large[i]) != key(large[i - 1])) groups.push_back(Group{});
        merge(groups.back(), large[i]);
    }
    return groups;
}

inline std::vector<SizeGroup> group_sizes(std::span<const std::uint64_t> sizes) {
    return group_by<SizeGroup>(
        sizes, [](std::uint64_t size) { return size; },
        [](SizeGroup& group, std::uint64_t size) {
            group.size = size;
            ++group.clusters;
        });
}

struct Cell {
    std::uint64_t count;
    std::uint64_t row_size;
    std::uint64_t column_size;
};

inline std::vector<CellGroup> group_cells(std::span<const Cell> cells) {
    return group_by<CellGroup>(
        cells, [](const Cell& cell) { return cell.count; },
        [](CellGroup& group, const Cell& cell) {
            group.count = cell.count;
            ++group.cells;
            group.size_sum += cell.row_size + cell.column_size;
            group.size_product += uint128{cell.row_size} * cell.column_size;
        });
}

/// The spectrum of non-empty cells, given by row, column and count.
inline Spectrum summarise(std::span<const std::int64_t> rows, std::span<const std::int64_t> columns,
                          std::span<const std::int64_t> counts, std::size_t n_rows, std::size_t n_columns) {
    std::vector<std::uint64_t> row_sizes(n_rows, 0);
    std::vector<std::uint64_t> column_sizes(n_columns, 0);
    Spectrum spectrum;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto count = static_cast<std::uint64_t>(counts[i]);
        row_sizes[static_cast<std::size_t>(rows[i])] += count;
        column_sizes[static_cast<std::size_t>(columns[i])] += count;
        spectrum.n_samples += count;
    }
    std::vector<Cell> cells;
    cells.reserve(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        cells.push_back({static_cast<std::uint64_t>(counts[i]), row_sizes[static_cast<std::size_t>(rows[i])],
                         column_sizes[static_cast<std::size_t>(columns[i])]});
    }
    spectrum.rows = group_sizes(row_sizes);
    spectrum.columns = group_sizes(column_sizes);
    spectrum.cells = group_cells(cells);
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
