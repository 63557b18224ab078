#pragma once

// Counting with a counter for each pair of labels, where clusters are few or labels close together.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Range of labels that a table covers: offsets of at most `bits` bits from the lowest label.
struct Frame {
    std::uint64_t lowest;
    unsigned bits;

    [[nodiscard]] std::uint64_t mask() const noexcept { return (std::uint64_t{1} << bits) - 1; }
    [[nodiscard]] std::size_t size() const noexcept { return std::size_t{1} << bits; }
};

inline Frame frame_of(const Range& range) noexcept {
    return {range.lowest, static_cast<unsigned>(std::bit_width(range.width()))};
}

/// Whether a table that covers these ranges is worth its memory for `n_samples` samples.
inline bool dense_pays(const Range& rows, const Range& columns, std::size_t n_samples) noexcept {
    constexpr unsigned most_bits = 23;
    const unsigned bits = frame_of(rows).bits + frame_of(columns).bits;
    return bits <= most_bits && (std::size_t{1} << bits) <= 16 * n_samples + 4096;
}

/// One counter for each pair of offsets; the index of a counter is the row offset, shifted left of the column offset.
template <class Counter>
class DenseTable {
  public:
    DenseTable(Frame row_frame, Frame column_frame, Array<Counter> counts) noexcept
        : row_frame_(row_frame), column_frame_(column_frame), counts_(std::move(counts)) {}

    [[nodiscard]] std::size_t n_rows() const noexcept { return row_frame_.size(); }
    [[nodiscard]] std::size_t n_columns() const noexcept { return column_frame_.size(); }

    /// Number of blocks of adjacent rows, which can be visited concurrently.
    [[nodiscard]] std::size_t n_parts() const noexcept { return (n_rows() + rows_in_part - 1) / rows_in_part; }

    /// Calls visit(row, column, count) for all cells of a part, row by row, columns ascending. Empty cells are visited
    /// too: mispredicted branches would cost more than they save.
    template <class Visit>
    void for_each_cell(std::size_t part, const Visit& visit) const {
        const std::size_t stop = std::min(n_rows(), (part + 1) * rows_in_part);
        const Counter* counts = counts_.get() + part * rows_in_part * n_columns();
        for (std::size_t row = part * rows_in_part; row < stop; ++row, counts += n_columns()) {
            for (std::size_t column = 0; column < n_columns(); ++column) {
                visit(row, column, std::uint64_t{counts[column]});
            }
        }
    }

  private:
    static constexpr std::size_t rows_in_part = 64;

    Frame row_frame_;
    Frame column_frame_;
    Array<Counter> counts_;
};

/// The counters of one thread. To increment the same counter twice in succession is slow (store forwarding), so small
/// tables have several copies (lanes), and samples go to each in turn.
template <class Counter, class Index>
class Tally {
  public:
    Tally(std::size_t n_cells, std::size_t n_samples)
        : n_cells_(n_cells), lanes_(lanes_for(n_cells, n_samples)), counts_(zeros<Counter>(lanes_ * n_cells_)) {}

    void add(std::span<const Index> indices) noexcept {
        if (lanes_ == 8) return add_in_lanes<8>(indices);
        if (lanes_ == 4) return add_in_lanes<4>(indices);
        if (lanes_ == 2) return add_in_lanes<2>(indices);
        add_in_lanes<1>(indices);
    }

    /// Adds the lanes from `first_lane` on to `total`, which has one entry for each cell.
    void add_to(Counter* total, std::size_t first_lane) const noexcept {
        for (std::size_t lane = first_lane; lane < lanes_; ++lane) {
            const Counter* counts = counts_.get() + lane * n_cells_;
            for (std::size_t cell = 0; cell < n_cells_; ++cell) total[cell] += counts[cell];
        }
    }

    /// Adds all lanes to the first and releases it.
    [[nodiscard]] Array<Counter> counts() && noexcept {
        add_to(counts_.get(), 1);
        return std::move(counts_);
    }

  private:
    /// Number of lanes that fit into the L1 cache and are worth zeroing and summing.
    static std::size_t lanes_for(std::size_t n_cells, std::size_t n_samples) noexcept {
        if (n_samples < 16 * n_cells) return 1;
        return n_cells <= 256 ? 8 : n_cells <= 1024 ? 4 : n_cells <= 8192 ? 2 : 1;
    }

    template <std::size_t Lanes>
    void add_in_lanes(std::span<const Index> indices) noexcept {
        Counter* const counts = counts_.get();
        const std::size_t n_cells = n_cells_;
        std::size_t i = 0;
        for (; i + Lanes <= indices.size(); i += Lanes) {
            for (std::size_t lane = 0; lane < Lanes; ++lane) ++counts[lane * n_cells + indices[i + lane]];
        }
        for (; i < indices.size(); ++i) ++counts[indices[i]];
    }

    std::size_t n_cells_;
    std::size_t lanes_;
    Array<Counter> counts_;
};

/// Labels of two clusterings, combined to one index for each sample.
template <class Index>
struct Indices {
    const Labels& row_labels;
    const Labels& column_labels;
    Frame row_frame;
    Frame column_frame;

    /// Writes the indices of samples start ... stop - 1; returns whether all labels lie within the frames.
    bool fill(std::size_t start, std::size_t stop, Index* index) const noexcept {
        std::fill_n(index, stop - start, Index{0});
        const auto add = [&](const Labels& labels, const Frame& frame, unsigned shift) {
            const auto function = [&] {
                if constexpr (sizeof(Index) == 2) return labels.add16;
                if constexpr (sizeof(Index) == 4) return labels.add32;
            }();
            return function(labels, start, stop, frame.lowest, frame.mask(), shift, index) & ~frame.mask();
        };
        return (add(row_labels, row_frame, column_frame.bits) | add(column_labels, column_frame, 0)) == 0;
    }
};

/// Counts in one pass; returns nullopt as soon as a label lies outside its frame.
template <class Counter, class Index>
std::optional<DenseTable<Counter>> count_dense(const Indices<Index>& source, unsigned n_workers,
                                               const CancellationCheck& check_cancelled) {
    constexpr std::size_t block = 4096;
    constexpr std::size_t chunk = 16 * block;
    const std::size_t n_samples = source.row_labels.size;
    const unsigned bits = source.row_frame.bits + source.column_frame.bits;
    std::vector<Tally<Counter, Index>> tallies;
    for (unsigned worker = 0; worker < n_workers; ++worker)
        tallies.emplace_back(std::size_t{1} << bits, n_samples / n_workers);
    std::atomic<bool> inside{true};
    in_chunks(n_workers, n_samples, chunk, check_cancelled, [&](unsigned worker, std::size_t first, std::size_t last) {
        alignas(64) Index index[block];
        for (std::size_t start = first; start < last && inside; start += block) {
            const std::size_t stop = std::min(last, start + block);
            if (!source.fill(start, stop, index)) inside = false;
            tallies[worker].add({index, stop - start});
        }
    });
    if (!inside) return std::nullopt;
    Array<Counter> counts = std::move(tallies[0]).counts();
    for (unsigned worker = 1; worker < n_workers; ++worker) tallies[worker].add_to(counts.get(), 0);
    return DenseTable<Counter>(source.row_frame, source.column_frame, std::move(counts));
}

}  // namespace chanceless
