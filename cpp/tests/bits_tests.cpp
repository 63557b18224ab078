// The same bits on every machine and with every compiler: digests of results, from tables of 90 to 2^52 samples.
//
// The digests are those of the library itself, not known otherwise: other tests say that the results are right. A
// result that changes on purpose changes a digest, which is printed.

#include <cstdio>
#include <initializer_list>

#include "certainty/enumeration.hpp"
#include "certainty/jackknife.hpp"
#include "certainty/resampling.hpp"
#include "certainty/splitting.hpp"
#include "chance/pearson_tail.hpp"
#include "scores/measured_spectrum.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace counting;
using namespace terms;
using namespace chance;
using namespace scores;
using namespace certainty;
namespace {

/// FNV-1a over words.
class Digest {
  public:
    void add(std::uint64_t word) noexcept { state_ = (state_ ^ word ^ (word >> 32)) * 0x100000001B3; }
    void add(double value) noexcept { add(std::bit_cast<std::uint64_t>(value)); }
    void add(std::initializer_list<double> values) noexcept {
        for (const double value : values) add(value);
    }
    void add(const std::vector<double>& values) noexcept {
        for (const double value : values) add(value);
    }
    void check_is(std::uint64_t expected, const char* what) const {
        if (state_ != expected) std::printf("digest of %s: 0x%016llX\n", what, static_cast<unsigned long long>(state_));
        CHECK(state_ == expected);
    }

  private:
    std::uint64_t state_ = 0xCBF29CE484222325;
};

/// A table of random counts below 2^bits; every third cell is empty, counts on the diagonal are larger.
Table random_table(std::int64_t height, std::int64_t width, int bits) {
    RandomStream random(17, static_cast<std::uint64_t>(bits));
    Table table;
    for (std::int64_t i = 0; i < height * width; ++i) {
        const std::int64_t row = i / width, column = i % width;
        const auto length = random.below(static_cast<std::uint64_t>(bits)) + (row == column ? 1 : 0);
        const auto count = static_cast<std::int64_t>(random.below(std::uint64_t{1} << length)) + 1;
        if (random.below(3) == 0 && row != column) continue;
        table.row_codes.push_back(row);
        table.column_codes.push_back(column);
        table.counts.push_back(count);
    }
    table.row_labels.resize(static_cast<std::size_t>(height));
    table.column_labels.resize(static_cast<std::size_t>(width));
    return table;
}

std::vector<Table> tables() {
    return {random_table(3, 4, 4), random_table(12, 9, 7), random_table(40, 50, 14), random_table(20, 20, 45)};
}

void terms() {
    Digest terms, expected, variance;
    for (const Table& table : tables()) {
        const MeasuredSpectrum spectrum(spectrum_of(table));
        for (std::size_t i = 0; i < n_terms; ++i) terms.add(spectrum.term(static_cast<Term>(i)));
        for (const uint128 pairs : {pairs_within(spectrum.spectrum().rows), pairs_within(spectrum.spectrum().cells)}) {
            terms.add(high_half(pairs));
            terms.add(low_half(pairs));
        }
        const ExpectedInformation mean = spectrum.expected(never_cancelled);
        expected.add({mean.information, mean.log_count, mean.error});
        const InformationVariance spread = spectrum.variance(never_cancelled);
        variance.add({spread.information, spread.pairwise, spread.covariance, spread.error});
    }
    terms.check_is(0xE14C50A7E04D3D57, "terms");
    expected.check_is(0x37CA1328E85F01A1, "expected information");
    variance.check_is(0x67A5D216228048A6, "variances");
}

/// So many sizes that nodes replace them.
void many_sizes() {
    std::vector<SizeGroup> rows = geometric_sizes(1.03, 1e9), columns = sizes_from(1, 3000, 7);
    const std::uint64_t n = even_out(rows, columns);
    const ExpectedInformation mean = expected_information(rows, columns, n, never_cancelled);
    const InformationVariance spread = information_variance(rows, columns, n, never_cancelled);
    Digest digest;
    digest.add({mean.information, mean.log_count, mean.error});
    digest.add({spread.information, spread.pairwise, spread.covariance, spread.error});
    digest.check_is(0x76654C48AB388979, "moments through nodes");
}

constexpr Statistic all_statistics[] = {Statistic::information, Statistic::pairs, Statistic::pairwise};

void p_values() {
    Digest cumulants, exact, draws, splitting;
    for (const Statistic which : all_statistics) {
        for (const Table& table : tables()) {
            const Spectrum spectrum = spectrum_of(table);
            const ThirdCumulant cumulant =
                third_cumulant(spectrum.rows, spectrum.columns, spectrum.n_samples, which, never_cancelled);
            cumulants.add({cumulant.value, cumulant.error, cumulant.variance});
            draws.add(draw_statistics(spectrum, which, {200, 5, 1, Sampler::cells}, never_cancelled));
            if (spectrum.n_samples > 10'000) continue;
            draws.add(draw_statistics(spectrum, which, {200, 5, 1, Sampler::labels}, never_cancelled));
        }
        for (const Table& table : {random_table(2, 2, 5), random_table(2, 2, 45), random_table(2, 3, 4)}) {
            const ExactProbability p = exact_probability(spectrum_of(table), which, never_cancelled);
            exact.add({p.log_p, p.log_mid_p, p.n_tables});
        }
        const SplittingResult result = split(spectrum_of(random_table(3, 3, 4)), which, 3, 1, never_cancelled);
        splitting.add({result.log_p, result.standard_error, result.log_low, result.log_high});
    }
    cumulants.check_is(0xA96CE6B777905FE1, "third cumulants");
    exact.check_is(0x19417B0AE9EF3F8C, "exact p-values");
    draws.check_is(0xD11A890A829C3CCB, "random tables");
    splitting.check_is(0x32314B9F5DE4780C, "splitting");
}

void tails() {
    Digest digest;
    for (double z = -6.0; z < 40.0; z += 0.37) digest.add({log_pearson_tail(z, 0.8), log_pearson_tail(z, -0.01)});
    for (const std::uint64_t hits : {0U, 1U, 17U, 1000U}) {
        const ShareInterval interval = clopper_pearson(hits, 1000, 0.95);
        digest.add({interval.low, interval.high});
    }
    digest.check_is(0xD15204DB505951B2, "tails");
}

void leave_one_outs() {
    Digest digest;
    for (const Table& table : tables()) {
        const CountedCells cells(
            {table.row_codes, table.column_codes, table.counts, table.row_labels.size(), table.column_labels.size()});
        const PairwiseChanges changes = pairwise_changes(cells, never_cancelled);
        for (const auto* list : {&changes.cells, &changes.rows, &changes.columns}) digest.add(*list);
        digest.add(expected_changes(cells, never_cancelled));
    }
    digest.check_is(0x3BBC849072C209B4, "leave-one-outs");
}

const TestGroup these_tests("bits", [] {
    terms();
    many_sizes();
    p_values();
    tails();
    leave_one_outs();
});

}  // namespace
}  // namespace chanceless::tests
