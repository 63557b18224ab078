// The core's own tests: values checked by hand, and every path of it under the sanitizers.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "chanceless/count.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/expected.hpp"
#include "chanceless/fixed_point.hpp"
#include "chanceless/information.hpp"
#include "chanceless/log_sum.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/pairwise.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/text.hpp"

namespace {

using namespace chanceless;

int passed = 0;
int failed = 0;

void check(bool holds, const char* what, int line) {
    if (holds) {
        ++passed;
    } else {
        ++failed;
        std::printf("line %d: %s\n", line, what);
    }
}

#define CHECK(condition) check((condition), #condition, __LINE__)

const Pause no_pause = [] {};

template <class T>
Labels view(const std::vector<T>& labels) {
    return labels_of<T>(labels.data(), sizeof(T), labels.size());
}

template <class T>
Table count_of(const std::vector<T>& rows, const std::vector<T>& columns) {
    return count_table(view(rows), view(columns), no_pause);
}

Spectrum spectrum_of(const Table& table) {
    const ListedCells cells{table.rows, table.columns, table.counts, table.row_labels.size(),
                            table.column_labels.size()};
    return summarise(cells, {1, no_pause});
}

void logarithms() {
    CHECK((log_of<2>(1).divided(1, 0)) == 0.0);
    CHECK((log_of<2>(2).divided(1, 0)) == std::numbers::ln2);
    CHECK((log_of<3>(10).divided(1, 0)) == std::numbers::ln10);
    for (std::uint64_t value = 1; value < 5000; ++value) {
        const double here = log_of<2>(value).divided(1, 0);
        CHECK(here == (log_of<5>(value).divided(1, 0)));
        CHECK(std::fabs(here - std::log(static_cast<double>(value))) <= 2e-15);
    }
    for (std::uint64_t value = max_samples + 1; value > 1; value /= 3) {
        const double here = log_of<3>(value).divided(1, 0);
        CHECK(here == (log_of<5>(value).divided(1, 0)));
        CHECK(std::fabs(here - std::log(static_cast<double>(value))) <= 8e-15);
    }
    // log 6 = log 2 + log 3, to all but the error bound
    const Fixed<5> difference = log_of<5>(6) - log_of<5>(2) - log_of<5>(3);
    CHECK(std::fabs(difference.divided(1, 0)) <= std::ldexp(3 * log_error, -320));
}

void fixed_point_numbers() {
    const Fixed<2> one = Fixed<2>::power_of_two(128);
    CHECK(one.divided(1, 0) == 1.0);
    CHECK((-one).divided(1, 0) == -1.0);
    CHECK((one - one).divided(7, 3) == 0.0);
    CHECK(!std::signbit((one - one).divided(7, 3)));
    CHECK((int128{-3} * one).divided(2, 1) == -1.5);
    CHECK((int128{10} * one).divided(3, 1) == 10.0 / 3.0);
    CHECK(((int128{1} << 100) * one + one - one).divided(1, 0) == std::ldexp(1.0, 100));
    CHECK((int128{1} * one).divided(10, 3) == 1e-3);
    // ties go to even: 2^53 + 1 lies between 2^53 and 2^53 + 2; a little more goes up
    const int128 tie = (int128{1} << 53) + 1;
    CHECK((tie * one).divided(1, 0) == 9007199254740992.0);
    CHECK((tie * one + Fixed<2>::power_of_two(0)).divided(1, 0) == 9007199254740994.0);
    CHECK((tie * one - Fixed<2>::power_of_two(0)).divided(1, 0) == 9007199254740992.0);
}

template <class T>
void encode_one(const std::vector<T>& labels) {
    const Codes codes = encode(view(labels), no_pause);
    CHECK(codes.codes.size() == labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        CHECK(static_cast<T>(codes.labels[codes.codes[i]]) == labels[i]);
    }
    for (std::size_t i = 1; i < codes.labels.size(); ++i) {
        CHECK(static_cast<T>(codes.labels[i - 1]) < static_cast<T>(codes.labels[i]));
    }
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

using Expected = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

void compare(const Table& table, const Expected& expected) {
    CHECK(table.counts.size() == expected.size());
    std::size_t cell = 0;
    for (const auto& [labels, samples] : expected) {  // a map is ordered by row, then column: so is a table
        const auto row = static_cast<std::size_t>(table.rows[cell]);
        const auto column = static_cast<std::size_t>(table.columns[cell]);
        CHECK(static_cast<std::int64_t>(table.row_labels[row]) == labels.first);
        CHECK(static_cast<std::int64_t>(table.column_labels[column]) == labels.second);
        CHECK(table.counts[cell++] == samples);
    }
}

/// Counts with one thread and with three, labels next to each other and two steps apart.
void counting(std::int64_t clusters, std::int64_t spread, std::size_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(clusters));
    std::uniform_int_distribution<std::int64_t> draw(0, clusters - 1);
    std::vector<std::int64_t> rows(n), columns(n), far_apart(2 * n, 77);
    Expected expected;
    for (std::size_t i = 0; i < n; ++i) {
        rows[i] = spread * draw(random) - clusters;
        columns[i] = draw(random);
        far_apart[2 * i] = rows[i];
        ++expected[{rows[i], columns[i]}];
    }
    const Labels apart = labels_of<std::int64_t>(far_apart.data(), 2 * sizeof(std::int64_t), n);
    for (const char* threads : {"1", "3"}) {
        setenv("CHANCELESS_THREADS", threads, 1);
        compare(count_of(rows, columns), expected);
        compare(count_table(apart, view(columns), no_pause), expected);
        CHECK(count_spectrum(view(rows), view(columns), no_pause) == spectrum_of(count_of(rows, columns)));
        CHECK(count_spectrum(view(rows), no_pause) == count_spectrum(view(rows), view(rows), no_pause));
    }
    unsetenv("CHANCELESS_THREADS");
}

/// Counters and keys of 64 bits, which 2^32 samples would need.
void wide_counters() {
    const std::vector<std::int32_t> rows{0, 1, 1, 3, 3, 3}, columns{2, 2, 0, 1, 1, 0};
    const Frame frame{std::uint64_t{1} << 63, 2};
    const Labels a = view(rows);
    const Labels b = view(columns);
    const auto dense = count_dense<std::uint64_t>(Indices<std::uint32_t>{a, b, frame, frame}, 2, no_pause);
    const Range range{frame.lowest, frame.lowest + 3};
    const Numbered row_numbers = number(a, range, 1, no_pause);
    const Numbered column_numbers = number(b, range, 1, no_pause);
    const auto shape = shape_of<std::uint64_t>(row_numbers.numbers, column_numbers.numbers);
    const SparseTable<std::uint64_t> sparse(row_numbers.numbers, column_numbers.numbers, shape, 2, no_pause);
    const Spectrum expected = spectrum_of(count_of(rows, columns));
    CHECK(summarise(*dense, {2, no_pause}) == expected);
    CHECK(summarise(sparse, {2, no_pause}) == expected);
}

/// Labels of every type whose bytes are anything, with one thread and several: against a map.
template <class T>
void random_bytes(std::mt19937_64& random) {
    for (const std::size_t n : {1, 7, 100, 5000, 300'000}) {
        std::vector<T> rows(n), columns(n);
        const auto some = static_cast<T>(random());
        const bool wild = random() % 2 == 0;
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = wild ? static_cast<T>(random()) : static_cast<T>(some + static_cast<T>(random() % 50));
            columns[i] = static_cast<T>(random() % (1 + random() % 1000));
        }
        std::map<std::pair<T, T>, std::int64_t> expected;
        for (std::size_t i = 0; i < n; ++i) ++expected[{rows[i], columns[i]}];
        for (const char* threads : {"1", "2"}) {
            setenv("CHANCELESS_THREADS", threads, 1);
            const Table table = count_of(rows, columns);
            bool same = table.counts.size() == expected.size();
            for (std::size_t cell = 0; same && cell < table.counts.size(); ++cell) {
                const T row = static_cast<T>(table.row_labels[static_cast<std::size_t>(table.rows[cell])]);
                const T column = static_cast<T>(table.column_labels[static_cast<std::size_t>(table.columns[cell])]);
                same = expected[{row, column}] == table.counts[cell];
            }
            CHECK(same);
            CHECK(count_spectrum(view(rows), view(columns), no_pause) == spectrum_of(table));
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

/// Strings of any bytes and length, alike but for one byte: against a map.
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
            encode_text(texts.size(), no_pause, [&](std::size_t i) { return std::string_view(texts[i]); });
        std::map<std::string, std::uint32_t> expected;
        bool same = true;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto [place, is_new] = expected.try_emplace(texts[i], static_cast<std::uint32_t>(expected.size()));
            same = same && codes.codes[i] == place->second && (!is_new || codes.positions[place->second] == i);
        }
        CHECK(same);
        CHECK(codes.positions.size() == expected.size());
    }
    unsetenv("CHANCELESS_THREADS");
    CHECK(encode_text(0, no_pause, [](std::size_t) { return std::string_view(); }).codes.empty());
}

/// Eight threads that count at once share what is allowed, and agree.
void at_the_same_time() {
    setenv("CHANCELESS_THREADS", "4", 1);
    std::vector<std::int16_t> labels(600'000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int16_t>(i * i % 7);
    const Spectrum expected = count_spectrum(view(labels), view(labels), no_pause);
    std::vector<Spectrum> found(8);
    std::vector<std::thread> threads;
    for (Spectrum& spectrum : found) {
        threads.emplace_back([&] { spectrum = count_spectrum(view(labels), view(labels), no_pause); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Spectrum& spectrum : found) CHECK(spectrum == expected);
    CHECK(Crew(3).size() == 3);
    {
        const Crew first(4);
        CHECK(first.size() == 4);
        CHECK(Crew(4).size() == 1);
    }
    setenv("CHANCELESS_THREADS", "nonsense", 1);
    setenv("OMP_NUM_THREADS", "2", 1);
    CHECK(allowed_threads() == 2);
    unsetenv("OMP_NUM_THREADS");
    unsetenv("CHANCELESS_THREADS");
    CHECK(allowed_threads() == available_cores());
}

/// Labels that leave the range of the first ones, at every place where blocks might meet.
void late_surprises() {
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

/// Whoever gives up at a pause gives up for all.
void interruption() {
    setenv("CHANCELESS_THREADS", "2", 1);
    std::vector<std::int64_t> labels(800'000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i);
    const Pause give_up = [] { throw std::runtime_error("enough"); };
    for (const std::int64_t clusters : {400'000, 3}) {
        for (std::int64_t& label : labels) label %= clusters;
        bool stopped = false;
        try {
            count_spectrum(view(labels), view(labels), give_up);
        } catch (const std::runtime_error&) {
            stopped = true;
        }
        CHECK(stopped);
    }
    unsetenv("CHANCELESS_THREADS");
}

/// 0001 against 0011: the table [[2, 1], [0, 1]].
void a_table_by_hand() {
    const Spectrum spectrum = spectrum_of(count_of<std::int32_t>({0, 0, 0, 1}, {0, 0, 1, 1}));
    CHECK(spectrum.n_samples == 4);
    CHECK((spectrum.rows == std::vector<SizeGroup>{{1, 1}, {3, 1}}));
    CHECK((spectrum.columns == std::vector<SizeGroup>{{2, 2}}));
    CHECK((spectrum.cells == std::vector<CellGroup>{{1, 2, 8, 8}, {2, 1, 5, 6}}));
    CHECK(pairs_within(spectrum.rows) == 3);
    CHECK(pairs_within(spectrum.columns) == 2);
    CHECK(pairs_within(spectrum.cells) == 1);
    // the two weights of D(2) are 2 and -2: exactly zero, though the clusterings are not trivial
    CHECK(pairwise_adjusted_mutual_information(spectrum) == 0.0);
    CHECK(entropy(spectrum.columns, 4) == std::numbers::ln2);
    // H(A) = 2 log 2 - (3/4) log 3, H(B) = log 2, H(A, B) = (3/2) log 2
    const double three = 0.75 * std::log(3.0);
    CHECK(std::fabs(mutual_information(spectrum) - (1.5 * std::numbers::ln2 - three)) <= 1e-15);
    CHECK(std::fabs(variation_of_information(spectrum) - three) <= 1e-15);
}

void trivial_tables() {
    const Spectrum none = spectrum_of(count_of<std::int32_t>({}, {}));
    CHECK(none.n_samples == 0 && mutual_information(none) == 0.0 && entropy(none.rows, 0) == 0.0);
    CHECK(pairwise_adjusted_mutual_information(none) == 0.0 && pairwise_adjusted_entropy(none.rows, 0) == 0.0);
    const Spectrum one_cluster = spectrum_of(count_of<std::int32_t>({7, 7, 7}, {0, 1, 1}));
    CHECK(mutual_information(one_cluster) == 0.0 && entropy(one_cluster.rows, 3) == 0.0);
    CHECK(pairwise_adjusted_mutual_information(one_cluster) == 0.0);
    CHECK(pairwise_adjusted_entropy(one_cluster.rows, 3) == 0.0);
}

/// 0011 with itself: q_p = (2 / 64) * 2 * (2 * 2 * 2 log 2) = log(2) / 2.
void entropy_by_hand() {
    const std::vector<std::uint64_t> sizes{2, 2};
    const Spectrum spectrum = summarise(sizes);
    CHECK(pairwise_adjusted_entropy(spectrum.rows, 4) == std::numbers::ln2 / 2);
    CHECK(pairwise_adjusted_mutual_information(spectrum) == std::numbers::ln2 / 2);
    CHECK(mutual_information(spectrum) == std::numbers::ln2);
    CHECK(variation_of_information(spectrum) == 0.0);
}

void the_largest_table() {
    const std::int64_t quarter = std::int64_t{1} << 51;
    const std::vector<std::int64_t> rows{0, 0, 1, 1}, columns{0, 1, 0, 1};
    const std::vector<std::int64_t> counts{quarter, quarter, quarter, quarter};
    const Spectrum spectrum = summarise(ListedCells{rows, columns, counts, 2, 2}, {1, no_pause});
    CHECK(spectrum.n_samples == max_samples);
    CHECK(mutual_information(spectrum) == 0.0);
    // s_p = -2/n^2 but for terms of order 1/n^4
    CHECK(pairwise_adjusted_mutual_information(spectrum) == -std::ldexp(1.0, -105));
}

std::uint64_t samples_of(const std::vector<SizeGroup>& groups) {
    std::uint64_t samples = 0;
    for (const auto& [size, clusters] : groups) samples += size * clusters;
    return samples;
}

/// Fills up the list of fewer samples with one cluster more.
std::uint64_t even_out(std::vector<SizeGroup>& rows, std::vector<SizeGroup>& columns) {
    const std::uint64_t row_samples = samples_of(rows), column_samples = samples_of(columns);
    std::vector<SizeGroup>& fewer = row_samples < column_samples ? rows : columns;
    const std::uint64_t n = std::max(row_samples, column_samples);
    const std::uint64_t rest = n - std::min(row_samples, column_samples);
    if (rest > 0) {
        fewer.push_back({rest, 1});
        std::sort(fewer.begin(), fewer.end(), [](auto& left, auto& right) { return left.size < right.size; });
    }
    return n;
}

/// The sum over all pairs of distinct sizes, none left out and none interpolated.
template <class CellValue>
double over_all_pairs(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns, std::uint64_t n,
                      const CellValue& cell_value) {
    const Amount all(n);
    CompensatedSum sum;
    for (const SizeGroup& row : rows) {
        for (const SizeGroup& column : columns) {
            const double pairs = static_cast<double>(row.clusters) * static_cast<double>(column.clusters);
            sum.add(pairs * cell_value(Amount(row.size), Amount(column.size), all).value);
        }
    }
    return sum.value() / static_cast<double>(n);
}

void expectation_of(std::vector<SizeGroup> rows, std::vector<SizeGroup> columns) {
    const std::uint64_t n = even_out(rows, columns);
    const ExpectedInformation expected = expected_information(rows, columns, n, no_pause);
    const ExpectedInformation mirrored = expected_information(columns, rows, n, no_pause);
    const double exact = over_all_pairs(rows, columns, n, cell_information);
    const double exact_log_count = over_all_pairs(rows, columns, n, cell_entropy);
    CHECK(expected.interpolated);
    CHECK(std::fabs(expected.information - exact) <= 2e-15 * exact);
    CHECK(std::fabs(expected.log_count - exact_log_count) <= 2e-15 * exact_log_count);
    CHECK(expected.information == mirrored.information && expected.log_count == mirrored.log_count);
    CHECK(expected.error <= 1e-13 * std::min(expected.information, expected.log_count));
}

std::vector<SizeGroup> sizes_from(std::uint64_t first, std::uint64_t last, std::uint64_t step) {
    std::vector<SizeGroup> groups;
    for (std::uint64_t size = first; size <= last; size += step) groups.push_back({size, 1 + size % 3});
    return groups;
}

std::vector<SizeGroup> geometric_sizes(double ratio, double largest) {
    std::vector<SizeGroup> groups{{1, 1000}};
    for (double size = 2.0; size < largest; size *= ratio) {
        const auto whole = static_cast<std::uint64_t>(size);
        if (whole > groups.back().size) groups.push_back({whole, 1});
    }
    return groups;
}

void expectations_through_nodes() {
    expectation_of(sizes_from(1, 700, 1), sizes_from(1, 700, 1));
    expectation_of(sizes_from(3000, 3040, 1), sizes_from(3000, 3040, 1));
    expectation_of(sizes_from(1, 300, 1), {{500'000'000, 2}});
    expectation_of(sizes_from(1000, 90000, 313), sizes_from(64, 256, 1));
    expectation_of(geometric_sizes(1.02, 1e9), geometric_sizes(1.05, 1e7));
    expectation_of(sizes_from(1, 100, 1), {{1, 1'000'000'000}, {7, 3}});
    expectation_of(sizes_from(12, 48, 1), {{2, 700}});  // many small clusters: the mean log count is summed
    expectation_of(sizes_from(1, 70, 1), sizes_from(1, 70, 1));
}

void expectations_by_hand() {
    const std::vector<SizeGroup> halves{{2, 2}}, singletons{{1, 4}}, one{{4, 1}};
    // 0011 against its permutations: identical in 2 of 6 ways, independent in the others
    CHECK(std::fabs(expected_information(halves, halves, 4, no_pause).information - std::numbers::ln2 / 3) <= 1e-16);
    CHECK(expected_information(halves, one, 4, no_pause).information == 0.0);
    CHECK(expected_information(one, one, 4, no_pause).information == 0.0);
    CHECK(expected_information(singletons, halves, 4, no_pause).information == std::numbers::ln2);
    CHECK(expected_information(singletons, singletons, 4, no_pause).log_count == 0.0);
    CHECK(expected_information({}, {}, 0, no_pause).information == 0.0);
}

void interrupted_expectation() {
    const auto give_up = [] { throw std::runtime_error("enough"); };
    bool stopped = false;
    try {
        std::vector<SizeGroup> rows = geometric_sizes(1.01, 1e9), columns = geometric_sizes(1.01, 2e9);
        const std::uint64_t n = even_out(rows, columns);
        static_cast<void>(expected_information(rows, columns, n, give_up));
    } catch (const std::runtime_error&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    logarithms();
    fixed_point_numbers();
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
    at_the_same_time();
    late_surprises();
    interruption();
    a_table_by_hand();
    trivial_tables();
    entropy_by_hand();
    the_largest_table();
    expectations_by_hand();
    expectations_through_nodes();
    interrupted_expectation();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
