#include "counting/count.hpp"

#include <atomic>
#include <type_traits>

#include "counting/dense.hpp"
#include "counting/encode.hpp"
#include "counting/sparse.hpp"

namespace chanceless::counting {

namespace {

/// Labels with their range, or with one that is presumed.
struct RangedLabels {
    Labels labels;
    Range range;

    [[nodiscard]] bool lies_close() const noexcept { return lie_close(range, labels.size); }
    [[nodiscard]] std::uint64_t label(std::uint64_t offset) const noexcept {
        return labels.label(range.lowest, offset);
    }
};

/// The labels of the rows or of the columns. Labels that lie far apart are counted by their codes.
struct CountedLabels {
    RangedLabels given;
    Encoded encoded{};  // empty if the labels themselves are counted

    /// What is counted.
    [[nodiscard]] RangedLabels counted() const noexcept {
        const std::uint32_t* const codes = encoded.codes.of_sample.get();
        if (codes == nullptr) return given;
        return {labels_of<std::uint32_t>(codes, sizeof(std::uint32_t), given.labels.size),
                {0, encoded.codes.n_codes - 1}};
    }

    /// The label of a row or column that was counted.
    [[nodiscard]] std::uint64_t label(std::uint64_t place) const noexcept { return given.label(encoded.offset(place)); }
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
    const auto with = [&]<class Key, class Count>(Key, Count) -> std::optional<Result> {
        auto buckets = Buckets<Key, Count>::fill(rows.labels, row_frame, columns.labels, column_frame, crew);
        return buckets ? std::optional<Result>(take(*std::move(buckets))) : std::nullopt;
    };
    const std::size_t n_samples = rows.labels.size;
    if (n_samples >= std::size_t{1} << 30) return with(std::uint64_t{}, std::uint64_t{});
    const bool narrow = bucket_shape(row_frame, column_frame, n_samples).key_bits() < 32;
    return narrow ? with(std::uint32_t{}, std::uint32_t{}) : with(std::uint64_t{}, std::uint32_t{});
}

/// Counts labels that lie close together; returns nullopt if a label lies outside its range.
template <class Result, class Take>
std::optional<Result> try_count(CountedLabels& rows, CountedLabels& columns, const Crew& crew, const Take& take) {
    const RangedLabels counted_rows = rows.counted();
    const RangedLabels counted_columns = columns.counted();
    const auto take_cells = [&](auto&& cells) {
        for (CountedLabels* side : {&rows, &columns}) side->encoded.codes.of_sample.reset();  // cells need no codes
        return take(std::forward<decltype(cells)>(cells), rows, columns, crew);
    };
    return dense_pays(counted_rows.range, counted_columns.range, counted_rows.labels.size)
               ? try_dense<Result>(counted_rows, counted_columns, crew, take_cells)
               : try_sparse<Result>(counted_rows, counted_columns, crew, take_cells);
}

/// Encodes the sides whose labels lie far apart, both at the same time unless that takes much memory. Without labels,
/// codes cannot be decoded.
void encode_sides(CountedLabels& rows, CountedLabels& columns, bool with_labels, const Crew& crew) {
    constexpr std::size_t many_samples = std::size_t{1} << 21;
    const std::array<CountedLabels*, 2> sides{&rows, &columns};
    std::atomic<std::size_t> next{0};
    crew.together([&](unsigned worker, const CancellationCheck& check_cancelled) {
        if (worker > 0 && rows.given.labels.size > many_samples) return;
        for (std::size_t i = next++; i < sides.size(); i = next++) {
            auto& [given, encoded] = *sides[i];
            if (given.lies_close()) continue;
            encoded = encode_far(given.labels, given.range, check_cancelled);
            if (!with_labels) encoded.offsets.clear();
            encoded.offsets.shrink_to_fit();
        }
    });
}

/// One thread for each half millisecond of work: to start one takes up to a tenth of that.
std::size_t useful_threads(const RangedLabels& rows, const RangedLabels& columns) noexcept {
    const std::size_t n_samples = rows.labels.size;
    const std::uint64_t n_cells = std::uint64_t{1} << std::min(63U, bits_of(rows.range) + bits_of(columns.range));
    const bool dense = dense_pays(rows.range, columns.range, n_samples);
    const std::size_t nanoseconds = !dense ? 10 : n_cells > 8192 ? 4 : 1;
    return n_samples * nanoseconds / 500'000;
}

/// Counts two labellings of the same number of samples. Calls take(cells, rows, columns, crew) once, with the labels of
/// rows and columns, and the threads that it may use; returns its result. `cells` are a DenseTable or Buckets. Only
/// `with_labels` may `take` ask for labels.
template <class Take>
auto count(const Labels& row_labels, const Labels& column_labels, bool with_labels,
           const CancellationCheck& check_cancelled, const Take& take) {
    CountedLabels rows{{row_labels, sampled_range(row_labels)}};
    CountedLabels columns{{column_labels, sampled_range(column_labels)}};
    const Crew crew(useful_threads(rows.given, columns.given), check_cancelled);
    using Result = decltype(take(std::declval<const DenseTable<std::uint32_t>&>(), rows, columns, crew));
    if (dense_pays(rows.given.range, columns.given.range, row_labels.size)) {
        if (auto result = try_count<Result>(rows, columns, crew, take)) return *std::move(result);
    } else if (rows.given.lies_close() && columns.given.lies_close()) {
        rows.given.range = widened(rows.given.range, row_labels);
        columns.given.range = widened(columns.given.range, column_labels);
        if (auto result = try_count<Result>(rows, columns, crew, take)) return *std::move(result);
    }
    rows.given.range = range_of(row_labels, crew);
    columns.given.range = range_of(column_labels, crew);
    encode_sides(rows, columns, with_labels, crew);
    if (auto result = try_count<Result>(rows, columns, crew, take)) return *std::move(result);
    throw std::runtime_error("labels changed while they were counted");
}

/// Cells as `count` gives them, so that they can be visited row by row, columns ascending.
template <class Counter>
const DenseTable<Counter>& cells_in_order(const DenseTable<Counter>& cells, const Crew&) {
    return cells;
}
template <class Key, class Count>
SparseTable<Key> cells_in_order(Buckets<Key, Count>&& cells, const Crew& crew) {
    return SparseTable<Key>(std::move(cells), crew);
}

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

/// Replaces the sizes of non-empty clusters by codes 0, 1, ... and returns the label of each code.
std::vector<std::uint64_t> assign_codes(Sizes& sizes, const CountedLabels& side) {
    std::vector<std::uint64_t> labels;
    labels.reserve(sizes.size() - static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), 0U)));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0) continue;
        sizes[i] = labels.size();
        labels.push_back(side.label(i));
    }
    return labels;
}

/// Lists the non-empty cells.
template <class Cells>
Table list_cells(const Cells& cells, const CountedLabels& rows, const CountedLabels& columns, const Crew& crew) {
    Margins margins = margins_of(cells, crew);
    Table table;
    table.row_labels = assign_codes(margins.row_sizes, rows);
    table.column_labels = assign_codes(margins.column_sizes, columns);
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

}  // namespace

Table count_table(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled) {
    if (row_labels.size == 0) return {};
    return count(row_labels, column_labels, true, check_cancelled,
                 [](auto&& cells, const CountedLabels& rows, const CountedLabels& columns, const Crew& crew) {
                     return list_cells(cells_in_order(std::forward<decltype(cells)>(cells), crew), rows, columns, crew);
                 });
}

Spectrum count_spectrum(const Labels& row_labels, const Labels& column_labels, const CancellationCheck& check_cancelled,
                        bool with_overlaps) {
    if (row_labels.size == 0) return {};
    if (with_overlaps)
        return count(row_labels, column_labels, false, check_cancelled,
                     [](auto&& cells, const CountedLabels&, const CountedLabels&, const Crew& crew) {
                         return summarise(cells_in_order(std::forward<decltype(cells)>(cells), crew), crew, true);
                     });
    if (auto small = SmallTable::count(row_labels, column_labels)) return *std::move(small);
    return count(row_labels, column_labels, false, check_cancelled,
                 [](const auto& cells, const CountedLabels&, const CountedLabels&, const Crew& crew) {
                     return summarise(cells, crew);
                 });
}

Spectrum count_spectrum(const Labels& labels, const CancellationCheck& check_cancelled) {
    return with_itself(count_spectrum(labels, one_cluster(labels.size), check_cancelled).rows);
}

Spectrum count_kept(const Labels& row_codes, std::uint64_t n_rows, const Labels& column_codes, std::uint64_t n_columns,
                    const CancellationCheck& check_cancelled, bool with_overlaps) {
    return count(row_codes, column_codes, true, check_cancelled,
                 [&](auto&& cells, const CountedLabels& rows, const CountedLabels& columns, const Crew& crew) {
                     const auto keep = [&](std::size_t row, std::size_t column) {
                         return rows.label(row) < n_rows && columns.label(column) < n_columns;
                     };
                     const auto& all = cells_in_order(std::forward<decltype(cells)>(cells), crew);
                     return summarise(FilteredCells<std::remove_cvref_t<decltype(all)>, decltype(keep)>{all, keep},
                                      crew, with_overlaps);
                 });
}

}  // namespace chanceless::counting
