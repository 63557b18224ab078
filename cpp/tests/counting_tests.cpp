// Every way to count, against std::sort, and to encode strings, against std::unordered_map.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chanceless/count.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/text.hpp"
#include "check.hpp"

namespace chanceless {

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
        columns[i] = draw(random);
        far_apart[2 * i] = rows[i];
    }
    const auto expected = cells_by_sorting(rows, columns);
    const Labels apart = labels_of<std::int64_t>(far_apart.data(), 2 * sizeof(std::int64_t), n);
    for (const char* threads : {"1", "3"}) {
        setenv("CHANCELESS_THREADS", threads, 1);
        const Table table = count_of(rows, columns);
        CHECK(same_cells(table, expected));
        CHECK(same_cells(table_of(apart, view(columns)), expected));
        CHECK(count_spectrum(view(rows), view(columns), never_cancelled) == spectrum_of(table));
        CHECK(count_spectrum(view(rows), never_cancelled) == count_spectrum(view(rows), view(rows), never_cancelled));
    }
    unsetenv("CHANCELESS_THREADS");
}

/// Counters and keys of 64 bits, which 2^32 samples would need.
void wide_counters() {
    const std::vector<std::int32_t> rows{0, 1, 1, 3, 3, 3}, columns{2, 2, 0, 1, 1, 0};
    const Frame frame{std::uint64_t{1} << 63, 2};
    const Labels a = view(rows);
    const Labels b = view(columns);
    const auto dense = count_dense<std::uint64_t>(Indices<std::uint32_t>{a, b, frame, frame}, 2, never_cancelled);
    const Range range{frame.lowest, frame.lowest + 3};
    const Encoded row_encoded = encode_in_range(a, range, 1, never_cancelled);
    const Encoded column_encoded = encode_in_range(b, range, 1, never_cancelled);
    const auto shape = shape_of<std::uint64_t>(row_encoded.codes, column_encoded.codes);
    const SparseTable<std::uint64_t> sparse(row_encoded.codes, column_encoded.codes, shape, 2, never_cancelled);
    const Spectrum expected = spectrum_of(count_of(rows, columns));
    CHECK(summarise(*dense, {2, never_cancelled}) == expected);
    CHECK(summarise(sparse, {2, never_cancelled}) == expected);
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
            setenv("CHANCELESS_THREADS", threads, 1);
            const Table table = count_of(rows, columns);
            CHECK(same_cells(table, expected));
            CHECK(count_spectrum(view(rows), view(columns), never_cancelled) == spectrum_of(table));
        }
        unsetenv("CHANCELESS_THREADS");
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

/// Strings of random length that differ in one random byte.
void strings() {
    std::mt19937_64 random(5);
    for (const char* threads : {"1", "3"}) {
        setenv("CHANCELESS_THREADS", threads, 1);
        std::vector<std::string> texts(250'000);
        for (std::string& text : texts) {
            text.assign(random() % 40, 'x');
            if (!text.empty()) text[random() % text.size()] = static_cast<char>(random() % 256);
        }
        const TextCodes codes =
            encode_text(texts.size(), never_cancelled, [&](std::size_t i) { return std::string_view(texts[i]); });
        std::unordered_map<std::string_view, std::uint32_t> expected;
        bool same = true;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto [place, is_new] = expected.try_emplace(texts[i], static_cast<std::uint32_t>(expected.size()));
            same = same && codes.codes[i] == place->second && (!is_new || codes.positions[place->second] == i);
        }
        CHECK(same);
        CHECK(codes.positions.size() == expected.size());
    }
    unsetenv("CHANCELESS_THREADS");
    CHECK(encode_text(0, never_cancelled, [](std::size_t) { return std::string_view(); }).codes.empty());
}

/// Eight threads that count concurrently share the allowed number of threads, and agree.
void concurrent_counting() {
    setenv("CHANCELESS_THREADS", "4", 1);
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
    unsetenv("CHANCELESS_THREADS");
}

/// Labels outside the range of the first labels, at every position where blocks meet.
void labels_out_of_range() {
    const std::size_t n = 40'000;
    for (const std::size_t place : {8191UL, 8192UL, 16383UL, 16384UL, n - 1}) {
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

/// A check that throws cancels all threads.
void cancelled_counting() {
    setenv("CHANCELESS_THREADS", "2", 1);
    std::vector<std::int64_t> labels(800'000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i);
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    for (const std::int64_t clusters : {400'000, 3}) {
        for (std::int64_t& label : labels) label %= clusters;
        CHECK(throws<std::runtime_error>([&] { count_spectrum(view(labels), view(labels), cancel); }));
    }
    unsetenv("CHANCELESS_THREADS");
}

}  // namespace

void counting_tests() {
    labels_of_every_type();
    counting(3, 1, 1000);          // dense, private tables
    counting(60, 1, 20000);        // dense, one table
    counting(3, 1'000'000, 1000);  // far apart: hashed, then dense
    counting(5000, 1, 20000);      // too many cells for a dense table: sorted
    counting(5000, 1'000'000, 20000);
    counting(30, 1, 800'000);  // several threads
    counting(100'000, 1, 400'000);
    counting(100'000, 1'000'000'007, 400'000);
    wide_counters();
    random_bytes_of_every_type();
    strings();
    concurrent_counting();
    labels_out_of_range();
    cancelled_counting();
}

}  // namespace chanceless
