// Tests of variances: values by hand, nodes against all pairs of sizes, and every path under the sanitizers.

#include "chance/variance.hpp"
#include "tests/check.hpp"

namespace {

using namespace chanceless::counting;
using namespace chanceless::chance;
using namespace chanceless::tests;
using Groups = std::vector<SizeGroup>;

InformationVariance variance_of(const Groups& rows, const Groups& columns, std::uint64_t n) {
    return information_variance(rows, columns, n, never_cancelled);
}

void variances_by_hand() {
    // 0011 against its permutations: identical in 2 of 6 ways, independent in the others. Of the swaps of two of the
    // 16 ordered pairs of samples, 8 change one into the other, seen from the identical one, and 4 from the others.
    const InformationVariance halves = variance_of({{2, 2}}, {{2, 2}}, 4);
    const double information = log_two * log_two * 2.0 / 9.0;
    CHECK(std::fabs(halves.information - information) <= 1e-16);
    CHECK(std::fabs(halves.covariance - 0.75 * information) <= 1e-16);
    CHECK(std::fabs(halves.pairwise - 0.75 * 0.75 * information) <= 1e-16);
    CHECK(halves.error >= std::fabs(halves.information - information) && halves.error <= 1e-14);
}

void constant_information() {
    const Groups halves{{2, 2}}, singletons{{1, 4}}, one{{4, 1}}, one_apart{{1, 1}, {3, 1}};
    for (const auto& [rows, columns] : std::vector<std::pair<Groups, Groups>>{
             {halves, one}, {one, one}, {singletons, halves}, {one_apart, halves}, {one_apart, singletons}, {{}, {}}}) {
        const std::uint64_t n = rows.empty() ? 0 : 4;
        CHECK(variance_of(rows, columns, n).information == 0.0);
        CHECK(variance_of(columns, rows, n).error == 0.0);
    }
    CHECK(variance_of(one_apart, one_apart, 4).information > 0.0);
}

InformationVariance over_all_pairs(const Groups& rows, const Groups& columns, std::uint64_t n) {
    SizeNodes row_nodes, column_nodes;
    keep(rows, row_nodes);
    keep(columns, column_nodes);
    DegreeSums sums(row_nodes, column_nodes, n);
    sums.add_all(never_cancelled);
    return sums.variance();
}

void variance_through_nodes(Groups rows, Groups columns) {
    const std::uint64_t n = even_out(rows, columns);
    const InformationVariance found = variance_of(rows, columns, n);
    const InformationVariance mirrored = variance_of(columns, rows, n);
    const InformationVariance exact = over_all_pairs(rows, columns, n);
    CHECK(nodes_of(rows, n, 2, never_cancelled).sizes.size() < rows.size());
    CHECK(std::fabs(found.information - exact.information) <= 2e-15 * exact.information);
    CHECK(std::fabs(found.pairwise - exact.pairwise) <= 2e-15 * exact.pairwise);
    CHECK(found.information == mirrored.information && found.error == mirrored.error);
    CHECK(found.error <= 1e-13 * found.information);
}

void variances_through_nodes() {
    variance_through_nodes(sizes_from(1, 100, 1), sizes_from(1, 60, 2));
    variance_through_nodes(sizes_from(3000, 3040, 1), sizes_from(3000, 3040, 10));
    variance_through_nodes(sizes_from(1, 100, 1), {{500'000'000, 2}});
    variance_through_nodes(sizes_from(1000, 3000, 50), {{64, 100}, {70, 2}});
    variance_through_nodes(geometric_sizes(1.02, 1e4), {{7, 3}, {1'000'000, 10}});
    variance_through_nodes(sizes_from(1, 100, 1), {{1, 1'000'000'000}, {7, 3}});
}

void cancelled_variance() {
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    Groups rows = geometric_sizes(1.05, 1e6), columns = geometric_sizes(1.05, 2e6);
    const std::uint64_t n = even_out(rows, columns);
    CHECK(throws<std::runtime_error>([&] { static_cast<void>(information_variance(rows, columns, n, cancel)); }));
}

const TestGroup these_tests("variance", [] {
    variances_by_hand();
    constant_information();
    variances_through_nodes();
    cancelled_variance();
});

}  // namespace
