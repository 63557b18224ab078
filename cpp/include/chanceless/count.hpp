#pragma once

// Two labellings of the same samples -> their contingency table, or its spectrum.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "chanceless/dense.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/sparse.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Non-empty cells, row by row, columns ascending; and the labels that rows and columns stand for.
struct Table {
    std::vector<std::uint64_t> row_labels;
    std::vector<std::uint64_t> column_labels;
    std::vector<std::int64_t, LargePages<std::int64_t>> rows;
    std::vector<std::int64_t, LargePages<std::int64_t>> columns;
    std::vector<std::int64_t, LargePages<std::int64_t>> counts;
};

/// Two labellings with the ranges in which their labels (are supposed to) lie.
struct Pair {
    const Labels& rows;
    const Labels& columns;
    Range row_range;
    Range column_range;

    [[nodiscard]] std::size_t size() const noexcept { return rows.size; }
    [[nodiscard]] bool dense_pays() const noexcept { return chanceless::dense_pays(row_range, column_range, size()); }
};

/// Counts with a counter for each pair of labels and gives the table to `take`; nothing, if a label lies outside its
/// range.
template <class Result, class Take>
std::optional<Result> try_dense(const Pair& pair, const Crew& crew, const Pause& pause, const Take& take) {
    const Frame rows = frame_of(pair.row_range);
    const Frame columns = frame_of(pair.column_range);
    const unsigned bits = rows.bits + columns.bits;
    // A thread takes about as long to start as 100,000 samples take to be counted, and each has a table to add up at
    // the end.
    const std::size_t worthwhile = std::max<std::size_t>(1, std::min(4 * pair.size() >> bits, pair.size() >> 18));
    const auto n_members = static_cast<unsigned>(std::min<std::size_t>(crew.size(), worthwhile));
    const auto count = [&]<class Counter, class Index>(Counter, Index) -> std::optional<Result> {
        const Indices<Index> indices{pair.rows, pair.columns, rows, columns};
        if (const auto table = count_dense<Counter>(indices, n_members, pause)) return take(*table);
        return std::nullopt;
    };
    const auto with_counter = [&](auto counter) {
        return bits <= 16 ? count(counter, std::uint16_t{}) : count(counter, std::uint32_t{});
    };
    const bool few_samples = pair.size() <= std::numeric_limits<std::uint32_t>::max();
    return few_samples ? with_counter(std::uint32_t{}) : with_counter(std::uint64_t{});
}

/// Counts by sorting and gives the table to `take`.
template <class Take>
auto count_sparse(const Numbers& rows, const Numbers& columns, const Crew& crew, const Pause& pause, const Take& take) {
    const auto shape = shape_of<std::uint32_t>(rows, columns);
    constexpr unsigned bits = std::numeric_limits<std::uint32_t>::digits;
    if (shape.row_bits + shape.column_bits <= bits && rows.n_samples <= std::numeric_limits<std::uint32_t>::max()) {
        return take(SparseTable<std::uint32_t>(rows, columns, shape, crew.size(), pause));
    }
    const auto wide_shape = shape_of<std::uint64_t>(rows, columns);
    return take(SparseTable<std::uint64_t>(rows, columns, wide_shape, crew.size(), pause));
}

/// Counts labels that were numbered.
template <class Result, class Take>
Result count_numbered(const Numbered& rows, const Numbered& columns, const Crew& crew, const Pause& pause,
                      const Take& take) {
    const auto as_labels = [](const Numbers& numbers) {
        return labels_of<std::uint32_t>(numbers.numbers.get(), sizeof(std::uint32_t), numbers.n_samples);
    };
    const Labels row_labels = as_labels(rows.numbers);
    const Labels column_labels = as_labels(columns.numbers);
    const Pair pair{row_labels, column_labels, {0, rows.numbers.n_numbers - 1}, {0, columns.numbers.n_numbers - 1}};
    if (pair.dense_pays()) {
        if (auto result = try_dense<Result>(pair, crew, pause, take)) return *std::move(result);
    }
    return count_sparse(rows.numbers, columns.numbers, crew, pause, take);
}

/// Counts two labellings of equally many samples. `take` is called once, with the cells, with what turns their rows and
/// columns into labels, and with the threads it may use.
template <class Take>
auto count(const Labels& rows, const Labels& columns, const Pause& pause, const Take& take) {
    constexpr std::size_t samples_a_thread = std::size_t{1} << 17;
    const Crew crew(rows.size / samples_a_thread);
    const Helpers helpers{crew.size(), pause};
    const auto take_distances = [&](const Pair& pair) {
        return [&](const auto& cells) {
            return take(
                cells, [&](std::uint64_t row) { return pair.rows.label(pair.row_range.lowest, row); },
                [&](std::uint64_t column) { return pair.columns.label(pair.column_range.lowest, column); }, helpers);
        };
    };
    const Pair guess{rows, columns, sampled_range(rows), sampled_range(columns)};
    using Result = decltype(take_distances(guess)(std::declval<const DenseTable<std::uint32_t>&>()));
    if (guess.dense_pays()) {
        if (auto result = try_dense<Result>(guess, crew, pause, take_distances(guess))) return *std::move(result);
    }
    const Pair pair{rows, columns, range_of(rows, crew.size(), pause), range_of(columns, crew.size(), pause)};
    if (pair.dense_pays()) {
        if (auto result = try_dense<Result>(pair, crew, pause, take_distances(pair))) return *std::move(result);
        throw std::runtime_error("labels changed while they were counted");
    }
    const Numbered row_numbers = number(rows, pair.row_range, crew.size(), pause);
    const Numbered column_numbers = number(columns, pair.column_range, crew.size(), pause);
    return count_numbered<Result>(row_numbers, column_numbers, crew, pause, [&](const auto& cells) {
        return take(
            cells, [&](std::uint64_t row) { return rows.label(pair.row_range.lowest, row_numbers.distance(row)); },
            [&](std::uint64_t column) {
                return columns.label(pair.column_range.lowest, column_numbers.distance(column));
            },
            helpers);
    });
}

/// Numbers the entries that are not 0 from 0 on, and lists their labels.
template <class Label>
std::vector<std::uint64_t> number_used(Sizes& sizes, const Label& label) {
    std::vector<std::uint64_t> labels;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0) continue;
        sizes[i] = labels.size();
        labels.push_back(label(i));
    }
    return labels;
}

inline Table count_table(const Labels& rows, const Labels& columns, const Pause& pause) {
    if (rows.size == 0) return {};
    return count(rows, columns, pause,
                 [](const auto& cells, const auto& row_label, const auto& column_label, const Helpers& helpers) {
                     auto [row_codes, column_codes, n_cells] = margins_of(cells, helpers);
                     Table table;
                     table.row_labels = number_used(row_codes, row_label);
                     table.column_labels = number_used(column_codes, column_label);
                     // One more than there are: empty cells are written too, and overwritten by the next.
                     for (auto* list : {&table.rows, &table.columns, &table.counts}) list->resize(n_cells + 1);
                     std::size_t cell = 0;
                     const auto add = [&, rows = table.rows.data(), columns = table.columns.data(),
                                       counts = table.counts.data()](std::size_t row, std::size_t column,
                                                                     std::uint64_t samples) {
                         rows[cell] = static_cast<std::int64_t>(row_codes[row]);
                         columns[cell] = static_cast<std::int64_t>(column_codes[column]);
                         counts[cell] = static_cast<std::int64_t>(samples);
                         cell += static_cast<std::size_t>(samples != 0);
                     };
                     for (std::size_t part = 0; part < cells.n_parts(); ++part) {
                         if (part % 64 == 63) helpers.pause();
                         cells.for_each_cell(part, add);
                     }
                     for (auto* list : {&table.rows, &table.columns, &table.counts}) list->pop_back();
                     return table;
                 });
}

inline Spectrum count_spectrum(const Labels& rows, const Labels& columns, const Pause& pause) {
    if (rows.size == 0) return {};
    return count(rows, columns, pause, [](const auto& cells, const auto&, const auto&, const Helpers& helpers) {
        return summarise(cells, helpers);
    });
}

/// The spectrum of a clustering with itself.
inline Spectrum count_spectrum(const Labels& labels, const Pause& pause) {
    if (labels.size == 0) return {};
    const auto sizes_of = [](const auto& cells, const auto&, const auto&, const Helpers& helpers) {
        return margins_of(cells, helpers).row_sizes;
    };
    return summarise(count(labels, one_cluster(labels.size), pause, sizes_of));
}

}  // namespace chanceless
