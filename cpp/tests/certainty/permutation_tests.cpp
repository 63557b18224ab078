// Permutation tests: statistics as integers, random numbers, probabilities of tables; what threads share, and
// cancellation in every loop. Distributions are tested from Python.

#include <cstdlib>
#include <new>

#include "certainty/enumeration.hpp"
#include "certainty/resampling.hpp"
#include "certainty/splitting.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace numbers;
using namespace counting;
using namespace chance;
using namespace certainty;
namespace {

constexpr Statistic all_statistics[] = {Statistic::information, Statistic::pairs, Statistic::pairwise};

Spectrum spectrum_of_dense(const std::vector<std::vector<std::int64_t>>& table) {
    std::vector<std::int64_t> rows, columns, counts;
    for (std::size_t i = 0; i < table.size(); ++i) {
        for (std::size_t j = 0; j < table[i].size(); ++j) {
            rows.push_back(static_cast<std::int64_t>(i));
            columns.push_back(static_cast<std::int64_t>(j));
            counts.push_back(table[i][j]);
        }
    }
    return summarise(ListedCells{rows, columns, counts, table.size(), table[0].size()}, {1, never_cancelled});
}

const Spectrum three_by_three = spectrum_of_dense({{14, 3, 3}, {3, 14, 3}, {3, 3, 14}});

void functions_of_doubles() {
    for (double x = 0x1p-60; x < 0x1p1000; x *= 1.37) {
        CHECK(std::fabs(log_of_double(x) - std::log(x)) <= 4.5e-16 * std::max(1.0, std::fabs(std::log(x))));
    }
    for (double x = 0.5; x < 2.0; x += 0x1p-9) {
        CHECK(std::fabs(log_of_double(x) - std::log(x)) <= 4.5e-16 * std::fabs(std::log(x)));
    }
    for (double x = -699.0; x < 699.0; x += 0.83) CHECK(std::fabs(exp_of_double(x) / std::exp(x) - 1.0) <= 4.5e-16);
    CHECK(exp_of_double(0.0) == 1.0);
    CHECK(exp_of_double(-1e300) == 0.0);
    double log_factorial = 0.0;
    for (int x = 0; x < 200; ++x) {
        if (x > 0) log_factorial += std::log(x);
        const double leading = x == 0 ? 0.0 : x * std::log(x) - x + 0.5 * std::log(x);
        // The sum of logarithms is off by a few units of the largest.
        CHECK(std::fabs(leading + half_log_two_pi + stirling_rest(x) - log_factorial) <= 1e-12);
    }
}

/// The numbers of a stream are the same on every machine; those of others differ.
void random_streams() {
    RandomStream random(1, 0);
    CHECK(random.next() == RandomStream(1, 0).next());
    CHECK(RandomStream(1, 0).next() != RandomStream(1, 1).next());
    CHECK(RandomStream(1, 0).next() != RandomStream(2, 0).next());
    std::vector<int> seen(6, 0);
    for (int i = 0; i < 6000; ++i) ++seen[random.below(6)];
    for (const int count : seen) CHECK(std::abs(count - 1000) < 150);  // 5 standard deviations
    // Of 3 * 2^62 numbers, a third are below 2^62; without rejection half of them would be.
    int low = 0;
    for (int i = 0; i < 3000; ++i) low += random.below(std::uint64_t{3} << 62) < std::uint64_t{1} << 62 ? 1 : 0;
    CHECK(std::abs(low - 1000) < 130);
    CHECK(random.below(1) == 0);
    for (int i = 0; i < 1000; ++i) {
        const double u = random.unit();
        CHECK(u > 0.0 && u < 1.0);
    }
}

/// In 64 and in 192 bits behind the point; the observed value is the sum over the cells.
void statistics() {
    const PairwiseStatistic<NarrowStep> narrow(three_by_three, 5);
    const PairwiseStatistic<WideStep> wide(three_by_three, 100);
    const InformationStatistic information(three_by_three, 10);
    const PairsStatistic pairs(three_by_three, 0);
    int128 narrow_sum = 0, information_sum = 0, pairs_sum = 0;
    Fixed<3> wide_sum;
    for (const std::uint64_t count : {14U, 3U, 3U, 3U, 14U, 3U, 3U, 3U, 14U}) {
        narrow_sum += narrow.cell(count, 20, 20);
        wide_sum += wide.cell(count, 20, 20);
        information_sum += information.cell(count, 20, 20);
        pairs_sum += pairs.cell(count, 20, 20);
        const double difference =
            narrow.to_double(narrow.cell(count, 20, 20)) - wide.to_double(wide.cell(count, 20, 20));
        CHECK(std::fabs(difference) <= narrow.to_double(narrow.slack()));
    }
    CHECK(narrow_sum == narrow.observed(three_by_three));
    CHECK(information_sum == information.observed(three_by_three));
    CHECK(pairs_sum == pairs.observed(three_by_three));
    CHECK(!(wide_sum < wide.observed(three_by_three)) && !(wide.observed(three_by_three) < wide_sum));
    const double expected = 3 * 14 * std::log(14.0) + 6 * 3 * std::log(3.0);
    CHECK(std::fabs(information.to_double(information_sum) - expected) <= 1e-13);
    CHECK(pairs_sum == 3 * 91 + 6 * 3);
    CHECK(narrow.cell(0, 20, 20) == 0 && information.cell(1, 20, 20) == 0 && pairs.cell(0, 20, 20) == 0);
    // 8 log 2, twice; and a count beyond 2^31 has the digits of the larger precision.
    CHECK(std::abs(static_cast<double>(information.cell(4, 4, 4) - 4 * information.cell(2, 4, 4))) <= 8);
    const double large = information.to_double(information.cell(max_samples, max_samples, max_samples));
    CHECK(std::fabs(large / (0x1p53 * 53 * std::log(2.0)) - 1.0) <= 1e-15);
}

/// The hat of the rejection covers the distribution: |x - centre| sqrt(p(k) / p(mode)) <= width / 2 for x in [k, k +
/// 1].
void the_hat_covers() {
    RandomStream random(7, 0);
    for (int repetition = 0; repetition < 300; ++repetition) {
        const double total = std::floor(exp_of_double(3.0 + 9.0 * random.unit()));
        const double mean = exp_of_double(1.6 + 4.0 * random.unit());
        const double marked = std::floor(std::sqrt(mean * total) * exp_of_double(2.0 * random.unit() - 1.0));
        const double drawn = std::floor(mean * total / marked);
        if (marked < 1.0 || drawn < 1.0 || marked > total / 2 || drawn > total / 2 || mean < 5.0) continue;
        const MarkedAndDrawn samples{marked, drawn, total};
        const double centre = samples.mean() + 0.5;
        const double half_width = (1.7155277699214135 * std::sqrt(samples.variance() + 0.5) + 0.8989161620588988) / 2.0;
        const ComputedProbability computed(samples);
        bool covers = true, agrees = true;
        for (double count = 0.0; count <= std::min(samples.most(), centre + 60.0 * half_width); count += 1.0) {
            const double log_ratio = computed.log_ratio(count);
            const double farthest = std::max(std::fabs(count - centre), std::fabs(count + 1.0 - centre));
            covers = covers && farthest * exp_of_double(0.5 * std::max(log_ratio, -1000.0)) <= half_width;
            if (total < LogFactorials::size) {
                const double difference = log_ratio - TabulatedProbability(samples).log_ratio(count);
                agrees = agrees && std::fabs(difference) <= 1e-10 * std::max(1.0, -log_ratio);
            }
        }
        CHECK(covers);
        CHECK(agrees);
    }
}

/// Both ways to the p of a 2 x 2 table: all tables, and two tails.
void two_by_two_tables() {
    for (const auto& table : std::vector<std::vector<std::vector<std::int64_t>>>{{{30, 20}, {25, 45}},
                                                                                 {{3, 900}, {800, 700}},
                                                                                 {{1500, 1400}, {1300, 1600}},
                                                                                 {{50, 50}, {50, 50}},
                                                                                 {{7, 0}, {0, 900}}}) {
        const Spectrum spectrum = spectrum_of_dense(table);
        for (const Statistic which : all_statistics) {
            with_statistic(which, spectrum, 100, [&](const auto& statistic) {
                const ExactProbability tails = two_by_two_probability(spectrum, statistic, never_cancelled);
                const ExactProbability all = TableEnumeration(spectrum, statistic, never_cancelled).run();
                CHECK(tails.n_tables == all.n_tables);
                CHECK(std::fabs(tails.log_p - all.log_p) <= 1e-12 * std::max(1.0, -all.log_p));
                CHECK(std::fabs(tails.log_mid_p - all.log_mid_p) <= 1e-12 * std::max(1.0, -all.log_mid_p));
                return 0;
            });
        }
    }
}

/// Several threads draw, stop and split: as one does.
void threads_agree() {
    const EnvironmentVariable allowed("CHANCELESS_THREADS", "4");
    for (const Statistic which : all_statistics) {
        for (const Sampler sampler : {Sampler::cells, Sampler::labels}) {
            const DrawOptions alone{500, 3, 1, sampler}, together{500, 3, 4, sampler};
            CHECK(draw_statistics(three_by_three, which, alone, never_cancelled) ==
                  draw_statistics(three_by_three, which, together, never_cancelled));
        }
        const Spectrum null = spectrum_of_dense({{9, 5, 6}, {6, 8, 6}, {5, 7, 8}});
        const Hits alone = resample(null, which, 20, {5000, 3, 1}, never_cancelled);
        for (int repetition = 0; repetition < 20; ++repetition) {
            const Hits several = resample(null, which, 20, {5000, 3, 4}, never_cancelled);
            CHECK(several.hits == alone.hits && several.draws == alone.draws);
        }
    }
    const Spectrum small = spectrum_of_dense({{5, 1}, {1, 2}, {0, 4}});
    const SplittingResult alone = split(small, Statistic::information, 3, 1, never_cancelled);
    const SplittingResult several = split(small, Statistic::information, 3, 4, never_cancelled);
    CHECK(alone.log_p == several.log_p && alone.standard_error == several.standard_error);
}

/// Values of a population are those of its labellings, never below the level.
void populations() {
    const TableSizes sizes(three_by_three);
    const InformationStatistic statistic(three_by_three, 100);
    SwapPopulation population(sizes, statistic);
    RandomStream random(5, 0);
    PeriodicCheck periodic(never_cancelled);
    population.start(random, periodic);
    CHECK(population.values_hold());
    for (int i = 0; i < 5; ++i) {
        auto sorted = population.values();
        std::sort(sorted.begin(), sorted.end());
        const int128 level = sorted[100];
        const double share = population.keep_above(level, random);
        CHECK(share > 0.0 && share < 1.0);
        population.swap_above(level, random, periodic);
        CHECK(population.values_hold());
        const auto& values = population.values();
        CHECK(*std::min_element(values.begin(), values.end()) >= level);
        CHECK(*std::max_element(values.begin(), values.end()) > level);
    }
    CHECK(population.keep_above(int128{1} << 120, random) == 0.0);
}

/// Every loop is cancelled at its next check.
void cancelled() {
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    const auto is_cancelled = [&](const auto& work) { return throws<std::runtime_error>([&] { work(cancel); }); };
    const Spectrum large = spectrum_of_dense({{100'000, 100'000}, {100'000, 100'000}});
    for (const Sampler sampler : {Sampler::cells, Sampler::labels}) {
        for (const unsigned n_threads : {1U, 3U}) {
            CHECK(is_cancelled([&](const CancellationCheck& check) {
                resample(large, Statistic::pairs, 0, {100'000, 1, n_threads, sampler}, check);
            }));
        }
    }
    CHECK(is_cancelled(
        [&](const CancellationCheck& check) { exact_probability(three_by_three, Statistic::pairs, check); }));
    CHECK(is_cancelled([&](const CancellationCheck& check) {
        const std::int64_t quarter = std::int64_t{1} << 40;
        const Spectrum huge = spectrum_of_dense({{quarter + 1'000'000, quarter}, {quarter, quarter}});
        exact_probability(huge, Statistic::pairs, check);
    }));
    CHECK(is_cancelled([&](const CancellationCheck& check) { split(three_by_three, Statistic::pairs, 1, 2, check); }));
}

void refused() {
    Spectrum singletons;
    singletons.n_samples = std::uint64_t{1} << 40;
    singletons.rows = {{1, singletons.n_samples}};
    singletons.columns = {{singletons.n_samples / 2, 2}};
    CHECK(throws<std::bad_alloc>([&] { resample(singletons, Statistic::pairs, 0, {10, 1, 1}, never_cancelled); }));
    singletons.rows = singletons.columns;
    CHECK(throws<std::bad_alloc>(
        [&] { resample(singletons, Statistic::pairs, 0, {10, 1, 1, Sampler::labels}, never_cancelled); }));
    CHECK(throws<std::overflow_error>([&] { split(singletons, Statistic::pairs, 1, 1, never_cancelled); }));
    const Spectrum empty;
    CHECK(resample(empty, Statistic::information, 0, {10, 1, 1}, never_cancelled).hits == 10);
    CHECK(exact_probability(empty, Statistic::information, never_cancelled).log_p == 0.0);
    CHECK(split(empty, Statistic::information, 1, 1, never_cancelled).log_p == 0.0);
}

const TestGroup these_tests("permutation", [] {
    functions_of_doubles();
    random_streams();
    statistics();
    the_hat_covers();
    two_by_two_tables();
    threads_agree();
    populations();
    cancelled();
    refused();
});

}  // namespace
}  // namespace chanceless::tests
