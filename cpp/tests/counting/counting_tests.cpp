// Every way to count, against std::sort.

#include <thread>
#include <tuple>
#include <type_traits>

#include "counting/dense.hpp"
#include "counting/encode.hpp"
#include "counting/sparse.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace counting;

Table table_of(const Labels& row_labels, const Labels& column_labels) {
    return count_table(row_labels, column_labels, never_cancelled);
}

namespace {

template <class T>
void encode_one(const std::vector<T>& labels) {
    const LabelCodes codes = encode(view(labels), never_cancelled);
    bool same = codes.codes.size() == labels.size();
    for (std::size_t i = 0; same && i < labels.size(); ++i) {
        same = static_cast<T>(codes.labels[codes.codes[i]]) == labels[i];
    }
    bool ascending = true;
    for (std::size_t i = 1; i < codes.labels.size(); ++i) {
        ascending = ascending && static_cast<T>(codes.labels[i - 1]) < static_cast<T>(codes.labels[i]);
    }
    CHECK(same);
    CHECK(ascending);
}

template <class T>
void labels_of_type() {
    const T lowest = std::numeric_limits<T>::min();
    const T highest = std::numeric_limits<T>::max();
    encode_one<T>({});
    encode_one<T>({5});
    encode_one<T>({lowest, highest, 0, 1, highest, lowest});
    encode_one<T>({3, 1, 2, 3, 3});
    const Table table = count_of<T>({lowest, highest, highest, 0}, {1, 1, 1, highest});
    CHECK(table.counts.size() == 3);
    CHECK(static_cast<T>(table.row_labels.back()) == highest);
    CHECK(static_cast<T>(table.column_labels.front()) == 1);
}

void labels_of_every_type() {
    labels_of_type<std::int8_t>();
    labels_of_type<std::int16_t>();
    labels_of_type<std::int32_t>();
    labels_of_type<std::int64_t>();
    labels_of_type<std::uint8_t>();
    labels_of_type<std::uint16_t>();
    labels_of_type<std::uint32_t>();
    labels_of_type<std::uint64_t>();
}

/// The cells of two labellings, sorted: row label, column label and count.
template <class T>
std::vector<std::tuple<T, T, std::int64_t>> cells_by_sorting(const std::vector<T>& rows,
                                                             const std::vector<T>& columns) {
    std::vector<std::pair<T, T>> pairs;
    for (std::size_t i = 0; i < rows.size(); ++i) pairs.emplace_back(rows[i], columns[i]);
    std::sort(pairs.begin(), pairs.end());
    std::vector<std::tuple<T, T, std::int64_t>> cells;
    for (std::size_t i = 0, start = 0; i < pairs.size(); ++i) {
        if (i + 1 < pairs.size() && pairs[i + 1] == pairs[i]) continue;
        cells.emplace_back(pairs[i].first, pairs[i].second, static_cast<std::int64_t>(i + 1 - start));
        start = i + 1;
    }
    return cells;
}

/// The table of labels that are codes.
Table table_by_sorting(const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns) {
    Table table;
    table.row_labels.resize(static_cast<std::size_t>(*std::max_element(rows.begin(), rows.end())) + 1);
    table.column_labels.resize(static_cast<std::size_t>(*std::max_element(columns.begin(), columns.end())) + 1);
    for (const auto& [row, column, count] : cells_by_sorting(rows, columns)) {
        table.row_codes.push_back(row);
        table.column_codes.push_back(column);
        table.counts.push_back(count);
    }
    return table;
}

template <class T>
bool same_cells(const Table& table, const std::vector<std::tuple<T, T, std::int64_t>>& expected) {
    if (table.counts.size() != expected.size()) return false;
    for (std::size_t cell = 0; cell < expected.size(); ++cell) {
        const auto row = static_cast<T>(table.row_labels[static_cast<std::size_t>(table.row_codes[cell])]);
        const auto column = static_cast<T>(table.column_labels[static_cast<std::size_t>(table.column_codes[cell])]);
        if (expected[cell] != std::tuple(row, column, table.counts[cell])) return false;
    }
    return true;
}

/// Counts with one thread and with three, labels adjacent and two steps apart.
void counting(std::int64_t clusters, std::int64_t spread, std::size_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(clusters));
    std::uniform_int_distribution<std::int64_t> draw(0, clusters - 1);
    std::vector<std::int64_t> rows(n), columns(n), far_apart(2 * n, 77);
    for (std::size_t i = 0; i < n; ++i) {
        rows[i] = spread * draw(random) - clusters;
        columns[i] = spread * draw(random);
        far_apart[2 * i] = rows[i];
    }
    const auto expected = cells_by_sorting(rows, columns);
    const Labels apart = labels_of<std::int64_t>(far_apart.data(), 2 * sizeof(std::int64_t), n);
    for (const char* threads : {"1", "3"}) {
        const EnvironmentVariable allowed("CHANCELESS_THREADS", threads);
        const Table table = count_of(rows, columns);
        CHECK(same_cells(table, expected));
        CHECK(same_cells(table_of(apart, view(columns)), expected));
        CHECK(count_spectrum(view(rows), view(columns), never_cancelled) == spectrum_of(table));
        CHECK(count_spectrum(view(rows), view(columns), never_cancelled, true) == spectrum_of(table, true));
        CHECK(count_spectrum(view(rows), never_cancelled) ==
              count_spectrum(view(rows), view(rows), never_cancelled, true));
    }
}

/// Every counter of dense tables and every kind of bucket, those that 2^32 samples would need among them, with stores
/// past the cache and without.
void every_counter(std::size_t n, std::uint64_t n_rows, std::uint64_t n_columns) {
    const EnvironmentVariable allowed("CHANCELESS_THREADS", "3");
    std::mt19937_64 random(n);
    std::vector<std::int32_t> rows(n), columns(n);
    for (std::size_t i = 0; i < n; ++i) {
        rows[i] = static_cast<std::int32_t>(random() % n_rows);
        columns[i] = static_cast<std::int32_t>(random() % 2 == 0 ? random() % n_columns : n_columns / 2);
    }
    const Labels a = view(rows);
    const Labels b = view(columns);
    const std::uint64_t lowest = std::uint64_t{1} << 63;
    const Frame row_frame = frame_of({lowest, lowest + n_rows - 1});
    const Frame column_frame = frame_of({lowest, lowest + n_columns - 1});
    const Spectrum expected = spectrum_of(table_by_sorting(rows, columns));
    for (const std::size_t n_workers : {1U, 3U}) {
        const Crew crew(n_workers, never_cancelled);
        const auto dense = [&]<class Counter, class Index>(Counter, Index) {
            const Indices indices{a, b, row_frame, column_frame};
            if (indices.bits() > 8 * sizeof(Index)) return;
            CHECK(summarise(*count_dense<Counter, Index>(indices, n_workers, crew), crew) == expected);
        };
        const auto of_index = [&](auto index) {
            dense(std::uint8_t{}, index);
            dense(std::uint32_t{}, index);
            dense(std::uint64_t{}, index);
        };
        of_index(std::uint16_t{});
        of_index(std::uint32_t{});
        const auto sparse = [&](const auto& buckets) {
            CHECK(summarise(*buckets, crew) == expected);
            CHECK((summarise_buckets<uint128>(*buckets, crew)) == expected);  // marks of the first visit are gone
        };
        sparse(Buckets<std::uint32_t>::fill(a, row_frame, b, column_frame, crew));
        sparse(Buckets<std::uint64_t>::fill(a, row_frame, b, column_frame, crew));
        sparse(Buckets<std::uint64_t, std::uint32_t>::fill(a, row_frame, b, column_frame, crew));
        sparse(Buckets<std::uint32_t, std::uint32_t, false>::fill(a, row_frame, b, column_frame, crew));
        sparse(Buckets<std::uint64_t, std::uint32_t, false>::fill(a, row_frame, b, column_frame, crew));
        CHECK(summarise(
                  SparseTable<std::uint64_t>(*Buckets<std::uint64_t>::fill(a, row_frame, b, column_frame, crew), crew),
                  crew) == expected);
    }
}

/// Many labels far apart: spread evenly, in a narrow band with some far outside, in several bands, of all magnitudes.
template <class T>
void labels_far_apart() {
    using U = std::make_unsigned_t<T>;
    constexpr std::size_t n = 60'000;
    constexpr int n_bits = std::numeric_limits<U>::digits;
    std::mt19937_64 random(3);
    const auto encode_drawn = [&](const auto& draw) {
        std::vector<T> labels(n);
        for (T& label : labels) label = static_cast<T>(static_cast<U>(draw()));
        encode_one(labels);
        std::vector<T> others = labels;
        for (std::size_t i = 0; i < n; i += 3) others[i] = labels[random() % n];
        const auto expected = cells_by_sorting(labels, others);
        const Table table = count_of(labels, others);
        CHECK(same_cells(table, expected));
        CHECK(count_spectrum(view(labels), view(others), never_cancelled) == spectrum_of(table));
    };
    const U band = static_cast<U>(U{1} << (n_bits - 3));
    encode_drawn([&] { return random(); });
    encode_drawn([&] { return random() % 100 == 0 ? ~U{0} : static_cast<U>(band + random() % 40'000); });
    encode_drawn([&] { return random() % 500 == 0 ? random() : band + random() % 40'000; });
    encode_drawn([&] { return random() % 2 == 0 ? random() % 20'000 : band + random() % 20'000; });
    encode_drawn([&] { return random() >> (random() % 64); });
    encode_drawn([&] { return (random() % 30'000) << (n_bits - 15); });
}

/// Random labels of a type, with one thread and with two.
template <class T>
void random_bytes(std::mt19937_64& random) {
    for (const std::size_t n : {1U, 7U, 100U, 5000U, 300'000U}) {
        std::vector<T> rows(n), columns(n);
        const auto some = static_cast<T>(random());
        const bool wild = random() % 2 == 0;
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = wild ? static_cast<T>(random()) : static_cast<T>(some + static_cast<T>(random() % 50));
            columns[i] = static_cast<T>(random() % (1 + random() % 1000));
        }
        const auto expected = cells_by_sorting(rows, columns);
        for (const char* threads : {"1", "2"}) {
            const EnvironmentVariable allowed("CHANCELESS_THREADS", threads);
            const Table table = count_of(rows, columns);
            CHECK(same_cells(table, expected));
            CHECK(count_spectrum(view(rows), view(columns), never_cancelled) == spectrum_of(table));
        }
        encode_one(rows);
    }
}

void random_bytes_of_every_type() {
    std::mt19937_64 random(11);
    random_bytes<std::int8_t>(random);
    random_bytes<std::int16_t>(random);
    random_bytes<std::int32_t>(random);
    random_bytes<std::int64_t>(random);
    random_bytes<std::uint8_t>(random);
    random_bytes<std::uint16_t>(random);
    random_bytes<std::uint32_t>(random);
    random_bytes<std::uint64_t>(random);
}

/// Eight threads that count concurrently share the allowed number of threads, and agree.
void concurrent_counting() {
    const EnvironmentVariable allowed("CHANCELESS_THREADS", "4");
    std::vector<std::int16_t> labels(600'000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int16_t>(i * i % 7);
    const Spectrum expected = count_spectrum(view(labels), view(labels), never_cancelled);
    std::vector<Spectrum> found(8);
    std::vector<std::thread> threads;
    for (Spectrum& spectrum : found) {
        threads.emplace_back([&] { spectrum = count_spectrum(view(labels), view(labels), never_cancelled); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Spectrum& spectrum : found) CHECK(spectrum == expected);
}

/// Cells in any order, repeated and empty ones among them; codes out of range are refused.
void merging_cells() {
    const std::vector<std::int64_t> rows{2, 0, 2, 1, 0, 2}, columns{1, 0, 1, 1, 0, 0}, counts{4, 1, 3, 0, 5, 2};
    for (const std::size_t width : {std::size_t{2}, std::size_t{1} << 30}) {  // dense, sorted: 4 * 2^30 is 2^32
        const CellLists merged = merge_cells(ListedCells{rows, columns, counts, 4, width}, never_cancelled);
        CHECK(merged.row_codes == (CellLists::Integers{0, 2, 2}));
        CHECK(merged.column_codes == (CellLists::Integers{0, 0, 1}));
        CHECK(merged.counts == (CellLists::Integers{6, 2, 7}));
    }
    const std::vector<std::int64_t> negative{0, 0, -1, 0, 0, 0}, far{0, 0, std::int64_t{1} << 32, 0, 0, 0};
    const auto merge = [&](const auto& a, const auto& b, std::size_t height) {
        return [&, height] { merge_cells(ListedCells{a, b, counts, height, 2}, never_cancelled); };
    };
    CHECK(throws<std::invalid_argument>(merge(rows, columns, 2)));
    CHECK(throws<std::invalid_argument>(merge(rows, negative, 3)));
    CHECK(throws<std::invalid_argument>(merge(rows, far, 3)));
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK(sizeof(most) == 4 || throws<std::invalid_argument>([&] {
              merge_cells(ListedCells{rows, columns, counts, most, most}, never_cancelled);
          }));
    CHECK(throws<std::invalid_argument>(
        [&] { summarise(ListedCells{rows, columns, counts, 2, 2}, {1, never_cancelled}); }));
    CHECK(merge_cells(ListedCells{{}, {}, {}, 0, 0}, never_cancelled).counts.empty());
}

/// Long lists of cells are cancelled at the next check, in every step.
void cancelled_cells() {
    constexpr std::int64_t n = 200'000;
    std::vector<std::int64_t> rows, columns, counts;
    for (std::int64_t i = 0; i < n; ++i) {
        rows.push_back((i * 7919) % n);
        columns.push_back((i * 104'729) % n);
        counts.push_back(5000 + i);
    }
    const ListedCells cells{rows, columns, counts, n, n};
    for (const bool merge : {true, false}) {
        int n_checks = 0;
        const auto run = [&](const CancellationCheck& check) {
            if (merge) {
                merge_cells(cells, check);
            } else {
                summarise(cells, {1, check});
            }
        };
        run([&] { ++n_checks; });
        CHECK(n_checks > 6);
        for (int last = 0; last < n_checks; ++last) {
            int left = last;
            CHECK(throws<std::runtime_error>([&] {
                run([&] {
                    if (left-- == 0) throw std::runtime_error("cancelled");
                });
            }));
        }
    }
}

/// Labels outside the range of the first labels, at every position where blocks meet.
void labels_out_of_range() {
    const std::size_t n = 40'000;
    for (const std::size_t place :
         {std::size_t{8191}, std::size_t{8192}, std::size_t{16383}, std::size_t{16384}, n - 1}) {
        std::vector<std::int16_t> rows(n, 3), columns(n, -2);
        rows[place] = std::numeric_limits<std::int16_t>::min();
        columns[place] = std::numeric_limits<std::int16_t>::max();
        const Table table = count_of(rows, columns);
        CHECK(table.counts.size() == 2);
        CHECK(table.counts[0] == 1 && table.counts[1] == static_cast<std::int64_t>(n) - 1);
        CHECK(static_cast<std::int16_t>(table.row_labels[0]) == rows[place]);
        CHECK(static_cast<std::int16_t>(table.column_labels[1]) == columns[place]);
    }
}

/// A check that throws cancels all threads. The caller checks before each of its chunks but the first of all: if others
/// take all that are left, it need not check at all, which does not happen time and again.
void cancelled_counting() {
    const EnvironmentVariable allowed("CHANCELESS_THREADS", "2");
    std::vector<std::int64_t> labels(800'000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i);
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    for (const std::int64_t clusters : {400'000, 3}) {
        for (std::int64_t& label : labels) label %= clusters;
        bool is_cancelled = false;
        for (int attempt = 0; attempt < 20 && !is_cancelled; ++attempt) {
            is_cancelled = throws<std::runtime_error>([&] { count_spectrum(view(labels), view(labels), cancel); });
        }
        CHECK(is_cancelled);
    }
}

/// Tables on the stack, and those that are a little too large for it.
template <class T>
void small_tables() {
    std::mt19937 random(1);
    const auto random_labels = [&](std::size_t n, int n_clusters) {
        std::uniform_int_distribution<int> label(0, n_clusters - 1);
        std::vector<T> labels(n);
        for (T& one : labels) one = static_cast<T>(label(random) - n_clusters / 2);
        return labels;
    };
    for (const std::size_t n : {1U, 2U, 64U, 100U, 1000U, 4095U, 4096U, 4097U}) {
        for (const int n_rows : {1, 2, 9, 64, 65, 127}) {
            for (const int n_columns : {1, 3, 64, 100}) {
                const std::vector<T> rows = random_labels(n, n_rows), columns = random_labels(n, n_columns);
                const Spectrum expected = spectrum_of(count_of(rows, columns));
                CHECK(count_spectrum(view(rows), view(columns), never_cancelled) == expected);
                CHECK(count_spectrum(view(rows), view(rows), never_cancelled) == spectrum_of(count_of(rows, rows)));
            }
        }
    }
}

/// As many rows as a table on the stack may have, and one more; labels as far apart as there are.
void long_tables() {
    std::vector<std::int64_t> rows(4096), columns(4096, -7);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    for (const std::int64_t last : {std::int64_t{4095}, std::int64_t{4096}, std::numeric_limits<std::int64_t>::max()}) {
        rows.back() = last;
        CHECK(SmallTable::count(view(rows), view(columns)).has_value() == (last == 4095));
        CHECK(count_spectrum(view(rows), view(columns), never_cancelled) == spectrum_of(count_of(rows, columns)));
        CHECK(count_spectrum(view(columns), view(rows), never_cancelled) == spectrum_of(count_of(columns, rows)));
    }
}

const TestGroup these_tests("counting", [] {
    small_tables<std::int8_t>();
    small_tables<std::int64_t>();
    small_tables<std::uint16_t>();
    long_tables();
    labels_of_every_type();
    counting(3, 1, 1000);          // dense, private tables
    counting(60, 1, 20000);        // dense, one table
    counting(3, 1'000'000, 1000);  // far apart: hashed, then dense
    counting(5000, 1, 20000);      // too many cells for a dense table: sorted
    counting(5000, 1'000'000, 20000);
    counting(30, 1, 800'000);  // several threads
    counting(100'000, 1, 400'000);
    counting(100'000, 1'000'000'007, 400'000);  // both sides are encoded at the same time
    every_counter(6, 4, 3);
    every_counter(3000, 1, 1);
    every_counter(3000, 1, 2000);  // one bucket for all
    every_counter(3000, 2000, 1);
    every_counter(40'000, 200, 3);  // counts above what fits into a byte, many times
    every_counter(300'000, 700, 300);
    every_counter(500'000, 1500, 1500);  // nearly all cells hold one sample, but those of one column
    labels_far_apart<std::int64_t>();
    labels_far_apart<std::uint64_t>();
    labels_far_apart<std::int32_t>();
    random_bytes_of_every_type();
    if (has_threads) concurrent_counting();
    merging_cells();
    cancelled_cells();
    labels_out_of_range();
    cancelled_counting();
});

}  // namespace
}  // namespace chanceless::tests
