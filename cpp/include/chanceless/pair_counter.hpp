#pragma once

// The tables of two packs -> the table of each pair of their clusterings.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/bitsets.hpp"
#include "chanceless/cancellation.hpp"
#include "chanceless/dense.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/packs.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

/// The first rows and columns of a table in memory, whose rows are `step` entries apart.
template <class Counter>
struct TableView {
    const Counter* counts;
    std::size_t height;
    std::size_t width;
    std::size_t step;

    [[nodiscard]] std::size_t n_rows() const noexcept { return height; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return width; }
    [[nodiscard]] std::size_t n_parts() const noexcept { return 1; }

    template <class Visit>
    void for_each_cell(std::size_t, const Visit& visit) const {
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t column = 0; column < width; ++column) {
                visit(row, column, std::uint64_t{counts[row * step + column]});
            }
        }
    }
};

/// Cells with the counts of some of them set to 0: keep(row, column) is asked for the non-empty ones.
template <class Cells, class Keep>
struct FilteredCells {
    const Cells& cells;
    const Keep& keep;

    [[nodiscard]] std::size_t n_rows() const noexcept { return cells.n_rows(); }
    [[nodiscard]] std::size_t n_columns() const noexcept { return cells.n_columns(); }
    [[nodiscard]] std::size_t n_parts() const noexcept { return cells.n_parts(); }

    template <class Visit>
    void for_each_cell(std::size_t part, const Visit& visit) const {
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            visit(row, column, count != 0 && keep(row, column) ? count : 0);
        });
    }
};

/// The number of samples with each pair of bytes.
template <class Counter>
Array<Counter> count_bytes(const Pack& row_pack, const Pack& column_pack, const CancellationCheck& check_cancelled) {
    constexpr std::size_t block = 4096;
    const std::size_t n_samples = row_pack.n_samples();
    Tally<Counter> tally(row_pack.n_codes() * column_pack.n_codes(), n_samples);
    const auto width = static_cast<std::uint16_t>(column_pack.n_codes());  // at most 256, and so are the rows
    alignas(64) std::uint16_t index[block];
    for (std::size_t start = 0; start < n_samples; start += block) {
        if (start % (256 * block) == 255 * block) check_cancelled();
        const std::size_t n = std::min(block, n_samples - start);
        const std::uint8_t* const row = row_pack.bytes() + start;
        const std::uint8_t* const column = column_pack.bytes() + start;
        for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::uint16_t>(row[i] * width + column[i]);
        tally.add(std::span<const std::uint16_t>(index, n));
    }
    return std::move(tally).counts();
}

/// The table of one pair of clusterings at a time, in memory that all pairs share.
class PairCounter {
  public:
    /// Sums the columns of the table of two packs by the codes of column clustering q: one row for each byte of
    /// `row_pack`, one column for each code.
    template <class Counter>
    static std::vector<std::uint64_t> sum_columns(const Counter* joint, const Pack& row_pack, const Pack& column_pack,
                                                  std::size_t q) {
        const std::size_t width = column_pack.clusterings()[q].n_codes;
        const std::uint8_t* const digit = column_pack.digits(q).data();
        std::vector<std::uint64_t> result(row_pack.n_codes() * width, 0);
        for (std::size_t row = 0; row < row_pack.n_codes(); ++row, joint += column_pack.n_codes()) {
            std::uint64_t* const counts = result.data() + row * width;
            for (std::size_t column = 0; column < column_pack.n_codes(); ++column) {
                counts[digit[column]] += joint[column];
            }
        }
        return result;
    }

    /// Sums the rows of the result of `sum_columns` by the codes of row clustering p.
    void sum_rows(const std::vector<std::uint64_t>& column_sums, const Pack& row_pack, std::size_t p,
                  const Clustering& column) {
        start(row_pack.clusterings()[p], column);
        const std::uint8_t* const digit = row_pack.digits(p).data();
        const std::uint64_t* from = column_sums.data();
        for (std::size_t row = 0; row < row_pack.n_codes(); ++row, from += width_) {
            std::uint64_t* const counts = counts_.data() + digit[row] * width_;
            for (std::size_t code = 0; code < width_; ++code) counts[code] += from[code];
        }
    }

    /// Counts two clusterings of one pack, or one with itself.
    void sum_sizes(const Pack& pack, std::size_t p, std::size_t q) {
        start(pack.clusterings()[p], pack.clusterings()[q]);
        const std::uint8_t* const row_digit = pack.digits(p).data();
        const std::uint8_t* const column_digit = pack.digits(q).data();
        for (std::size_t code = 0; code < pack.n_codes(); ++code) {
            counts_[row_digit[code] * width_ + column_digit[code]] += pack.sizes()[code];
        }
    }

    /// Counts two clusterings by their bitsets.
    void intersect(const Pack& row_pack, std::size_t p, const Pack& column_pack, std::size_t q) {
        start(row_pack.clusterings()[p], column_pack.clusterings()[q]);
        count_bits(row_pack.bitsets()[p], column_pack.bitsets()[q], counts_.data());
    }

    /// The table of the pair that was counted last, without the samples that are left out.
    [[nodiscard]] TableView<std::uint64_t> table() const noexcept {
        return {counts_.data(), n_rows_, n_columns_, width_};
    }

  private:
    void start(const Clustering& row, const Clustering& column) {
        n_rows_ = row.n_clusters;
        n_columns_ = column.n_clusters;
        width_ = column.n_codes;
        counts_.assign(row.n_codes * column.n_codes, 0);
    }

    std::vector<std::uint64_t> counts_;
    std::size_t n_rows_ = 0;
    std::size_t n_columns_ = 0;
    std::size_t width_ = 0;
};

}  // namespace chanceless
