#pragma once

// Two labellings of the same samples -> their contingency table, or its spectrum.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "base/memory.hpp"
#include "base/threads.hpp"
#include "counting/buckets.hpp"
#include "counting/dense.hpp"
#include "counting/encode.hpp"
#include "counting/labels.hpp"
#include "counting/sparse.hpp"
#include "counting/spectrum.hpp"

namespace chanceless::counting {

using base::CancellationCheck, base::Crew, base::LargePageAllocator;

/// The label of each row and column, and the non-empty cells, row by row, columns ascending: the code of a cell's row,
/// the code of its column and its count.
struct Table {
    using Integers = std::vector<std::int64_t, LargePageAllocator<std::int64_t>>;

    std::vector<std::uint64_t> row_labels;
    std::vector<std::uint64_t> column_labels;
    Integers row_codes;
    Integers column_codes;
    Integers counts;
};

/// Labels with their range, or with one that is presumed.
struct RangedLabels {
    Labels labels;
    Range range;

    [[nodiscard]] bool lies_close() const noexcept { return lie_close(range, labels.size); }
    [[nodiscard]] std::uint64_t label(std::uint64_t offset) const noexcept {
        return labels.label(range.lowest, offset);
    }
};

/// Counts with a counter for each pair of labels and passes the table to `take`; returns nullopt if a label lies
/// outside its range.
template <class Result, class Take>
std::optional<Result> try_dense(const RangedLabels& rows, const RangedLabels& columns, const Crew& crew,
                                const Take& take) {
    const Indices indices{rows.labels, columns.labels, frame_of(rows.range), frame_of(columns.range)};
    const std::size_t n_samples = rows.labels.size;
    const unsigned bits = indices.bits();
    const std::size_t n_cells = std::size_t{1} << bits;
    // Each worker has a table to zero and to add up.
    const std::size_t most_workers = std::max<std::size_t>(1, 4 * n_samples / n_cells);
    const auto count = [&]<class Counter, class Index>(Counter, Index) -> std::optional<Result> {
        if (const auto table = count_dense<Counter, Index>(indices, most_workers, crew)) return take(*table);
        return std::nullopt;
    };
    const auto with_counter = [&](auto counter) {
        return bits <= 16 ? count(counter, std::uint16_t{}) : count(counter, std::uint32_t{});
    };
    if (n_samples > std::numeric_limits<std::uint32_t>::max()) return with_counter(std::uint64_t{});
    // Counters of a byte keep a larger table in the cache; where they would carry often, they are not worth it.
    return n_cells <= 32768 || n_samples / 256 > n_cells ? with_counter(std::uint32_t{})
                                                         : count(std::uint8_t{}, std::uint32_t{});
}

/// Collects the samples in buckets and passes these to `take`; returns nullopt if a label lies outside its range.
template <class Result, class Take>
std::optional<Result> try_sparse(const RangedLabels& rows, const RangedLabels& columns, const Crew& crew,
                                 const Take& take) {
    const Frame row_frame = frame_of(rows.range);
    const Frame column_frame = frame_of(columns.range);
    const auto with_word = [&]<class Word>(Word) -> std::optional<Result> {
        const auto buckets = Buckets<Word>::fill(rows.labels, row_frame, columns.labels, column_frame, crew);
        return buckets ? std::optional<Result>(take(*buckets)) : std::nullopt;
    };
    const std::size_t n_samples = rows.labels.size;
    const bool narrow =
        n_samples < std::size_t{1} << 30 && bucket_shape(row_frame, column_frame, n_samples).key_bits() < 32;
    return narrow ? with_word(std::uint32_t{}) : with_word(std::uint64_t{});
}

/// Counts labels that lie close together; returns nullopt if a label lies outside its range.
template <class Result, class Take>
std::optional<Result> try_count(const RangedLabels& rows, const RangedLabels& columns, const Crew& crew,
                                const Take& take) {
    const auto take_labels = [&](const auto& cells) {
        return take(
            cells, [&](std::uint64_t row) { return rows.label(row); },
            [&](std::uint64_t column) { return columns.label(column); }, crew);
    };
    if (dense_pays(rows.range, columns.range, rows.labels.size))
        return try_dense<Result>(rows, columns, crew, take_labels);
    return try_sparse<Result>(rows, columns, crew, take_labels);
}

/// Encodes the sides whose labels lie far apart, both at the same time unless that takes much memory. Without labels,
/// codes cannot be decoded.
template <bool WithLabels>
std::array<Encoded, 2> encode_sides(const RangedLabels& rows, const RangedLabels& columns, const Crew& crew) {
    constexpr std::size_t many_samples = std::size_t{1} << 21;
    const std::array<const RangedLabels*, 2> sides{&rows, &columns};
    std::array<Encoded, 2> encoded;
    std::atomic<std::size_t> next{0};
    const auto encode_next = [&](unsigned worker, const CancellationCheck& check_cancelled) {
        if (worker > 0 && rows.labels.size > many_samples) return;
        for (std::size_t side = next++; side < sides.size(); side = next++) {
            const auto& [labels, range] = *sides[side];
            if (sides[side]->lies_close()) continue;
            encoded[side] = encode_far(labels, range, check_cancelled);
            if constexpr (!WithLabels) std::vector<std::uint64_t>().swap(encoded[side].offsets);
        }
    };
    crew.together(encode_next);
    return encoded;
}

/// Counts labels that may lie far apart: replaces those by codes.
template <bool WithLabels, class Result, class Take>
std::optional<Result> count_far(const RangedLabels& rows, const RangedLabels& columns, const Crew& crew,
                                const Take& take) {
    const auto counted_labels = [](const RangedLabels& side, const Encoded& codes) -> RangedLabels {
        const std::uint32_t* const data = codes.codes.of_sample.get();
        if (data == nullptr) return side;
        return {labels_of<std::uint32_t>(data, sizeof(std::uint32_t), side.labels.size), {0, codes.codes.n_codes - 1}};
    };
    const auto label_of = [](const RangedLabels& side, const Encoded& codes, std::uint64_t counted) {
        return codes.codes.of_sample == nullptr ? counted : side.label(codes.offset(counted));
    };
    const std::array<Encoded, 2> encoded = encode_sides<WithLabels>(rows, columns, crew);
    const Encoded& row_codes = encoded[0];
    const Encoded& column_codes = encoded[1];
    const auto take_labels = [&](const auto& cells, const auto& row_label, const auto& column_label, const Crew&) {
        return take(
            cells, [&](std::uint64_t row) { return label_of(rows, row_codes, row_label(row)); },
            [&](std::uint64_t column) { return label_of(columns, column_codes, column_label(column)); }, crew);
    };
    return try_count<Result>(counted_labels(rows, row_codes), counted_labels(columns, column_codes), crew, take_labels);
}

/// One thread for each half millisecond of work: to start one takes up to a tenth of that.
inline std::size_t useful_threads(const RangedLabels& rows, const RangedLabels& columns) noexcept {
    const std::size_t n_samples = rows.labels.size;
    const std::size_t n_cells = std::size_t{1} << std::min(63U, bits_of(rows.range) + bits_of(columns.range));
    const bool dense = dense_pays(rows.range, columns.range, n_samples);
    const std::size_t nanoseconds = !dense ? 10 : n_cells > 8192 ? 4 : 1;
    return n_samples * nanoseconds / 500'000;
}

/// Counts two labellings of the same number of samples. Calls take(cells, row_label, column_label, crew) once, with
/// functions that return the label of a row or column, and the threads that it may use; returns its result. `cells` are
/// a DenseTable or Buckets. Only with labels may `take` call these functions.
template <bool WithLabels, class Take>
auto count(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled,
           const Take& take) {
    const RangedLabels rows{row_labels, sampled_range(row_labels)};
    const RangedLabels columns{column_labels, sampled_range(column_labels)};
    const Crew crew(useful_threads(rows, columns), check_cancelled);
    const auto no_label = [](std::uint64_t) { return std::uint64_t{0}; };
    using Result = decltype(take(std::declval<const DenseTable<std::uint32_t>&>(), no_label, no_label, crew));
    if (dense_pays(rows.range, columns.range, row_labels.size)) {
        if (auto result = try_count<Result>(rows, columns, crew, take)) return *std::move(result);
    } else if (rows.lies_close() && columns.lies_close()) {
        const RangedLabels more_rows{row_labels, widened(rows.range, row_labels)};
        const RangedLabels more_columns{column_labels, widened(columns.range, column_labels)};
        if (auto result = try_count<Result>(more_rows, more_columns, crew, take)) return *std::move(result);
    }
    const RangedLabels all_rows{row_labels, range_of(row_labels, crew)};
    const RangedLabels all_columns{column_labels, range_of(column_labels, crew)};
    if (auto result = count_far<WithLabels, Result>(all_rows, all_columns, crew, take)) return *std::move(result);
    throw std::runtime_error("labels changed while they were counted");
}

/// Cells as `count` gives them, so that they can be visited row by row, columns ascending.
template <class Counter>
const DenseTable<Counter>& in_order(const DenseTable<Counter>& cells, const Crew&) {
    return cells;
}
template <class Word>
SparseTable<Word> in_order(const Buckets<Word>& cells, const Crew& crew) {
    return SparseTable<Word>(cells, crew);
}

/// Replaces the sizes of non-empty clusters by codes 0, 1, ... and returns the label of each code.
template <class Label>
std::vector<std::uint64_t> assign_codes(Sizes& sizes, const Label& label) {
    std::vector<std::uint64_t> labels;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0) continue;
        sizes[i] = labels.size();
        labels.push_back(label(i));
    }
    return labels;
}

/// Lists the non-empty cells.
template <class Cells, class RowLabel, class ColumnLabel>
Table list_cells(const Cells& cells, const RowLabel& row_label, const ColumnLabel& column_label, const Crew& crew) {
    Margins margins = margins_of(cells, crew);
    Table table;
    table.row_labels = assign_codes(margins.row_sizes, row_label);
    table.column_labels = assign_codes(margins.column_sizes, column_label);
    // One entry too many: empty cells are written as well, and overwritten by the next cell.
    for (auto* list : {&table.row_codes, &table.column_codes, &table.counts}) list->resize(margins.n_cells + 1);
    std::size_t cell = 0;
    const auto add = [&cell, row_code = margins.row_sizes.data(), column_code = margins.column_sizes.data(),
                      row_codes = table.row_codes.data(), column_codes = table.column_codes.data(),
                      counts = table.counts.data()](std::size_t row, std::size_t column, std::uint64_t count) {
        row_codes[cell] = static_cast<std::int64_t>(row_code[row]);
        column_codes[cell] = static_cast<std::int64_t>(column_code[column]);
        counts[cell] = static_cast<std::int64_t>(count);
        cell += static_cast<std::size_t>(count != 0);
    };
    for (std::size_t part = 0; part < cells.n_parts(); ++part) {
        if (part % 64 == 63) crew.check_cancelled()();
        cells.for_each_cell(part, add);
    }
    for (auto* list : {&table.row_codes, &table.column_codes, &table.counts}) list->pop_back();
    return table;
}

inline Table count_table(const Labels& row_labels, const Labels& column_labels,
                         const CancellationCheck& check_cancelled) {
    if (row_labels.size == 0) return {};
    return count<true>(row_labels, column_labels, check_cancelled,
                       [](const auto& cells, const auto& row_label, const auto& column_label, const Crew& crew) {
                           return list_cells(in_order(cells, crew), row_label, column_label, crew);
                       });
}

inline Spectrum count_spectrum(const Labels& row_labels, const Labels& column_labels,
                               const CancellationCheck& check_cancelled) {
    if (row_labels.size == 0) return {};
    if (auto small = SmallTable::count(row_labels, column_labels)) return *std::move(small);
    return count<false>(
        row_labels, column_labels, check_cancelled,
        [](const auto& cells, const auto&, const auto&, const Crew& crew) { return summarise(cells, crew); });
}

/// The spectrum of a clustering with itself.
inline Spectrum count_spectrum(const Labels& labels, const CancellationCheck& check_cancelled) {
    return with_itself(count_spectrum(labels, one_cluster(labels.size), check_cancelled).rows);
}

}  // namespace chanceless::counting
