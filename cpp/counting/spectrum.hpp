#pragma once

// The cells of a contingency table -> their spectrum: three short lists, from which every score is computed.

#include <compare>

#include "base/int128.hpp"
#include "base/memory.hpp"
#include "base/sort.hpp"
#include "base/threads.hpp"

namespace chanceless::counting {

/// The number of clusters of a size.
struct SizeGroup {
    std::uint64_t size;
    std::uint64_t clusters;

    auto operator<=>(const SizeGroup&) const = default;
};

/// The number of cells of a count; the sum of (a + b) and the sum of a * b over them, where a and b are the
/// sizes of a cell's row and column; and, with overlaps, how many of them have a = b = count.
struct CellGroup {
    std::uint64_t count;
    std::uint64_t cells;
    uint128 size_sum;
    uint128 size_product;
    std::uint64_t same = 0;

    bool operator==(const CellGroup&) const = default;
};

/// What the clusters of a size have in common with those of the other side.
struct Overlap {
    uint128 squares = 0;        // the sum of x^2 over their cells
    std::uint64_t largest = 0;  // the sum of their largest cells

    bool operator==(const Overlap&) const = default;
};

/// Each list in ascending order of its first entry. Overlaps are those of the rows and of the columns, in their order;
/// most scores need none of them, so that they are counted on request.
struct Spectrum {
    std::vector<SizeGroup> rows;
    std::vector<SizeGroup> columns;
    std::vector<CellGroup> cells;
    std::uint64_t n_samples = 0;
    std::vector<Overlap> row_overlaps{};
    std::vector<Overlap> column_overlaps{};

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

/// Groups clusters by size, the empty ones left out. Most sizes are small: these are counted in place.
class SizeCounter {
  public:
    /// For sizes of at most `largest`.
    explicit SizeCounter(std::uint64_t largest) : small_(std::min(largest, most_in_place - 1) + 1, 0) {}

    void add(std::uint64_t size) {
        if (size < small_.size()) {
            ++small_[size];
        } else {
            large_.push_back(size);
        }
    }

    void add(const SizeCounter& other) {
        for (std::size_t size = 0; size < small_.size(); ++size) small_[size] += other.small_[size];
        large_.insert(large_.end(), other.large_.begin(), other.large_.end());
    }

    [[nodiscard]] std::vector<SizeGroup> groups() && {
        std::vector<SizeGroup> groups;
        for (std::uint64_t size = 1; size < small_.size(); ++size) {
            if (small_[size] != 0) groups.push_back({size, small_[size]});
        }
        std::sort(large_.begin(), large_.end());
        for (const std::uint64_t size : large_) {
            if (groups.empty() || groups.back().size != size) groups.push_back({size, 0});
            ++groups.back().clusters;
        }
        return groups;
    }

  private:
    static constexpr std::uint64_t most_in_place = 4096;

    std::vector<std::uint64_t> small_;
    std::vector<std::uint64_t> large_;
};

std::vector<SizeGroup> group_sizes(std::span<const std::uint64_t> sizes);

/// Sizes of clusters, empty ones included.
using Sizes = std::vector<std::uint64_t, LargePageAllocator<std::uint64_t>>;

/// Sizes of all rows and columns, and the number of non-empty cells.
struct Margins {
    Sizes row_sizes;
    Sizes column_sizes;
    std::size_t n_cells = 0;
    std::uint64_t bits = 0;  // of all counts, bitwise or
};

/// Cells whose counts are there for whole rows, empty ones included: for_each_row(part, visit).
template <class Cells>
concept HasRows = requires(const Cells& cells) { cells.for_each_row(std::size_t{}, [](std::size_t, const auto&) {}); };

/// The margins of some rows: what one worker adds up.
template <class Cells>
void add_margins(const Cells& cells, std::size_t part, std::uint64_t* row_sizes, Margins& margins) {
    std::uint64_t* const column_sizes = margins.column_sizes.data();
    if constexpr (HasRows<Cells>) {
        cells.for_each_row(part, [&](std::size_t row, const auto& counts) {
            std::uint64_t row_size = 0;
            std::uint64_t bits = 0;
            std::size_t not_empty = 0;
            for (std::size_t column = 0; column < counts.size(); ++column) {
                row_size += counts[column];
                column_sizes[column] += counts[column];
                not_empty += static_cast<std::size_t>(counts[column] != 0);
                bits |= counts[column];
            }
            row_sizes[row] = row_size;
            margins.n_cells += not_empty;
            margins.bits |= bits;
        });
    } else {
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            row_sizes[row] += count;
            column_sizes[column] += count;
            margins.n_cells += static_cast<std::size_t>(count != 0);
            margins.bits |= count;
        });
    }
}

/// Sums the cells of each row and column. `Cells` consist of parts of adjacent rows; for_each_cell(part, visit) visits
/// the non-empty cells of a part, and may visit empty ones.
template <class Cells>
Margins margins_of(const Cells& cells, const Crew& crew) {
    Sizes row_sizes(cells.n_rows(), 0);
    // A row belongs to one part, a column to several: each worker has its own column sizes, if columns are not too
    // many.
    const std::size_t n_columns = cells.n_columns();
    std::vector<Margins> margins(crew.size());
    margins[0].column_sizes.resize(n_columns, 0);
    const auto add_part = [&](unsigned worker, std::size_t part, std::size_t) {
        margins[worker].column_sizes.resize(n_columns, 0);
        add_margins(cells, part, row_sizes.data(), margins[worker]);
    };
    crew.in_chunks(cells.n_parts(), 1, add_part, n_columns > (std::size_t{1} << 17) ? 1 : crew.size());
    for (std::size_t worker = 1; worker < margins.size(); ++worker) {
        const Sizes& columns = margins[worker].column_sizes;
        for (std::size_t i = 0; i < columns.size(); ++i) margins[0].column_sizes[i] += columns[i];
        margins[0].n_cells += margins[worker].n_cells;
        margins[0].bits |= margins[worker].bits;
    }
    margins[0].row_sizes = std::move(row_sizes);
    return std::move(margins[0]);
}

/// A cell with a large count, to be sorted by it.
struct Cell {
    std::uint64_t count;
    std::uint64_t row_size;
    std::uint64_t column_size;
};

void sort_by_count(std::vector<Cell>& cells, const CancellationCheck& check_cancelled);

/// Whether sums over cells fit into 64 bits: over all cells, both a + b and a * b sum to at most 2 n^2.
inline bool is_narrow(std::uint64_t n_samples) noexcept { return n_samples < std::uint64_t{1} << 31; }

/// Sums over the cells of one count. `Sum` has 64 bits where is_narrow() holds.
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

/// Groups cells by count. Most counts are small: these are summed in place, only the rest is stored and sorted.
template <class Sum>
class CellCounter {
  public:
    explicit CellCounter(std::uint64_t n_in_place) : small_(2 * n_in_place), n_in_place_(n_in_place) {}

    /// Cells go to two lanes in turn: most have the same count, and to add twice to one sum in succession is slow.
    /// Empty cells may be added.
    void add(std::uint64_t count, std::uint64_t row_size, std::uint64_t column_size, std::size_t lane) {
        if (count < n_in_place_) [[likely]] {
            small_[2 * count + (lane & 1)].add(row_size, column_size);
        } else {
            large_.push_back({count, row_size, column_size});
        }
    }

    /// Adds cells of a count that is summed in place.
    void add(std::uint64_t count, const CellSums<Sum>& sums) { small_[2 * count].add(sums); }

    void add(const CellCounter& other) {
        for (std::size_t i = 0; i < small_.size(); ++i) small_[i].add(other.small_[i]);
        large_.insert(large_.end(), other.large_.begin(), other.large_.end());
    }

    [[nodiscard]] std::vector<CellGroup> groups(const CancellationCheck& check_cancelled) && {
        std::vector<CellGroup> groups;
        for (std::uint64_t count = 1; count < n_in_place_; ++count) {
            small_[2 * count].add(small_[2 * count + 1]);
            if (small_[2 * count].cells != 0) groups.push_back(small_[2 * count].group(count));
        }
        sort_by_count(large_, check_cancelled);
        for (std::size_t i = 0; i < large_.size();) {
            const std::uint64_t count = large_[i].count;
            CellSums<Sum> sums;
            for (; i < large_.size() && large_[i].count == count; ++i)
                sums.add(large_[i].row_size, large_[i].column_size);
            groups.push_back(sums.group(count));
        }
        return groups;
    }

  private:
    std::vector<CellSums<Sum>> small_;
    std::vector<Cell> large_;
    std::uint64_t n_in_place_;
};

/// Sums over the cells of a row, for each count: their number and the sum of their column sizes in one word.
class RowSums {
  public:
    static constexpr std::uint64_t n_counts = 256;
    static constexpr std::uint64_t most_samples = std::uint64_t{1} << 40;

    /// For counts below `n_used`.
    explicit RowSums(std::uint64_t n_used) : n_used_(n_used) {}

    template <class Counts, class Sum>
    void add(const Counts& counts, std::uint64_t row_size, const std::uint64_t* column_sizes, CellCounter<Sum>& cells) {
        // Four lanes, as most counts are equal.
        for (std::size_t column = 0; column < counts.size(); ++column) {
            sums_[column % 4][counts[column]] += most_samples + column_sizes[column];
        }
        for (std::uint64_t count = 0; count < n_used_; ++count) {
            std::uint64_t sum = 0;
            for (auto& lane : sums_) sum += std::exchange(lane[count], 0);
            const std::uint64_t n_cells = sum / most_samples;
            const std::uint64_t columns = sum % most_samples;
            cells.add(count, CellSums<Sum>{n_cells, Sum{n_cells} * row_size + columns, Sum{row_size} * columns});
        }
    }

  private:
    std::uint64_t n_used_;
    std::uint64_t sums_[4][n_counts] = {};
};

/// Cells grouped by count.
template <class Sum, class Cells>
std::vector<CellGroup> group_cells(const Cells& cells, const Margins& margins, std::uint64_t n_samples,
                                   const Crew& crew) {
    // Small tables have few sums in place: to zero 2048 of them would take longer than to sort.
    const std::uint64_t n_in_place = std::min<std::uint64_t>(n_samples + 1, margins.n_cells < 512 ? 64 : 2048);
    std::vector<std::optional<CellCounter<Sum>>> counters(crew.size());
    counters[0].emplace(n_in_place);
    const std::uint64_t* const row_sizes = margins.row_sizes.data();
    const std::uint64_t* const column_sizes = margins.column_sizes.data();
    // To sum up a row for each count pays if rows are long.
    const bool by_rows = margins.bits < std::min(n_in_place, RowSums::n_counts) && n_samples < RowSums::most_samples &&
                         margins.column_sizes.size() >= 4 * (margins.bits + 1);
    crew.in_chunks(cells.n_parts(), 1, [&](unsigned worker, std::size_t part, std::size_t) {
        if (!counters[worker]) counters[worker].emplace(n_in_place);
        CellCounter<Sum>& counter = *counters[worker];
        if constexpr (HasRows<Cells>) {
            RowSums sums(margins.bits + 1);
            const auto add_row = [&](std::size_t row, const auto& counts) {
                if (row_sizes[row] != 0) sums.add(counts, row_sizes[row], column_sizes, counter);
            };
            if (by_rows) return cells.for_each_row(part, add_row);
        }
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            counter.add(count, row_sizes[row], column_sizes[column], column);
        });
    });
    for (std::size_t worker = 1; worker < counters.size(); ++worker) {
        if (counters[worker]) counters[0]->add(*counters[worker]);
    }
    return std::move(*counters[0]).groups(crew.check_cancelled());
}

/// The overlaps of the clusters of one side, one by one.
class OverlapCounter {
  public:
    explicit OverlapCounter(const Sizes& sizes) : sizes_(sizes), clusters_(sizes.size()) {}

    void add(std::size_t cluster, std::uint64_t count) noexcept {
        Overlap& overlap = clusters_[cluster];
        overlap.squares += uint128{count} * count;
        overlap.largest = std::max(overlap.largest, count);
    }

    /// Adds up the clusters of each size.
    [[nodiscard]] std::vector<Overlap> of_groups(const std::vector<SizeGroup>& groups) const {
        std::vector<Overlap> overlaps(groups.size());
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            if (sizes_[i] == 0) continue;
            const auto found = std::lower_bound(groups.begin(), groups.end(), SizeGroup{sizes_[i], 0});
            Overlap& sum = overlaps[static_cast<std::size_t>(found - groups.begin())];
            sum.squares += clusters_[i].squares;
            sum.largest += clusters_[i].largest;
        }
        return overlaps;
    }

  private:
    const Sizes& sizes_;
    std::vector<Overlap> clusters_;
};

template <class Cells>
void add_overlaps(Spectrum& spectrum, const Cells& cells, const Margins& margins,
                  const CancellationCheck& check_cancelled) {
    OverlapCounter rows(margins.row_sizes);
    OverlapCounter columns(margins.column_sizes);
    Crew(1, check_cancelled).in_chunks(cells.n_parts(), 1, [&](unsigned, std::size_t part, std::size_t) {
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            if (count == 0) return;
            rows.add(row, count);
            columns.add(column, count);
            if (count != margins.row_sizes[row] || count != margins.column_sizes[column]) return;
            const auto is_smaller = [](const CellGroup& group, std::uint64_t wanted) { return group.count < wanted; };
            ++std::lower_bound(spectrum.cells.begin(), spectrum.cells.end(), count, is_smaller)->same;
        });
    });
    spectrum.row_overlaps = rows.of_groups(spectrum.rows);
    spectrum.column_overlaps = columns.of_groups(spectrum.columns);
}

template <class Cells>
Spectrum summarise(const Cells& cells, const Crew& crew, bool with_overlaps = false) {
    const Margins margins = margins_of(cells, crew);
    Spectrum spectrum;
    spectrum.rows = group_sizes(margins.row_sizes);
    spectrum.columns = group_sizes(margins.column_sizes);
    for (const auto& [size, clusters] : spectrum.rows) spectrum.n_samples += size * clusters;
    spectrum.cells = is_narrow(spectrum.n_samples)
                         ? group_cells<std::uint64_t>(cells, margins, spectrum.n_samples, crew)
                         : group_cells<uint128>(cells, margins, spectrum.n_samples, crew);
    if (with_overlaps) add_overlaps(spectrum, cells, margins, crew.check_cancelled());
    return spectrum;
}

/// The spectrum of a clustering with itself, from its sizes, with overlaps: every cell is a whole cluster.
Spectrum with_itself(std::vector<SizeGroup> groups);

inline Spectrum summarise(std::span<const std::uint64_t> cluster_sizes) {
    return with_itself(group_sizes(cluster_sizes));
}

}  // namespace chanceless::counting
