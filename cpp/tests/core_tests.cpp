// The core's own tests: values checked by hand, and every path of it under the sanitizers.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chanceless/count.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/fixed_point.hpp"
#include "chanceless/information.hpp"
#include "chanceless/log_sum.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/pairwise.hpp"
#include "chanceless/spectrum.hpp"

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

const auto no_checkpoint = [] {};

template <class T>
Table count_of(const std::vector<T>& rows, const std::vector<T>& columns) {
    return count(std::span<const T>(rows), std::span<const T>(columns), no_checkpoint);
}

Spectrum spectrum_of(const Table& table) {
    return summarise(table.rows, table.columns, table.counts, table.row_labels.size(), table.column_labels.size());
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
    const auto offsets = offsets_of(std::span<const T>(labels));
    const Codes codes = encode(offsets);
    CHECK(codes.codes.size() == labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        CHECK(static_cast<T>(offsets.label(codes.offsets[codes.codes[i]])) == labels[i]);
    }
    for (std::size_t i = 1; i < codes.offsets.size(); ++i) CHECK(codes.offsets[i - 1] < codes.offsets[i]);
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

void counting(std::int64_t clusters, std::int64_t spread, std::size_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(clusters));
    std::uniform_int_distribution<std::int64_t> draw(0, clusters - 1);
    std::vector<std::int64_t> rows(n), columns(n);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> expected;
    for (std::size_t i = 0; i < n; ++i) {
        rows[i] = spread * draw(random) - clusters;
        columns[i] = draw(random);
        ++expected[{rows[i], columns[i]}];
    }
    const Table table = count_of(rows, columns);
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

void interruption() {
    const std::vector<std::uint8_t> labels((std::size_t{1} << 24) + 1, 0);
    const auto give_up = [] { throw std::runtime_error("enough"); };
    bool stopped = false;
    try {
        count(std::span<const std::uint8_t>(labels), std::span<const std::uint8_t>(labels), give_up);
    } catch (const std::runtime_error&) {
        stopped = true;
    }
    CHECK(stopped);
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
    const Spectrum spectrum = summarise(rows, columns, counts, 2, 2);
    CHECK(spectrum.n_samples == max_samples);
    CHECK(mutual_information(spectrum) == 0.0);
    // s_p = -2/n^2 but for terms of order 1/n^4
    CHECK(pairwise_adjusted_mutual_information(spectrum) == -std::ldexp(1.0, -105));
}

}  // namespace

int main() {
    logarithms();
    fixed_point_numbers();
    labels_of_every_type();
    counting(3, 1, 1000);          // dense, private tables
    counting(60, 1, 20000);        // dense, one table
    counting(3, 1'000'000, 1000);  // far apart: hashed, then dense
    counting(5000, 1, 20000);      // too many cells for a dense table: by rows
    counting(5000, 1'000'000, 20000);
    interruption();
    a_table_by_hand();
    trivial_tables();
    entropy_by_hand();
    the_largest_table();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
