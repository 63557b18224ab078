// All pairs of many clusterings: every spectrum equals that of the pair alone.

#include <set>

#include "many/pair_scores.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace counting;
using namespace terms;
using namespace chance;
using namespace scores;
using namespace many;
namespace {

struct Given {
    std::vector<std::uint32_t> codes;
    std::size_t n_clusters;
};

/// Random codes below n_clusters; with leave_out, up to n_clusters.
Given random_clustering(std::size_t n_clusters, std::size_t n_samples, bool leave_out, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::uint32_t> code(0, static_cast<std::uint32_t>(n_clusters - !leave_out));
    Given given{std::vector<std::uint32_t>(n_samples), n_clusters};
    for (std::uint32_t& one : given.codes) one = code(random);
    return given;
}

Spectrum spectrum_of_pair(const Given& left, const Given& right) {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> columns;
    for (std::size_t i = 0; i < left.codes.size(); ++i) {
        if (left.codes[i] >= left.n_clusters || right.codes[i] >= right.n_clusters) continue;
        rows.push_back(left.codes[i]);
        columns.push_back(right.codes[i]);
    }
    return spectrum_of(count_of(rows, columns), true);
}

void all_pairs(const std::vector<std::size_t>& numbers_of_clusters, std::size_t n_samples, bool leave_out) {
    std::vector<Given> given;
    Clusterings clusterings(n_samples);
    for (const std::size_t n_clusters : numbers_of_clusters) {
        given.push_back(random_clustering(n_clusters, n_samples, leave_out && n_clusters % 2 == 0,
                                          static_cast<unsigned>(given.size())));
        clusterings.add(given.back().codes, n_clusters);
    }
    const PackedClusterings packed = std::move(clusterings).pack(never_cancelled);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    const std::size_t half = packed.n_units() / 2;
    for (const auto& [first, last] : {std::pair{std::size_t{0}, half}, std::pair{half, packed.n_units()}}) {
        for (PackedClusterings::Pair& pair : packed.spectra(first, last, TermSet(), never_cancelled)) {
            CHECK(pair.row <= pair.column);
            CHECK(seen.insert({pair.row, pair.column}).second);
            CHECK(pair.spectrum.spectrum() == spectrum_of_pair(given[pair.row], given[pair.column]));
        }
    }
    CHECK(seen.size() == given.size() * (given.size() + 1) / 2);
}

void cached_terms() {
    const Given left = random_clustering(5, 200, false, 1);
    const Given right = random_clustering(7, 200, false, 2);
    Clusterings clusterings(200);
    clusterings.add(left.codes, left.n_clusters);
    clusterings.add(right.codes, right.n_clusters);
    const PackedClusterings packed = std::move(clusterings).pack(never_cancelled);
    const TermSet all = ~TermSet();
    for (PackedClusterings::Pair& pair : packed.spectra(0, packed.n_units(), all, never_cancelled)) {
        CHECK(pair.spectrum.cached() == all);
        MeasuredSpectrum alone(pair.spectrum.spectrum());
        MeasuredSpectrum transposed = pair.spectrum.transposed();
        MeasuredSpectrum mirror(transposed.spectrum());
        CHECK(transposed.cached() == all);
        CHECK(alone.cached().none());
        for (std::size_t place = 0; place < n_terms; ++place) {
            const auto term = static_cast<Term>(place);
            CHECK(pair.spectrum.term(term) == alone.term(term));
            CHECK(transposed.term(term) == mirror.term(term));
        }
        CHECK(pair.spectrum.expected(never_cancelled).information == alone.expected(never_cancelled).information);
        CHECK(transposed.expected(never_cancelled).information == mirror.expected(never_cancelled).information);
        CHECK(pair.spectrum.variance(never_cancelled).error == alone.variance(never_cancelled).error);
        CHECK(transposed.variance(never_cancelled).pairwise == mirror.variance(never_cancelled).pairwise);
        MeasuredSpectrum half(pair.spectrum.spectrum());
        half.term(Term::row_entropy);
        CHECK(half.transposed().cached() == TermSet().set(place_of(Term::column_entropy)));
    }
}

std::vector<double> matrix_for(std::size_t n_clusterings) {
    return std::vector<double>(n_clusterings * n_clusterings, -7.0);
}

/// Every score of every pair, in both orders, is that of its spectrum.
void scores_of_pairs(const std::vector<std::size_t>& numbers_of_clusters, std::size_t n_samples, bool leave_out) {
    const std::size_t m = numbers_of_clusters.size();
    Clusterings clusterings(n_samples);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t k = numbers_of_clusters[i];
        clusterings.add(random_clustering(k, n_samples, leave_out && k % 2 == 0, static_cast<unsigned>(i)).codes, k);
    }
    const PackedClusterings packed = std::move(clusterings).pack(never_cancelled);
    PairScorer scorer(packed, never_cancelled);
    CHECK(scorer.n_clusterings() == m);
    for (std::size_t method = 0; method < average_names.size(); ++method) {
        const auto average = static_cast<Average>(method);
        std::vector<std::vector<double>> matrices(score_names.size(), matrix_for(m));
        std::vector<WantedScore> wanted;
        for (std::size_t i = 0; i < matrices.size(); ++i) {
            wanted.push_back({static_cast<Score>(i), true, matrices[i].data()});
        }
        std::vector<std::int64_t> counted(m * m, -7);
        const std::size_t half = packed.n_units() / 2;
        const std::size_t n_pairs =
            scorer.score(0, half, wanted, average, counted.data(), never_cancelled) +
            scorer.score(half, packed.n_units(), wanted, average, counted.data(), never_cancelled);
        CHECK(n_pairs == m * (m + 1) / 2);
        for (const PackedClusterings::Pair& pair : packed.spectra(0, packed.n_units(), TermSet(), never_cancelled)) {
            const MeasuredSpectrum mirror = pair.spectrum.transposed();
            const std::size_t here = pair.row * m + pair.column, there = pair.column * m + pair.row;
            CHECK(counted[here] == static_cast<std::int64_t>(mirror.spectrum().n_samples));
            CHECK(counted[there] == counted[here]);
            for (const WantedScore& one : wanted) {
                CHECK(one.matrix[here] == compute(one.score, SpectrumTerms{pair.spectrum, never_cancelled}, average));
                CHECK(one.matrix[there] == compute(one.score, SpectrumTerms{mirror, never_cancelled}, average));
            }
        }
    }
}

/// More sizes than a table has numbers for: a memo takes its place.
void many_sizes() {
    std::vector<SizeGroup> groups;
    std::uint64_t n_samples = 1;
    for (std::uint64_t size = 1; n_samples < 20'000'000; size = size * 4 + 1) {  // too far apart for interpolation
        groups.push_back({size, 1});
        n_samples += size;
    }
    for (const bool too_many : {false, true}) {
        std::vector<SizeNodes> lists{nodes_of(groups, n_samples, 1, never_cancelled)};
        for (std::uint64_t size = 1; too_many && size <= 1200; ++size) {
            lists.push_back({{{Amount(size), 1.0, 0.0}}, {}});
        }
        std::vector<SizeNodes*> all;
        for (SizeNodes& list : lists) all.push_back(&list);
        NodeCache table(all);
        const Amount n(n_samples);
        for (int time = 0; time < 2; ++time) {
            for (const WeightedSize& row : lists.front().sizes) {
                for (const WeightedSize& column : lists.front().sizes) {
                    CHECK(table.information(row, column, n).value ==
                          cell_information(row.amount, column.amount, n).value);
                    CHECK(table.information(row, column, n).bound ==
                          cell_information(row.amount, column.amount, n).bound);
                    CHECK(table.entropy(row, column, n).value == cell_entropy(row.amount, column.amount, n).value);
                }
            }
        }
    }
}

void cancelled_pairs() {
    Clusterings clusterings(5000);
    for (unsigned seed = 0; seed < 20; ++seed) {
        clusterings.add(random_clustering(20, 5000, false, seed).codes, 20);
    }
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    const PackedClusterings packed = std::move(clusterings).pack(never_cancelled);
    for (const char* threads : {"1", "2"}) {
        const EnvironmentVariable allowed("CHANCELESS_THREADS", threads);
        const auto count = [&] { static_cast<void>(packed.spectra(0, packed.n_units(), TermSet(), cancel)); };
        CHECK(throws<std::runtime_error>(count));
    }
    clusterings = Clusterings(3);
    clusterings.add(std::vector<std::uint32_t>{0, 1, 0}, 2);
    CHECK(throws<std::runtime_error>([&] { static_cast<void>(std::move(clusterings).pack(cancel)); }));
}

/// Codes out of range would be written outside of the tables.
void refused_codes() {
    using Codes = std::vector<std::uint32_t>;
    const std::uint32_t highest = std::numeric_limits<std::uint32_t>::max();
    Clusterings clusterings(3);
    const auto refused = [&](const Codes& codes, std::size_t n_clusters) {
        return throws<std::invalid_argument>([&] { clusterings.add(codes, n_clusters); });
    };
    CHECK(refused({0, 1, 3}, 2));
    CHECK(refused({0, 1, highest}, 2));
    CHECK(refused({256, 0, 0}, 2));    // 0 as a byte
    CHECK(refused({258, 0, 0}, 257));  // one byte is not enough
    CHECK(refused({0, 1, 0}, 0));
    CHECK(refused({0, 1}, 2));
    CHECK(refused({0, 1, 1, 0}, 2));
    CHECK(throws<std::length_error>([&] { clusterings.add(Codes{0, 1, 0}, highest); }));
    clusterings.add(Codes{0, 0, 0}, 0);        // all samples left out
    clusterings.add(Codes{256, 255, 0}, 256);  // left out by a code that no byte can hold
    clusterings.add(Codes{255, 254, 0}, 255);
    const PackedClusterings packed = std::move(clusterings).pack(never_cancelled);
    CHECK(packed.spectra(0, packed.n_units(), TermSet(), never_cancelled).size() == 6);
    for (const auto& [row, _, spectrum] : packed.spectra(0, packed.n_units(), TermSet(), never_cancelled)) {
        const std::uint64_t n_samples = spectrum.spectrum().n_samples;
        CHECK(n_samples == (row == 0 ? 0U : 2U));
    }
    const auto wrong_units = [&](std::size_t first, std::size_t last) {
        return throws<std::invalid_argument>(
            [&] { static_cast<void>(packed.spectra(first, last, TermSet(), never_cancelled)); });
    };
    CHECK(wrong_units(0, packed.n_units() + 1));
    CHECK(wrong_units(1, 0));
}

const TestGroup these_tests("clusterings", [] {
    many_sizes();
    scores_of_pairs({1, 2, 3, 5, 8, 12, 30, 60, 255, 300}, 700, false);
    scores_of_pairs({1, 2, 2, 4, 5, 8, 31, 40, 256, 300}, 700, true);
    scores_of_pairs({2, 3, 4, 7, 9, 20, 20}, 3000, false);
    scores_of_pairs({1, 2, 3}, 1, false);
    scores_of_pairs({1, 4, 2}, 4, true);
    scores_of_pairs({3, 40}, 200'000, false);
    // bitsets, several in a byte, one in a byte, 32 bits
    const std::vector<std::size_t> kinds{8, 2, 300, 3, 4, 2, 12, 1, 5, 5, 12, 20, 256, 255, 257, 900, 4, 13, 10, 2};
    for (const std::size_t n_samples : {1U, 2U, 63U, 64U, 65U, 500U, 3000U}) {
        all_pairs(kinds, n_samples, false);
        all_pairs(kinds, n_samples, true);
    }
    all_pairs({2, 3, 4, 4, 5, 8, 8, 11, 12, 12, 144, 300}, 90'000, true);
    Clusterings empty(0);
    empty.add({}, 0);
    empty.add({}, 0);
    const PackedClusterings packed = std::move(empty).pack(never_cancelled);
    CHECK(packed.spectra(0, packed.n_units(), ~TermSet(), never_cancelled).size() == 3);
    CHECK(Clusterings(5).pack(never_cancelled).n_units() == 0);
    refused_codes();
    cached_terms();
    cancelled_pairs();
});

}  // namespace
}  // namespace chanceless::tests
