// Terms of tables: values computed by hand.

#include "chance/expected.hpp"
#include "terms/pairwise.hpp"
#include "terms/sample_pairs.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace numbers;
using namespace counting;
using namespace terms;
using namespace chance;
namespace {

void logarithms() {
    CHECK((log_of<2>(1).divided(1, 0)) == 0.0);
    CHECK((log_of<2>(2).divided(1, 0)) == log_two);
    CHECK((log_of<3>(10).divided(1, 0)) == log_ten);
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
    CHECK(std::fabs(difference.divided(1, 0)) <= std::ldexp(3 * log_error<5>, -320));
}

/// In units of 2^-128: `log_of<2>` less a sum of logarithms with more digits.
double units_off(std::uint64_t value, const Fixed<3>& truth) {
    return std::ldexp((log_of<2>(value) - Fixed<2>(truth)).divided(1, 0), 128);
}

bool is_within_bound(std::uint64_t value, const Fixed<3>& truth) {
    // One unit is lost where the truth is cut.
    return std::fabs(units_off(value, truth)) <= log_error<2> + 1;
}

bool is_within_bound(std::uint64_t value) { return is_within_bound(value, log_of<3>(value)); }

/// Whole numbers just above and below the places where the first two tables change their entry, for values of 53 bits.
template <class Visit>
void for_each_border(const Visit& visit) {
    for (std::uint64_t i = 0; i < 128; ++i) {
        const std::uint64_t factor = ((std::uint64_t{1} << 21) + 127 + i) / (128 + i);
        visit((128 + i) << 45);
        for (std::uint64_t j = 0; j < 66; ++j) {
            // m * factor = 1 + j / 2^13, with m in units of 2^-52 and the factor in units of 2^-14
            visit((((std::uint64_t{1} << 13) + j) << 50) / factor << 3);
        }
    }
}

void logarithms_from_tables() {
    for (std::uint64_t value = 1; value < 200'000; ++value) CHECK(is_within_bound(value));
    for (int bits = 0; bits <= 53; ++bits) {
        const std::uint64_t power = std::uint64_t{1} << bits;
        for (std::uint64_t value = power > 9 ? power - 9 : 1; value <= std::min(power + 9, max_samples + 1); ++value) {
            CHECK(is_within_bound(value));
        }
    }
    for_each_border([](std::uint64_t border) {
        for (std::uint64_t value = border - 20; value <= border + 20; ++value) {
            if (value <= max_samples) CHECK(is_within_bound(value));
        }
    });
    std::mt19937_64 random(7);
    for (int i = 0; i < 300'000; ++i) CHECK(is_within_bound((random() >> (11 + i % 53)) + 1));
}

/// Values of up to 64 bits, of which more digits are known as a sum.
void logarithms_of_products() {
    std::mt19937_64 random(8);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t left = (random() >> (32 + i % 32)) | 1, right = (random() >> 32) | 1;
        CHECK(is_within_bound(left * right, log_of<3>(left) + log_of<3>(right)));
    }
    for (int bits = 0; bits < 64; ++bits) {
        CHECK(is_within_bound(std::uint64_t{1} << bits, int128{bits} * log_of<3>(2)));
    }
}

/// Nearly the worst cases of `log_near_one` are met: the bound is no idle one.
void bound_of_logarithms() {
    std::mt19937_64 random(9);
    double highest = 0.0, lowest = 0.0;
    for (int i = 0; i < 300'000; ++i) {
        const std::uint64_t value = (random() >> 12) + 1;
        const double off = units_off(value, log_of<3>(value));
        highest = std::max(highest, off);
        lowest = std::min(lowest, off);
    }
    CHECK(lowest < -0.5 * log_error<2> && highest > 1.0);
}

/// A sum is exact, though its products leave the range.
void products_beyond_the_range() {
    const Fixed<2> one = Fixed<2>::power_of_two(128);
    const Fixed<2> large = int128{3} * Fixed<2>::power_of_two(128 + 60);
    const int128 weight = (int128{1} << 107) + 12345;
    CHECK((weight * large - weight * (large - one)).divided(1, 0) == static_cast<double>(weight));
    CHECK((-weight * large + weight * (large + one)).divided(1, 0) == static_cast<double>(weight));
}

/// x / divisor^power where x is known but for 2^margin units.
void quotients_within_a_margin() {
    const Fixed<2> one = Fixed<2>::power_of_two(128);
    std::mt19937_64 random(10);
    int settled = 0;
    for (int i = 0; i < 200'000; ++i) {
        const int margin = i % 90;
        const std::uint64_t divisor = (random() >> (11 + i % 53)) + 1;
        const int power = 1 + i % 3;
        const auto sign = random() % 2 == 0 ? 1 : -1;
        const Fixed<2> x = sign * static_cast<int128>(random() >> (i % 64)) * log_of<2>(random() >> 11 | 2);
        const Fixed<2> wide = Fixed<2>::power_of_two(static_cast<std::size_t>(margin));
        const std::optional<double> nearest = x.divided_within(margin, divisor, power);
        if (!nearest) continue;
        ++settled;
        CHECK(*nearest == (x + wide).divided(divisor, power) && *nearest == (x - wide).divided(divisor, power));
    }
    CHECK(settled > 150'000);
    // a tie is never settled, nor what may be zero
    const Fixed<2> tie = ((int128{1} << 53) + 1) * one;
    CHECK(!tie.divided_within(0, 1, 0) && !tie.divided_within(0, 1024, 3) && !Fixed<2>().divided_within(0, 7, 3));
    CHECK((tie + one).divided_within(0, 1, 0) == 9007199254740994.0);
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
    CHECK(entropy(spectrum.columns, 4) == log_two);
    // H(A) = 2 log 2 - (3/4) log 3, H(B) = log 2, H(A, B) = (3/2) log 2
    const double three = 0.75 * std::log(3.0);
    CHECK(std::fabs(mutual_information(spectrum) - (1.5 * log_two - three)) <= 1e-15);
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
    CHECK(pairwise_adjusted_entropy(spectrum.rows, 4) == log_two / 2);
    CHECK(pairwise_adjusted_mutual_information(spectrum) == log_two / 2);
    CHECK(mutual_information(spectrum) == log_two);
    CHECK(variation_of_information(spectrum) == 0.0);
}

void the_largest_table() {
    const std::int64_t quarter = std::int64_t{1} << 51;
    const std::vector<std::int64_t> rows{0, 0, 1, 1}, columns{0, 1, 0, 1};
    const std::vector<std::int64_t> counts{quarter, quarter, quarter, quarter};
    const Spectrum spectrum = summarise(ListedCells{rows, columns, counts, 2, 2}, {1, never_cancelled});
    CHECK(spectrum.n_samples == max_samples);
    CHECK(mutual_information(spectrum) == 0.0);
    // s_p = -2/n^2, up to terms of order 1/n^4
    CHECK(pairwise_adjusted_mutual_information(spectrum) == -std::ldexp(1.0, -105));
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
    const ExpectedInformation expected = expected_information(rows, columns, n, never_cancelled);
    const ExpectedInformation mirrored = expected_information(columns, rows, n, never_cancelled);
    const double exact = over_all_pairs(rows, columns, n, cell_information);
    const double exact_log_count = over_all_pairs(rows, columns, n, cell_entropy);
    CHECK(expected.interpolated);
    CHECK(std::fabs(expected.information - exact) <= 2e-15 * exact);
    CHECK(std::fabs(expected.log_count - exact_log_count) <= 2e-15 * exact_log_count);
    CHECK(expected.information == mirrored.information && expected.log_count == mirrored.log_count);
    CHECK(expected.error <= 1e-13 * std::min(expected.information, expected.log_count));
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
    CHECK(std::fabs(expected_information(halves, halves, 4, never_cancelled).information - log_two / 3) <= 1e-16);
    CHECK(expected_information(halves, one, 4, never_cancelled).information == 0.0);
    CHECK(expected_information(one, one, 4, never_cancelled).information == 0.0);
    CHECK(expected_information(singletons, halves, 4, never_cancelled).information == log_two);
    CHECK(expected_information(singletons, singletons, 4, never_cancelled).log_count == 0.0);
    CHECK(expected_information({}, {}, 0, never_cancelled).information == 0.0);
}

void cancelled_expectation() {
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    std::vector<SizeGroup> rows = geometric_sizes(1.01, 1e9), columns = geometric_sizes(1.01, 2e9);
    const std::uint64_t n = even_out(rows, columns);
    CHECK(throws<std::runtime_error>([&] { static_cast<void>(expected_information(rows, columns, n, cancel)); }));
}

const TestGroup these_tests("terms", [] {
    logarithms();
    logarithms_from_tables();
    logarithms_of_products();
    bound_of_logarithms();
    products_beyond_the_range();
    quotients_within_a_margin();
    fixed_point_numbers();
    a_table_by_hand();
    trivial_tables();
    entropy_by_hand();
    the_largest_table();
    expectations_by_hand();
    expectations_through_nodes();
    cancelled_expectation();
});

}  // namespace
}  // namespace chanceless::tests
