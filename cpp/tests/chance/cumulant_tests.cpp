// Tests of third cumulants and of the Pearson III tail: values by hand, each sum against another way to compute it, and
// every path under the sanitizers.

#include "certainty/null_statistic.hpp"
#include "chance/pearson_tail.hpp"
#include "tests/check.hpp"

namespace {

using namespace chanceless::numbers;
using namespace chanceless::counting;
using namespace chanceless::chance;
using namespace chanceless::tests;
using Groups = std::vector<SizeGroup>;

bool is_close(double found, double exact, double relative) {
    return std::fabs(found - exact) <= relative * std::fabs(exact);
}

void double_doubles() {
    const DoubleDouble small(0x1p-80);
    const DoubleDouble one(1.0);
    CHECK(static_cast<double>((one + small) - one) == 0x1p-80);
    CHECK(static_cast<double>((one + small) * (one - small) - one) == 0.0);  // 1 - 2^-160
    DoubleDouble third = one / DoubleDouble(3.0);
    CHECK(std::fabs(static_cast<double>(third * DoubleDouble(3.0) - one)) <= DoubleDouble::roundoff);
    third *= DoubleDouble(-3.0);
    third += one;
    CHECK(std::fabs(static_cast<double>(third)) <= DoubleDouble::roundoff);
    CHECK(static_cast<double>(Magnitude(-2.0) - Magnitude(3.0) * -Magnitude(0.5)) == 3.5);
    CHECK(static_cast<double>(Magnitude(1.0) / Magnitude(-4.0)) == 0.25);
}

double falling(double x, std::size_t order) {
    double result = 1.0;
    for (std::size_t k = 0; k < order; ++k) result *= x - static_cast<double>(k);
    return result;
}

/// Against differences of moments. All numbers but the inverse powers of a and n are integers below 2^53.
void cumulants_of_powers() {
    constexpr std::size_t D = 3;
    for (double size = 1.0; size <= 12.0; size += 1.0) {
        const SizePowers<double, D> powers(size, 1.0);
        const TotalPowers<double, D> total(size);
        const auto f = [&](std::size_t p) { return falling(size, p); };
        const auto e = [&](std::size_t p) { return static_cast<double>(p) <= size ? 1.0 / falling(size, p) : 0.0; };
        const auto is_equal = [&](double found, double exact, double power) {
            return std::fabs(found - exact * std::pow(size, power)) <= 1e-13;
        };
        const std::vector<OrderTriple>& triples = Orders<D>::instance().triples();
        for (std::size_t t = 0; t < triples.size(); ++t) {
            const std::size_t p = triples[t].p, q = triples[t].q, r = triples[t].r;
            const auto order = static_cast<double>(p + q + r);
            const double of_size =
                f(p + q + r) - f(p + q) * f(r) - f(p + r) * f(q) - f(q + r) * f(p) + 2.0 * f(p) * f(q) * f(r);
            const double of_total =
                e(p + q + r) - e(p + q) * e(r) - e(p + r) * e(q) - e(q + r) * e(p) + 2.0 * e(p) * e(q) * e(r);
            CHECK(is_equal(powers.third_cumulant[t], of_size, -order));
            CHECK(std::fabs(total.third_cumulant(p, q, r) - of_total * std::pow(size, order)) <=
                  1e-12 * std::pow(size, order) * e(p) * e(q) * e(r));
            const auto pair = static_cast<double>(p + q);
            CHECK(is_equal(powers.covariance[p][q], f(p + q) - f(p) * f(q), -pair));
            CHECK(std::fabs(total.covariance(p, q) - (e(p + q) - e(p) * e(q)) * std::pow(size, pair)) <=
                  1e-12 * std::pow(size, pair) * e(p) * e(q));
        }
    }
}

/// Pearson's X^2: the sum of n x^2 / (a b).
struct SquareParts {
    static constexpr std::size_t most = 2;
    template <class Number>
    [[nodiscard]] auto weights() const {
        return
            [](std::size_t, std::size_t, const SizePowers<Number, most>& row, const SizePowers<Number, most>& column) {
                const Number mean = Number(1.0) / (Number(8.0) * row.inverse * column.inverse);
                return CellWeights<Number, most>{most, {Number(0.0), Number(1.0), mean}};
            };
    }
};

void other_statistics() {
    const Groups rows{{1, 1}, {3, 1}, {4, 1}}, columns{{2, 1}, {3, 2}};
    const auto squares = cumulants_of<double>(all_sizes(rows), all_sizes(columns), 8, SquareParts(), never_cancelled);
    CHECK(is_close(squares.third, 5.254004247201526, 1e-12));
    const ThirdCumulant pairs = third_cumulant(rows, columns, 8, Statistic::pairs, never_cancelled);
    CHECK(is_close(pairs.value, 1.4330357142857142, 1e-12));
}

/// The part of degree d of the variance, by the formula of variance.hpp.
double variance_of_degree(const Groups& rows, const Groups& columns, std::uint64_t n, std::size_t d) {
    const auto angle = [&](std::uint64_t size) {
        const auto a = static_cast<double>(size), rest = static_cast<double>(n - size);
        return a < static_cast<double>(d) || rest < static_cast<double>(d)
                   ? 0.0
                   : std::sqrt(falling(a, d) / falling(rest, d));
    };
    const double sign = d % 2 == 0 ? 1.0 : -1.0;
    double sum = 0.0;
    for (const auto& [a, k] : rows) {
        for (const auto& [other_a, other_k] : rows) {
            for (const auto& [b, m] : columns) {
                for (const auto& [other_b, other_m] : columns) {
                    const auto coefficient = [&](std::uint64_t row, std::uint64_t column) {
                        const HahnCoefficients cell = hahn_coefficients(Amount(row), Amount(column), Amount(n), d);
                        return cell.degrees < d ? 0.0 : cell.at[d];
                    };
                    const auto products = [&](std::uint64_t size, std::uint64_t other, double clusters, double others) {
                        const double angles = sign * angle(size) * angle(other);
                        return clusters * (others * angles + (size == other ? 1.0 - angles : 0.0));
                    };
                    sum += products(a, other_a, static_cast<double>(k), static_cast<double>(other_k)) *
                           products(b, other_b, static_cast<double>(m), static_cast<double>(other_m)) *
                           coefficient(a, b) * coefficient(other_a, other_b);
                }
            }
        }
    }
    return sum;
}

void variance_by_degrees() {
    const Groups rows{{20, 3}}, columns{{10, 1}, {20, 1}, {30, 1}};
    double sum = variance_of_degree(rows, columns, 60, 1);
    for (std::size_t degrees = 2; degrees <= 6; ++degrees) {
        sum += variance_of_degree(rows, columns, 60, degrees);
        const ThirdCumulant found = third_cumulant(rows, columns, 60, Statistic::information, never_cancelled, degrees);
        CHECK(is_close(found.variance, sum, 1e-13));
    }
    for (const auto& [some, others] : std::vector<std::pair<Groups, Groups>>{
             {{{6, 3}}, {{6, 3}}}, {{{1, 2}, {16, 1}}, {{4, 3}, {6, 1}}}, {{{1, 12}, {6, 1}}, {{1, 3}, {5, 3}}}}) {
        const ThirdCumulant found = third_cumulant(some, others, 18, Statistic::information, never_cancelled);
        const InformationVariance all = information_variance(some, others, 18, never_cancelled);
        CHECK(is_close(found.variance, 324.0 * all.information, 1e-13));
    }
}

/// Nodes and doubles against all sizes and double-doubles.
void cumulant_through_nodes(Groups rows, Groups columns) {
    const std::uint64_t n = even_out(rows, columns);
    for (const Statistic statistic : {Statistic::information, Statistic::pairs}) {
        const ThirdCumulant found = third_cumulant(rows, columns, n, statistic, never_cancelled);
        const ThirdCumulant mirrored = third_cumulant(columns, rows, n, statistic, never_cancelled);
        CHECK(found.value == mirrored.value && found.error == mirrored.error);
        CHECK(found.is_precise(n));
        const SizeNodes all_rows = all_sizes(rows), all_columns = all_sizes(columns);
        const auto exact = [&](const auto& parts) {
            return third_cumulant_with<DoubleDouble>(DoubleDouble::roundoff, all_rows, all_columns, n, parts,
                                                     never_cancelled);
        };
        const double value = statistic == Statistic::pairs
                                 ? exact(PairParts(n)).value
                                 : exact(InformationParts(all_rows, all_columns, n, false, 6, never_cancelled)).value;
        CHECK(std::fabs(found.value - value) <= found.error);
    }
}

void cumulants_through_nodes() {
    cumulant_through_nodes(sizes_from(1, 45, 1), sizes_from(1, 45, 1));
    cumulant_through_nodes(sizes_from(3000, 3040, 1), sizes_from(3000, 3040, 1));
    cumulant_through_nodes(geometric_sizes(1.3, 1e7), sizes_from(5, 60, 7));
    CHECK(throws<std::runtime_error>([] {
        const Groups sizes = sizes_from(1, 60, 1);
        third_cumulant(sizes, sizes, samples_of(sizes), Statistic::information,
                       [] { throw std::runtime_error("stop"); });
    }));
}

void trivial_cumulants() {
    const Groups halves{{2, 2}}, singletons{{1, 4}}, one{{4, 1}}, one_apart{{1, 1}, {3, 1}};
    for (const auto& [rows, columns] : std::vector<std::pair<Groups, Groups>>{
             {halves, one}, {one, one}, {singletons, halves}, {one_apart, halves}, {{}, {}}}) {
        const ThirdCumulant found =
            third_cumulant(rows, columns, rows.empty() ? 0 : 4, Statistic::information, never_cancelled);
        CHECK(found.value == 0.0 && found.error == 0.0 && found.scale() == 0.0);
    }
    // 0011 against its permutations: 4 log 2 in 2 of 6 ways, 0 in the others
    const ThirdCumulant found = third_cumulant(halves, halves, 4, Statistic::information, never_cancelled);
    const double exact = std::pow(4.0 * log_two, 3.0) * 2.0 / 27.0;
    CHECK(std::fabs(found.value - exact) <= found.error && found.is_precise(4));
}

void pearson_tails() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    CHECK(is_close(log_pearson_tail(0.0, 0.0), -log_two, 1e-15));
    for (double z = -0.9; z < 1e4; z = 2.0 * z + 2.0) {
        CHECK(is_close(log_pearson_tail(z, 2.0), -(1.0 + z), 4e-15));  // exponential
    }
    CHECK(log_pearson_tail(-1.0, 2.0) == 0.0 && log_pearson_tail(-3.0, 1.0) == 0.0);
    CHECK(log_pearson_tail(1.0, -2.0) == -infinity && log_pearson_tail(infinity, -1.0) == -infinity);
    CHECK(log_pearson_tail(infinity, 0.0) == -infinity && log_pearson_tail(infinity, 1.0) == -infinity);
    CHECK(log_pearson_tail(-infinity, -1.0) == 0.0 && log_pearson_tail(-infinity, 0.0) == 0.0);
    CHECK(std::isnan(log_pearson_tail(std::nan(""), 1.0)));
}

void guard() {
    CHECK(moments_hold({{40, 2}}, {{40, 2}}, 80));
    CHECK(!moments_hold({}, {}, 0));
    const std::uint64_t half = max_samples / 2;
    CHECK(moments_hold({{half, 2}}, {{half, 2}}, 2 * half));
    CHECK(!moments_hold({{half, 2}}, {{1, 2 * half}}, 2 * half));
}

const TestGroup these_tests("cumulant", [] {
    double_doubles();
    cumulants_of_powers();
    other_statistics();
    variance_by_degrees();
    cumulants_through_nodes();
    trivial_cumulants();
    pearson_tails();
    guard();
});

}  // namespace
