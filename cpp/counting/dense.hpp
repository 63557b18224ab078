#pragma once

// Counting with a counter for each pair of labels, where clusters are few or labels close together.

#include <atomic>
#include <type_traits>

#include "counting/labels.hpp"
#include "counting/spectrum.hpp"

namespace chanceless::counting {

/// Whether a table that covers these ranges is worth its memory for `n_samples` samples.
inline bool dense_pays(const Range& rows, const Range& columns, std::size_t n_samples) noexcept {
    constexpr unsigned most_bits = 23;
    const unsigned bits = frame_of(rows).bits + frame_of(columns).bits;
    return bits <= most_bits && (std::size_t{1} << bits) <= 16 * n_samples + 4096;
}

/// The counters of one thread. To increment the same counter twice in succession is slow (store forwarding), so small
/// tables have several copies (lanes), and samples go to each in turn. Counters of a byte, of which more fit into the
/// cache, start anew at 256; `carries` lists their cells each time.
template <class Counter>
class Tally {
  public:
    Tally(std::size_t n_cells, std::size_t n_samples)
        : n_cells_(n_cells), lanes_(lanes_for(n_cells, n_samples)), counts_(zeros<Counter>(lanes_ * n_cells_)) {}

    template <class Index>
    void add(std::span<const Index> indices) {
        if (lanes_ == 8) return add_in_lanes<8>(indices);
        if (lanes_ == 4) return add_in_lanes<4>(indices);
        if (lanes_ == 2) return add_in_lanes<2>(indices);
        add_in_lanes<1>(indices);
    }

    /// Adds the counters of cells start ... stop - 1 to `total`, without carries.
    template <class Count>
    void add_to(Count* CHANCELESS_RESTRICT total, std::size_t start, std::size_t stop) const noexcept {
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            const Counter* counts = counts_.get() + lane * n_cells_;
            for (std::size_t cell = start; cell < stop; ++cell) total[cell - start] += counts[cell];
        }
    }

    /// Adds all lanes to the first and releases it.
    [[nodiscard]] Array<Counter> counts() && noexcept {
        for (std::size_t lane = 1; lane < lanes_; ++lane) {
            const Counter* counts = counts_.get() + lane * n_cells_;
            for (std::size_t cell = 0; cell < n_cells_; ++cell) counts_[cell] += counts[cell];
        }
        return std::move(counts_);
    }

    [[nodiscard]] const std::vector<std::uint32_t>& carries() const noexcept { return carries_; }

  private:
    /// Number of lanes that fit into the L1 cache and are worth zeroing and summing.
    static std::size_t lanes_for(std::size_t n_cells, std::size_t n_samples) noexcept {
        if (n_samples < 16 * n_cells) return 1;
        return n_cells <= 256 ? 8 : n_cells <= 1024 ? 4 : n_cells <= 8192 ? 2 : 1;
    }

    template <std::size_t Lanes, class Index>
    void add_in_lanes(std::span<const Index> indices) {
        Counter* const counts = counts_.get();
        const std::size_t n_cells = n_cells_;
        const auto add_one = [&](std::size_t lane, Index index) {
            const bool is_full = ++counts[lane * n_cells + index] == 0;
            if constexpr (sizeof(Counter) == 1) {
                if (is_full) [[unlikely]]
                    carries_.push_back(index);
            }
        };
        std::size_t i = 0;
        for (; i + Lanes <= indices.size(); i += Lanes) {
            for (std::size_t lane = 0; lane < Lanes; ++lane) add_one(lane, indices[i + lane]);
        }
        for (; i < indices.size(); ++i) add_one(0, indices[i]);
    }

    std::size_t n_cells_;
    std::size_t lanes_;
    Array<Counter> counts_;
    std::vector<std::uint32_t> carries_;
};

/// Labels of two clusterings, combined to one index for each sample: the row offset, shifted left of the column offset.
struct Indices {
    const Labels& row_labels;
    const Labels& column_labels;
    Frame row_frame;
    Frame column_frame;

    [[nodiscard]] unsigned bits() const noexcept { return row_frame.bits + column_frame.bits; }
    [[nodiscard]] std::size_t n_samples() const noexcept { return row_labels.size; }

    /// Writes the indices of samples start ... stop - 1; returns whether all labels lie within the frames.
    template <class Index>
    bool fill(std::size_t start, std::size_t stop, Index* index) const noexcept {
        const bool rows_inside = row_labels.write(row_frame, start, stop, column_frame.bits, index);
        return column_labels.add(column_frame, start, stop, 0, index) && rows_inside;
    }

    void prefetch(std::size_t start, std::size_t stop) const noexcept {
        row_labels.prefetch(start, stop);
        column_labels.prefetch(start, stop);
    }
};

/// The number of samples of each pair of offsets.
template <class Counter>
class DenseTable {
  public:
    /// What holds any count; of one byte for each cell alone, it does not.
    using Count = std::conditional_t<sizeof(Counter) == 1, std::uint32_t, Counter>;

    /// `tallies` are those of all threads that counted, at least one.
    DenseTable(const Indices& indices, std::vector<Tally<Counter>> tallies)
        : n_rows_(indices.row_frame.size()), column_bits_(indices.column_frame.bits), tallies_(std::move(tallies)) {
        for (const Tally<Counter>& tally : tallies_) {
            carries_.insert(carries_.end(), tally.carries().begin(), tally.carries().end());
        }
        std::sort(carries_.begin(), carries_.end());
    }

    [[nodiscard]] std::size_t n_rows() const noexcept { return n_rows_; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return std::size_t{1} << column_bits_; }

    /// Number of blocks of adjacent rows, which can be visited concurrently.
    [[nodiscard]] std::size_t n_parts() const noexcept { return (n_rows() + rows_in_part() - 1) / rows_in_part(); }

    /// Calls visit(row, counts) for the rows of a part, with the counts of all cells of a row.
    template <class Visit>
    void for_each_row(std::size_t part, const Visit& visit) const {
        const std::size_t stop = std::min(n_rows(), (part + 1) * rows_in_part());
        const std::size_t n_together = std::min(stop, std::max<std::size_t>(1, 4096 >> column_bits_));
        std::vector<Count> counts(n_together << column_bits_);
        for (std::size_t first = part * rows_in_part(); first < stop; first += n_together) {
            const std::size_t last = std::min(stop, first + n_together);
            add_up(first << column_bits_, last << column_bits_, counts.data());
            for (std::size_t row = first; row < last; ++row) {
                visit(row, std::span<const Count>(counts.data() + ((row - first) << column_bits_), n_columns()));
            }
        }
    }

    /// Calls visit(row, column, count) for all cells of a part, row by row, columns ascending. Empty cells are visited
    /// too: mispredicted branches would cost more than they save.
    template <class Visit>
    void for_each_cell(std::size_t part, const Visit& visit) const {
        for_each_row(part, [&](std::size_t row, std::span<const Count> counts) {
            for (std::size_t column = 0; column < counts.size(); ++column) {
                visit(row, column, std::uint64_t{counts[column]});
            }
        });
    }

  private:
    [[nodiscard]] std::size_t rows_in_part() const noexcept {
        return std::max<std::size_t>(64, (std::size_t{1} << 14) >> column_bits_);
    }

    /// Writes the counts of cells start ... stop - 1.
    void add_up(std::size_t start, std::size_t stop, Count* counts) const {
        std::fill_n(counts, stop - start, Count{0});
        for (const Tally<Counter>& tally : tallies_) tally.add_to(counts, start, stop);
        auto carry = std::lower_bound(carries_.begin(), carries_.end(), start);
        for (; carry != carries_.end() && *carry < stop; ++carry) counts[*carry - start] += 256;
    }

    std::size_t n_rows_;
    unsigned column_bits_;
    std::vector<Tally<Counter>> tallies_;
    std::vector<std::uint32_t> carries_;  // ascending
};

/// Counts in one pass, in at most `most_workers` threads; returns nullopt as soon as a label lies outside its frame.
template <class Counter, class Index>
std::optional<DenseTable<Counter>> count_dense(const Indices& indices, std::size_t most_workers, const Crew& crew) {
    constexpr std::size_t chunk = std::size_t{1} << 16;
    constexpr std::size_t most_in_block = 4096;
    const std::size_t n_cells = std::size_t{1} << indices.bits();
    // With a small table, the time goes to reading: the labels of the next block come while this one is counted.
    const bool reads_ahead = n_cells <= 1024;
    const std::size_t block = reads_ahead ? 256 : most_in_block;
    const std::size_t strip = reads_ahead ? 64 : most_in_block;
    std::vector<std::optional<Tally<Counter>>> tallies(crew.size());
    std::atomic<bool> inside{true};
    const auto count_chunk = [&](unsigned worker, std::size_t first, std::size_t last) {
        if (!tallies[worker]) tallies[worker].emplace(n_cells, indices.n_samples() / crew.size());
        alignas(64) Index index[most_in_block];
        for (std::size_t start = first; start < last && inside; start += block) {
            const std::size_t stop = std::min(last, start + block);
            if (!indices.fill(start, stop, index)) inside = false;
            for (std::size_t place = start; place < stop; place += strip) {
                if (reads_ahead) indices.prefetch(place + block, place + block + strip);
                tallies[worker]->add(std::span<const Index>(index + (place - start), std::min(strip, stop - place)));
            }
        }
    };
    crew.in_chunks(indices.n_samples(), chunk, count_chunk, most_workers);
    if (!inside) return std::nullopt;
    std::vector<Tally<Counter>> used;
    for (std::optional<Tally<Counter>>& tally : tallies) {
        if (tally) used.push_back(*std::move(tally));
    }
    return DenseTable<Counter>(indices, std::move(used));
}

// Few samples with labels close together -> their spectrum. The table is on the stack, since to allocate memory would
// take longer than to count.

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

}  // namespace chanceless::counting
