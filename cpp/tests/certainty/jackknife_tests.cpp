// Changes of terms without one sample, against terms of the table without it.

#include "certainty/jackknife.hpp"
#include "terms/pairwise.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace numbers;
using namespace counting;
using namespace terms;
using namespace chance;
using namespace certainty;

namespace {

/// A table whose cells are given row by row; empty ones are left out.
struct Matrix {
    std::size_t width;
    std::vector<std::int64_t> counts;

    [[nodiscard]] Table table() const {
        Table result;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] == 0) continue;
            result.row_codes.push_back(static_cast<std::int64_t>(i / width));
            result.column_codes.push_back(static_cast<std::int64_t>(i % width));
            result.counts.push_back(counts[i]);
        }
        result.row_labels.resize(counts.size() / width);
        result.column_labels.resize(width);
        return result;
    }
};

CountedCells counted(const Table& table) {
    return CountedCells(
        {table.row_codes, table.column_codes, table.counts, table.row_labels.size(), table.column_labels.size()});
}

/// n EMI and n^3 / 2 PAMI.
std::pair<double, double> terms_of(const Table& table) {
    const Spectrum spectrum = spectrum_of(table);
    const auto n = static_cast<double>(spectrum.n_samples);
    return {n * expected_information(spectrum.rows, spectrum.columns, spectrum.n_samples, never_cancelled).information,
            n * n * n / 2.0 * pairwise_adjusted_mutual_information(spectrum)};
}

void changes_of(const Matrix& matrix) {
    const Table table = matrix.table();
    const CountedCells cells = counted(table);
    const std::vector<double> expected = expected_changes(cells, never_cancelled);
    const PairwiseChanges pairwise = pairwise_changes(cells, never_cancelled);
    const auto [information, swaps] = terms_of(table);
    for (std::size_t i = 0; i < table.counts.size(); ++i) {
        Matrix fewer = matrix;
        const auto place = static_cast<std::size_t>(table.row_codes[i]) * matrix.width +
                           static_cast<std::size_t>(table.column_codes[i]);
        --fewer.counts[place];
        const auto [fewer_information, fewer_swaps] = terms_of(fewer.table());
        // Both values are off by some units in the last place.
        CHECK(std::fabs(expected[i] - (fewer_information - information)) <= 1e-13);
        CHECK(std::fabs(pairwise.cells[i] - (fewer_swaps - swaps)) <= 1e-11);
    }
}

void cancelled_changes() {
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    Matrix matrix{200, std::vector<std::int64_t>(40'000)};
    for (std::size_t i = 0; i < matrix.counts.size(); ++i) matrix.counts[i] = static_cast<std::int64_t>(i * i % 1009);
    const CountedCells cells = counted(matrix.table());
    CHECK(throws<std::runtime_error>([&] { static_cast<void>(expected_changes(cells, cancel)); }));
    CHECK(throws<std::runtime_error>([&] { static_cast<void>(pairwise_changes(cells, cancel)); }));
}

const TestGroup these_tests("jackknife", [] {
    changes_of({2, {3, 1, 0, 4}});
    changes_of({3, {5, 1, 0, 2, 7, 1, 0, 0, 1}});
    changes_of({4, {1, 1, 1, 1}});
    changes_of({1, {2, 1, 1}});
    changes_of({2, {40, 3, 5, 60}});
    // x log x - (x - 1) log(x - 1), where the table of small numbers ends
    CHECK(std::fabs(LogSteps::at(1024).step - LogStep::at<2>(1024).divided(1, 0)) <= 2e-15);
    CHECK(std::fabs(LogSteps::at(1023).growth - LogSteps::at(1024).growth) <= 1e-9);
    cancelled_changes();
    const std::vector<std::int64_t> codes{0}, none{0};
    CHECK(throws<std::invalid_argument>([&] { static_cast<void>(CountedCells({codes, codes, none, 1, 1})); }));
});

}  // namespace
}  // namespace chanceless::tests
