// All pairs of many clusterings: every spectrum is that of the pair alone.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chanceless/clusterings.hpp"
#include "check.hpp"

namespace chanceless {
namespace {

struct Given {
    std::vector<std::uint32_t> codes;
    std::size_t n_clusters;
};

/// Codes below n_clusters, each of which occurs if there are samples enough; some left out, if wanted.
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
    return spectrum_of(count_of(rows, columns));
}

void all_pairs(const std::vector<std::size_t>& numbers_of_clusters, std::size_t n_samples, bool leave_out) {
    std::vector<Given> given;
    Clusterings clusterings(n_samples);
    for (const std::size_t n_clusters : numbers_of_clusters) {
        given.push_back(random_clustering(n_clusters, n_samples, leave_out && n_clusters % 2 == 0,
                                          static_cast<unsigned>(given.size())));
        clusterings.add(given.back().codes, n_clusters);
    }
    clusterings.pack(no_pause);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    const std::size_t half = clusterings.n_units() / 2;
    for (const auto& [first, last] : {std::pair{std::size_t{0}, half}, std::pair{half, clusterings.n_units()}}) {
        for (Clusterings::Pair& pair : clusterings.spectra(first, last, TermSet(), no_pause)) {
            CHECK(pair.row <= pair.column);
            CHECK(seen.insert({pair.row, pair.column}).second);
            CHECK(pair.spectrum.spectrum() == spectrum_of_pair(given[pair.row], given[pair.column]));
        }
    }
    CHECK(seen.size() == given.size() * (given.size() + 1) / 2);
}

void terms_known_beforehand() {
    const Given left = random_clustering(5, 200, false, 1);
    const Given right = random_clustering(7, 200, false, 2);
    Clusterings clusterings(200);
    clusterings.add(left.codes, left.n_clusters);
    clusterings.add(right.codes, right.n_clusters);
    clusterings.pack(no_pause);
    const TermSet all = ~TermSet();
    for (Clusterings::Pair& pair : clusterings.spectra(0, clusterings.n_units(), all, no_pause)) {
        CHECK(pair.spectrum.known() == all);
        MeasuredSpectrum alone(pair.spectrum.spectrum());
        MeasuredSpectrum transposed = pair.spectrum.transposed();
        MeasuredSpectrum mirror(transposed.spectrum());
        CHECK(transposed.known() == all);
        CHECK(alone.known().none());
        for (std::size_t place = 0; place < n_terms; ++place) {
            const auto term = static_cast<Term>(place);
            CHECK(pair.spectrum.term(term) == alone.term(term));
            CHECK(transposed.term(term) == mirror.term(term));
        }
        CHECK(pair.spectrum.expected(no_pause).information == alone.expected(no_pause).information);
        CHECK(transposed.expected(no_pause).information == mirror.expected(no_pause).information);
        MeasuredSpectrum half(pair.spectrum.spectrum());
        half.term(Term::row_entropy);
        CHECK(half.transposed().known() == TermSet(1U << static_cast<unsigned>(Term::column_entropy)));
    }
}

void interruption_of_pairs() {
    Clusterings clusterings(5000);
    for (unsigned seed = 0; seed < 20; ++seed) {
        clusterings.add(random_clustering(20, 5000, false, seed).codes, 20);
    }
    clusterings.pack(no_pause);
    for (const char* threads : {"1", "2"}) {
        setenv("CHANCELESS_THREADS", threads, 1);
        bool stopped = false;
        try {
            (void)clusterings.spectra(0, clusterings.n_units(), TermSet(), [] { throw std::runtime_error("enough"); });
        } catch (const std::runtime_error&) {
            stopped = true;
        }
        CHECK(stopped);
    }
    unsetenv("CHANCELESS_THREADS");
}

}  // namespace

void clusterings_tests() {
    // by bits, several in a byte, one in a byte, in full width
    const std::vector<std::size_t> kinds{8, 2, 300, 3, 4, 2, 12, 1, 5, 5, 12, 20, 256, 255, 257, 900, 4, 13, 10, 2};
    for (const std::size_t n_samples : {1U, 2U, 63U, 64U, 65U, 500U, 3000U}) {
        all_pairs(kinds, n_samples, false);
        all_pairs(kinds, n_samples, true);
    }
    all_pairs({2, 3, 4, 4, 5, 8, 8, 11, 12, 12, 144, 300}, 90'000, true);
    Clusterings empty(0);
    empty.add({}, 0);
    empty.add({}, 0);
    empty.pack(no_pause);
    CHECK(empty.spectra(0, empty.n_units(), ~TermSet(), no_pause).size() == 3);
    terms_known_beforehand();
    interruption_of_pairs();
}

}  // namespace chanceless
