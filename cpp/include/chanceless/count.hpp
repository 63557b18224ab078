#pragma once

// Two labellings of the same samples -> their contingency table, or its spectrum.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/dense.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/sparse.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

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

/// Two labellings with the (presumed) ranges of their labels.
struct LabelPair {
    const Labels& row_labels;
    const Labels& column_labels;
    Range row_range;
    Range column_range;

    [[nodiscard]] std::size_t size() const noexcept { return row_labels.size; }
    [[nodiscard]] bool dense_pays() const noexcept { return chanceless::dense_pays(row_range, column_range, size()); }
};

/// Counts with a counter for each pair of labels and passes the table to `take`; returns nullopt if a label lies
/// outside its range.
template <class Result, class Take>
std::optional<Result> try_dense(const LabelPair& pair, const Crew& crew, const CancellationCheck& check_cancelled,
                                const Take& take) {
    const Frame row_frame = frame_of(pair.row_range);
    const Frame column_frame = frame_of(pair.column_range);
    const unsigned bits = row_frame.bits + column_frame.bits;
    // To start a thread takes about as long as to count 100,000 samples, and each has a table to add at the end.
    const std::size_t worthwhile = std::max<std::size_t>(1, std::min(4 * pair.size() >> bits, pair.size() >> 18));
    const auto n_workers = static_cast<unsigned>(std::min<std::size_t>(crew.size(), worthwhile));
    const auto count = [&]<class Counter, class Index>(Counter, Index) -> std::optional<Result> {
        const Indices<Index> indices{pair.row_labels, pair.column_labels, row_frame, column_frame};
        if (const auto table = count_dense<Counter>(indices, n_workers, check_cancelled)) return take(*table);
        return std::nullopt;
    };
    const auto with_counter = [&](auto counter) {
        return bits <= 16 ? count(counter, std::uint16_t{}) : count(counter, std::uint32_t{});
    };
    const bool few_samples = pair.size() <= std::numeric_limits<std::uint32_t>::max();
    return few_samples ? with_counter(std::uint32_t{}) : with_counter(std::uint64_t{});
}

/// Counts by sorting and passes the table to `take`.
template <class Take>
auto count_sparse(const CodeArray& row_codes, const CodeArray& column_codes, const Crew& crew,
                  const CancellationCheck& check_cancelled, const Take& take) {
    const auto shape = shape_of<std::uint32_t>(row_codes, column_codes);
    constexpr std::uint64_t narrow = std::numeric_limits<std::uint32_t>::max();
    if (shape.row_bits + shape.column_bits <= 32 && row_codes.n_samples <= narrow) {
        return take(SparseTable<std::uint32_t>(row_codes, column_codes, shape, crew.size(), check_cancelled));
    }
    const auto wide_shape = shape_of<std::uint64_t>(row_codes, column_codes);
    return take(SparseTable<std::uint64_t>(row_codes, column_codes, wide_shape, crew.size(), check_cancelled));
}

/// Counts codes with a counter for each pair or by sorting, and passes the table to `take`.
template <class Result, class Take>
Result count_codes(const CodeArray& row_codes, const CodeArray& column_codes, const Crew& crew,
                   const CancellationCheck& check_cancelled, const Take& take) {
    const auto as_labels = [](const CodeArray& codes) {
        return labels_of<std::uint32_t>(codes.of_sample.get(), sizeof(std::uint32_t), codes.n_samples);
    };
    const Labels row_labels = as_labels(row_codes);
    const Labels column_labels = as_labels(column_codes);
    const LabelPair pair{row_labels, column_labels, {0, row_codes.n_codes - 1}, {0, column_codes.n_codes - 1}};
    if (pair.dense_pays()) {
        if (auto result = try_dense<Result>(pair, crew, check_cancelled, take)) return *std::move(result);
    }
    return count_sparse(row_codes, column_codes, crew, check_cancelled, take);
}

/// Counts two labellings of the same number of samples. Calls take(cells, row_label, column_label, workers) once, with
/// functions that return the label of a row or column, and the threads that it may use; returns its result.
template <class Take>
auto count(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled,
           const Take& take) {
    constexpr std::size_t samples_per_thread = std::size_t{1} << 17;
    const Crew crew(row_labels.size / samples_per_thread);
    const Workers workers{crew.size(), check_cancelled};
    const auto take_offsets = [&](const LabelPair& pair) {
        return [&](const auto& cells) {
            return take(
                cells, [&](std::uint64_t row) { return pair.row_labels.label(pair.row_range.lowest, row); },
                [&](std::uint64_t column) { return pair.column_labels.label(pair.column_range.lowest, column); },
                workers);
        };
    };
    const LabelPair guess{row_labels, column_labels, sampled_range(row_labels), sampled_range(column_labels)};
    using Result = decltype(take_offsets(guess)(std::declval<const DenseTable<std::uint32_t>&>()));
    if (guess.dense_pays()) {
        if (auto result = try_dense<Result>(guess, crew, check_cancelled, take_offsets(guess))) {
            return *std::move(result);
        }
    }
    const LabelPair pair{row_labels, column_labels, range_of(row_labels, crew.size(), check_cancelled),
                         range_of(column_labels, crew.size(), check_cancelled)};
    if (pair.dense_pays()) {
        if (auto result = try_dense<Result>(pair, crew, check_cancelled, take_offsets(pair))) return *std::move(result);
        throw std::runtime_error("labels changed while they were counted");
    }
    const Encoded rows = encode_in_range(row_labels, pair.row_range, crew.size(), check_cancelled);
    const Encoded columns = encode_in_range(column_labels, pair.column_range, crew.size(), check_cancelled);
    return count_codes<Result>(rows.codes, columns.codes, crew, check_cancelled, [&](const auto& cells) {
        return take(
            cells, [&](std::uint64_t row) { return row_labels.label(pair.row_range.lowest, rows.offset(row)); },
            [&](std::uint64_t column) { return column_labels.label(pair.column_range.lowest, columns.offset(column)); },
            workers);
    });
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
Table list_cells(const Cells& cells, const RowLabel& row_label, const ColumnLabel& column_label,
                 const Workers& workers) {
    Margins margins = margins_of(cells, workers);
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
        if (part % 64 == 63) workers.check_cancelled();
        cells.for_each_cell(part, add);
    }
    for (auto* list : {&table.row_codes, &table.column_codes, &table.counts}) list->pop_back();
    return table;
}

inline Table count_table(const Labels& row_labels, const Labels& column_labels,
                         const CancellationCheck& check_cancelled) {
    if (row_labels.size == 0) return {};
    return count(row_labels, column_labels, check_cancelled,
                 [](const auto& cells, const auto& row_label, const auto& column_label, const Workers& workers) {
                     return list_cells(cells, row_label, column_label, workers);
                 });
}

inline Spectrum count_spectrum(const Labels& row_labels, const Labels& column_labels,
                               const CancellationCheck& check_cancelled) {
    if (row_labels.size == 0) return {};
    return count(
        row_labels, column_labels, check_cancelled,
        [](const auto& cells, const auto&, const auto&, const Workers& workers) { return summarise(cells, workers); });
}

/// The spectrum of a clustering with itself.
inline Spectrum count_spectrum(const Labels& labels, const CancellationCheck& check_cancelled) {
    if (labels.size == 0) return {};
    const auto sizes_of = [](const auto& cells, const auto&, const auto&, const Workers& workers) {
        return margins_of(cells, workers).row_sizes;
    };
    return summarise(count(labels, one_cluster(labels.size), check_cancelled, sizes_of));
}

}  // namespace chanceless
