#pragma once

// Two labellings of the same samples -> the non-empty cells of their contingency table.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/encode.hpp"

namespace chanceless {

/// Non-empty cells, row by row, columns ascending; and the labels that rows and columns stand for.
struct Table {
    std::vector<std::uint64_t> row_labels;
    std::vector<std::uint64_t> column_labels;
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
    std::vector<std::int64_t> counts;

    void reserve(std::size_t n_cells) {
        rows.reserve(n_cells);
        columns.reserve(n_cells);
        counts.reserve(n_cells);
    }

    void add_cell(std::uint64_t row, std::uint64_t column, std::uint64_t count) {
        rows.push_back(static_cast<std::int64_t>(row));
        columns.push_back(static_cast<std::int64_t>(column));
        counts.push_back(static_cast<std::int64_t>(count));
    }
};

/// One counter for each pair of offsets. Four tables in turn, as long as they fit the first-level cache: the
/// same cell twice in a row would otherwise wait for its own store.
class Histogram {
  public:
    Histogram(std::size_t height, std::size_t width)
        : n_cells_(height * width), width_(width), lanes_(n_cells_ > 1024 ? 1 : 4), counts_(lanes_ * n_cells_, 0) {}

    /// Rows and columns by value, and what belongs to this in variables of its own: a counter that is written might
    /// otherwise be any of them, and they would be read again for each sample.
    template <class Rows, class Columns>
    void add(const Rows rows, const Columns columns, std::size_t start, std::size_t stop) noexcept {
        std::uint64_t* const counts = counts_.data();
        const std::size_t width = width_;
        const std::size_t n_cells = n_cells_;
        std::size_t i = start;
        if (lanes_ == 4) {
            for (; i + 4 <= stop; i += 4) {
                for (std::size_t lane = 0; lane < 4; ++lane) {
                    ++counts[lane * n_cells + rows[i + lane] * width + columns[i + lane]];
                }
            }
        }
        for (; i < stop; ++i) ++counts[rows[i] * width + columns[i]];
    }

    [[nodiscard]] std::vector<std::uint64_t> counts() && {
        for (std::size_t cell = 0; cell < n_cells_; ++cell) {
            for (std::size_t lane = 1; lane < lanes_; ++lane) counts_[cell] += counts_[lane * n_cells_ + cell];
        }
        counts_.resize(n_cells_);
        return std::move(counts_);
    }

  private:
    std::size_t n_cells_;
    std::size_t width_;
    std::size_t lanes_;
    std::vector<std::uint64_t> counts_;
};

template <class Rows, class Columns, class Checkpoint>
std::vector<std::uint64_t> histogram(const Rows rows, const Columns columns, std::size_t height, std::size_t width,
                                     const Checkpoint& checkpoint) {
    Histogram result(height, width);
    in_blocks(rows.size(), checkpoint,
              [&](std::size_t start, std::size_t stop) { result.add(rows, columns, start, stop); });
    return std::move(result).counts();
}

/// The non-empty cells of a dense table; rows and columns without samples are left out.
inline Table compress(const std::vector<std::uint64_t>& dense, std::size_t height, std::size_t width) {
    std::vector<std::uint32_t> column_code(width, 0);
    std::size_t n_cells = 0;
    for (std::size_t row = 0; row < height; ++row) {
        for (std::size_t column = 0; column < width; ++column) {
            const bool used = dense[row * width + column] != 0;
            column_code[column] |= static_cast<std::uint32_t>(used);
            n_cells += static_cast<std::size_t>(used);
        }
    }
    Table table;
    table.reserve(n_cells);
    for (std::size_t column = 0; column < width; ++column) {
        if (column_code[column] == 0) continue;
        column_code[column] = static_cast<std::uint32_t>(table.column_labels.size());
        table.column_labels.push_back(column);
    }
    for (std::size_t row = 0; row < height; ++row) {
        const std::size_t cells_before = table.counts.size();
        for (std::size_t column = 0; column < width; ++column) {
            const std::uint64_t count = dense[row * width + column];
            if (count > 0) table.add_cell(table.row_labels.size(), column_code[column], count);
        }
        if (table.counts.size() > cells_before) table.row_labels.push_back(row);
    }
    return table;
}

/// Groups the samples by row, then counts the columns of one row after the other.
template <class Checkpoint>
Table count_by_rows(const Codes& rows, const Codes& columns, const Checkpoint& checkpoint) {
    std::vector<std::size_t> start(rows.offsets.size() + 1, 0);
    for (const std::uint32_t row : rows.codes) ++start[row + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    checkpoint();
    std::vector<std::uint32_t> grouped(rows.codes.size());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < rows.codes.size(); ++i) grouped[next[rows.codes[i]]++] = columns.codes[i];
    checkpoint();

    Table table;
    std::vector<std::uint64_t> counts(columns.offsets.size(), 0);
    std::vector<std::uint32_t> touched;
    for (std::size_t row = 0; row < rows.offsets.size(); ++row) {
        if (row % 1024 == 0) checkpoint();
        touched.clear();
        for (std::size_t i = start[row]; i < start[row + 1]; ++i) {
            if (counts[grouped[i]]++ == 0) touched.push_back(grouped[i]);
        }
        std::sort(touched.begin(), touched.end());
        for (const std::uint32_t column : touched) {
            table.add_cell(row, column, std::exchange(counts[column], 0));
        }
    }
    return table;
}

/// The labels that offsets stand for.
template <class Rows, class Columns>
Table with_labels(Table table, const Rows& rows, const Columns& columns) {
    for (std::uint64_t& label : table.row_labels) label = rows.label(label);
    for (std::uint64_t& label : table.column_labels) label = columns.label(label);
    return table;
}

/// Whether a dense table of this many cells is worth its memory for this many samples.
inline bool dense_pays(std::uint64_t height, std::uint64_t width, std::size_t n_samples) noexcept {
    constexpr std::uint64_t most_cells = std::uint64_t{1} << 23;
    const std::uint64_t allowed = std::min<std::uint64_t>(most_cells, 4 * std::uint64_t{n_samples} + 256);
    return height <= allowed && width <= allowed / std::max<std::uint64_t>(height, 1);
}

template <class Checkpoint>
Table count_codes(const Codes& rows, const Codes& columns, const Checkpoint& checkpoint) {
    const std::size_t height = rows.offsets.size();
    const std::size_t width = columns.offsets.size();
    if (!dense_pays(height, width, rows.codes.size())) return count_by_rows(rows, columns, checkpoint);
    return compress(histogram(std::span(rows.codes), std::span(columns.codes), height, width, checkpoint), height,
                    width);
}

template <std::unsigned_integral U, std::unsigned_integral V, class Checkpoint>
Table count_offsets(const Offsets<U>& rows, const Offsets<V>& columns, const Checkpoint& checkpoint) {
    const std::uint64_t most = std::uint64_t{1} << 32;
    if (rows.highest < most && columns.highest < most &&
        dense_pays(rows.highest + 1, columns.highest + 1, rows.size())) {
        const std::size_t height = rows.highest + 1;
        const std::size_t width = columns.highest + 1;
        return compress(histogram(rows, columns, height, width, checkpoint), height, width);
    }
    const Codes row_codes = encode(rows, checkpoint);
    checkpoint();
    const Codes column_codes = encode(columns, checkpoint);
    checkpoint();
    Table table = count_codes(row_codes, column_codes, checkpoint);
    table.row_labels = row_codes.offsets;
    table.column_labels = column_codes.offsets;
    return table;
}

/// Counts in one pass, as if the first labels had the range of all; nothing, as soon as they turn out not to.
template <std::integral T, std::integral S, class Checkpoint>
std::optional<Table> count_at_once(std::span<const T> row_labels, std::span<const S> column_labels,
                                   const Checkpoint& checkpoint) {
    constexpr std::size_t first = std::size_t{1} << 13;
    if (row_labels.size() < 2 * first) return std::nullopt;
    const Range<T> row_range = range_of(row_labels.first(first));
    const Range<S> column_range = range_of(column_labels.first(first));
    const auto rows = offsets_of(row_labels, row_range);
    const auto columns = offsets_of(column_labels, column_range);
    if (rows.highest >= first || columns.highest >= first) return std::nullopt;
    const std::size_t height = rows.highest + 1;
    const std::size_t width = columns.highest + 1;
    if (!dense_pays(height, width, row_labels.size())) return std::nullopt;
    Histogram histogram(height, width);
    bool holds = true;
    in_blocks(row_labels.size(), checkpoint, [&](std::size_t start, std::size_t stop) {
        // while they are in the cache
        holds = holds && row_range.holds(range_of(row_labels.subspan(start, stop - start))) &&
                column_range.holds(range_of(column_labels.subspan(start, stop - start)));
        if (holds) histogram.add(rows, columns, start, stop);
    });
    if (!holds) return std::nullopt;
    return with_labels(compress(std::move(histogram).counts(), height, width), rows, columns);
}

/// Counts two labellings of equally many samples.
template <std::integral T, std::integral S, class Checkpoint>
Table count(std::span<const T> row_labels, std::span<const S> column_labels, const Checkpoint& checkpoint) {
    if (row_labels.empty()) return {};
    if (std::optional<Table> table = count_at_once(row_labels, column_labels, checkpoint)) return *std::move(table);
    const auto rows = offsets_of(row_labels);
    const auto columns = offsets_of(column_labels);
    return with_labels(count_offsets(rows, columns, checkpoint), rows, columns);
}

/// How many samples each cluster of one labelling has, in the order of the labels.
template <std::integral T, class Checkpoint>
std::vector<std::uint64_t> cluster_sizes(std::span<const T> labels, const Checkpoint& checkpoint) {
    const Codes codes = encode(offsets_of(labels), checkpoint);
    std::vector<std::uint64_t> sizes(codes.offsets.size(), 0);
    for (const std::uint32_t code : codes.codes) ++sizes[code];
    return sizes;
}

}  // namespace chanceless
