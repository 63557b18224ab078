#pragma once

// Counting where every pair of labels may have a counter: few clusters, or labels close together.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chanceless/labels.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Where labels are supposed to lie: from the lowest on, at distances of so many bits.
struct Frame {
    std::uint64_t lowest;
    unsigned bits;

    [[nodiscard]] std::uint64_t mask() const noexcept { return (std::uint64_t{1} << bits) - 1; }
    [[nodiscard]] std::size_t size() const noexcept { return std::size_t{1} << bits; }
};

inline Frame frame_of(const Range& range) noexcept {
    return {range.lowest, static_cast<unsigned>(std::bit_width(range.width()))};
}

/// Whether a table with these frames is worth its memory for so many samples.
inline bool dense_pays(const Range& rows, const Range& columns, std::size_t n_samples) noexcept {
    constexpr unsigned most_bits = 23;
    const unsigned bits = frame_of(rows).bits + frame_of(columns).bits;
    return bits <= most_bits && (std::size_t{1} << bits) <= 16 * n_samples + 4096;
}

/// One counter for each pair of distances; `rows` shifted left of `columns` is the index of a counter.
template <class Counter>
class DenseTable {
  public:
    DenseTable(Frame rows, Frame columns, Array<Counter> counts) noexcept
        : rows_(rows), columns_(columns), counts_(std::move(counts)) {}

    [[nodiscard]] std::size_t n_rows() const noexcept { return rows_.size(); }
    [[nodiscard]] std::size_t n_columns() const noexcept { return columns_.size(); }

    /// Parts of neighbouring rows, which can be visited at the same time.
    [[nodiscard]] std::size_t n_parts() const noexcept { return (n_rows() + rows_in_part - 1) / rows_in_part; }

    /// Calls visit(row, column, count) for all cells of a part, row by row, columns ascending. For the empty ones too:
    /// whether one is empty cannot be foreseen, and a processor that guesses wrong loses more than it saves.
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

    Frame rows_;
    Frame columns_;
    Array<Counter> counts_;
};

/// Counts in the place of one thread. The same cell twice in a row would wait for its own store, so small tables are
/// kept several times, and samples go to each in turn.
template <class Counter, class Index>
class Tally {
  public:
    Tally(std::size_t n_cells, std::size_t n_samples)
        : n_cells_(n_cells), lanes_(lanes_for(n_cells, n_samples)), counts_(zeros<Counter>(lanes_ * n_cells_)) {}

    void add(std::span<const Index> indices) noexcept {
        if (lanes_ == 8) return add_in_lanes<8>(indices);
        if (lanes_ == 4) return add_in_lanes<4>(indices);
        if (lanes_ == 2) return add_in_lanes<2>(indices);
        for (const Index index : indices) ++counts_[index];
    }

    /// Adds lanes, from some on, to `total`, which has one entry for each cell.
    void add_to(Counter* total, std::size_t first_lane) const noexcept {
        for (std::size_t lane = first_lane; lane < lanes_; ++lane) {
            const Counter* counts = counts_.get() + lane * n_cells_;
            for (std::size_t cell = 0; cell < n_cells_; ++cell) total[cell] += counts[cell];
        }
    }

    /// All lanes added up in the first, which is given away.
    [[nodiscard]] Array<Counter> counts() && noexcept {
        add_to(counts_.get(), 1);
        return std::move(counts_);
    }

  private:
    /// As many as the first-level cache bears, and no more than pay for being set to zero and added up.
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

/// Labels of two clusterings as one index each.
template <class Index>
struct Indices {
    const Labels& rows;
    const Labels& columns;
    Frame row_frame;
    Frame column_frame;

    /// Fills in the indices of some samples; whether all labels lie within the frames.
    bool fill(std::size_t start, std::size_t stop, Index* index) const noexcept {
        std::fill_n(index, stop - start, Index{0});
        const auto add = [&](const Labels& labels, const Frame& frame, unsigned shift) {
            const auto function = [&] {
                if constexpr (sizeof(Index) == 2) return labels.add16;
                if constexpr (sizeof(Index) == 4) return labels.add32;
            }();
            return function(labels, start, stop, frame.lowest, frame.mask(), shift, index) & ~frame.mask();
        };
        return (add(rows, row_frame, column_frame.bits) | add(columns, column_frame, 0)) == 0;
    }
};

/// Counts in one pass; nothing, as soon as a label lies outside its frame.
template <class Counter, class Index>
std::optional<DenseTable<Counter>> count_dense(const Indices<Index>& source, unsigned n_members, const Pause& pause) {
    constexpr std::size_t block = 4096;
    constexpr std::size_t chunk = 16 * block;
    const std::size_t n_samples = source.rows.size;
    const unsigned bits = source.row_frame.bits + source.column_frame.bits;
    std::vector<Tally<Counter, Index>> tallies;
    for (unsigned member = 0; member < n_members; ++member)
        tallies.emplace_back(std::size_t{1} << bits, n_samples / n_members);
    std::atomic<bool> inside{true};
    in_chunks(n_members, n_samples, chunk, pause, [&](unsigned member, std::size_t first, std::size_t last) {
        alignas(64) Index index[block];
        for (std::size_t start = first; start < last && inside; start += block) {
            const std::size_t stop = std::min(last, start + block);
            if (!source.fill(start, stop, index)) inside = false;
            tallies[member].add({index, stop - start});
        }
    });
    if (!inside) return std::nullopt;
    Array<Counter> counts = std::move(tallies[0]).counts();
    for (unsigned member = 1; member < n_members; ++member) tallies[member].add_to(counts.get(), 0);
    return DenseTable<Counter>(source.row_frame, source.column_frame, std::move(counts));
}

}  // namespace chanceless
