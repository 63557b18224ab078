// Threads: every item once, the first exception wins, no more threads than allowed; spectra and cells that are shared.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "chanceless/listed_cells.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/terms.hpp"
#include "chanceless/threads.hpp"
#include "check.hpp"

namespace chanceless {
namespace {

/// Every item is processed once, by whichever worker, and its result is visible after the join.
void items_in_chunks() {
    for (const unsigned n_workers : {1U, 2U, 7U}) {
        for (const std::size_t n_items : {0U, 1U, 6U, 7U, 1000U}) {
            std::vector<int> visits(n_items, 0);
            std::vector<std::size_t> sums(n_workers, 0);
            in_chunks(n_workers, n_items, 7, never_cancelled,
                      [&](unsigned worker, std::size_t start, std::size_t stop) {
                          for (std::size_t i = start; i < stop; ++i) {
                              ++visits[i];
                              sums[worker] += i;
                          }
                      });
            std::size_t sum = 0;
            for (const std::size_t part : sums) sum += part;
            CHECK(visits == std::vector<int>(n_items, 1));
            CHECK(sum == (n_items == 0 ? 0 : n_items * (n_items - 1) / 2));
        }
    }
}

/// An exception in any worker cancels all others, which would never end otherwise.
void exceptions_of_workers() {
    for (unsigned thrower = 0; thrower < 3; ++thrower) {
        const auto work = [&](unsigned worker, const CancellationCheck& worker_check) {
            if (worker == thrower) throw std::out_of_range("one worker");
            for (;;) worker_check();
        };
        CHECK(throws<std::out_of_range>([&] { together(3, never_cancelled, work); }));
    }
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    const auto endless = [](unsigned, const CancellationCheck& worker_check) {
        for (;;) worker_check();
    };
    CHECK(throws<std::runtime_error>([&] { together(3, cancel, endless); }));
}

/// Crews of several threads never reserve more than is allowed, plus one for each caller.
void crews_share_threads() {
    setenv("CHANCELESS_THREADS", "4", 1);
    CHECK(Crew(0).size() == 1);
    CHECK(Crew(3).size() == 3);
    {
        const Crew first(4);
        CHECK(first.size() == 4);
        CHECK(Crew(4).size() == 1);
    }
    std::atomic<unsigned> running{0};
    std::atomic<bool> exceeded{false};
    constexpr unsigned n_callers = 6;
    together(n_callers, never_cancelled, [&](unsigned, const CancellationCheck&) {
        for (int i = 0; i < 200; ++i) {
            const Crew crew(3);
            if ((running += crew.size() - 1) > 3) exceeded = true;
            running -= crew.size() - 1;
        }
    });
    CHECK(!exceeded);
    CHECK(Crew(4).size() == 4);
    setenv("CHANCELESS_THREADS", "many", 1);
    setenv("OMP_NUM_THREADS", "2", 1);
    CHECK(allowed_threads() == 2);
    unsetenv("OMP_NUM_THREADS");
    unsetenv("CHANCELESS_THREADS");
    CHECK(allowed_threads() == available_cores());
}

/// Threads share a spectrum, whose terms are computed on demand: all get the terms of one thread. Copies made meanwhile
/// are complete or know less.
void shared_spectrum() {
    std::vector<std::int64_t> rows, columns, counts;
    for (std::int64_t i = 0; i < 300; ++i) {
        rows.push_back(i % 20);
        columns.push_back(i / 15);
        counts.push_back(1 + i % 37);
    }
    const MeasuredSpectrum alone(summarise(ListedCells{rows, columns, counts, 20, 20}, {1, never_cancelled}));
    alone.cache(~TermSet{}, never_cancelled);
    for (int repetition = 0; repetition < 20; ++repetition) {
        const MeasuredSpectrum shared(alone.spectrum());
        std::atomic<bool> differs{false};
        together(4, never_cancelled, [&](unsigned worker, const CancellationCheck&) {
            for (std::size_t i = 0; i < n_terms; ++i) {
                const auto term = static_cast<Term>((i + 3 * worker) % n_terms);
                if (shared.term(term) != alone.term(term)) differs = true;
                if (shared.expected(never_cancelled).information != alone.expected(never_cancelled).information)
                    differs = true;
                if (shared.variance(never_cancelled).error != alone.variance(never_cancelled).error) differs = true;
                const MeasuredSpectrum copy = shared;
                if (copy.term(term) != alone.term(term)) differs = true;
                if (shared.transposed().term(mirrored(term)) != alone.term(term)) differs = true;
            }
        });
        CHECK(!differs);
        CHECK(shared.cached().all());
    }
}

/// Cells in any order, repeated and empty ones among them; codes out of range are refused.
void merging_cells() {
    const std::vector<std::int64_t> rows{2, 0, 2, 1, 0, 2}, columns{1, 0, 1, 1, 0, 0}, counts{4, 1, 3, 0, 5, 2};
    for (const std::size_t width : {std::size_t{2}, std::size_t{1} << 40}) {  // dense, sorted
        const MergedCells merged = merge_cells(ListedCells{rows, columns, counts, 3, width}, never_cancelled);
        CHECK(merged.row_codes == (MergedCells::Integers{0, 2, 2}));
        CHECK(merged.column_codes == (MergedCells::Integers{0, 0, 1}));
        CHECK(merged.counts == (MergedCells::Integers{6, 2, 7}));
    }
    const std::vector<std::int64_t> negative{0, 0, -1, 0, 0, 0};
    const auto merge = [&](const auto& a, const auto& b, std::size_t height) {
        return [&, height] { merge_cells(ListedCells{a, b, counts, height, 2}, never_cancelled); };
    };
    CHECK(throws<std::invalid_argument>(merge(rows, columns, 2)));
    CHECK(throws<std::invalid_argument>(merge(rows, negative, 3)));
    CHECK(throws<std::invalid_argument>([&] {
        merge_cells(ListedCells{rows, columns, counts, std::size_t{1} << 40, std::size_t{1} << 40}, never_cancelled);
    }));
    CHECK(throws<std::invalid_argument>(
        [&] { summarise(ListedCells{rows, columns, counts, 2, 2}, {1, never_cancelled}); }));
    CHECK(merge_cells(ListedCells{{}, {}, {}, 0, 0}, never_cancelled).counts.empty());
}

/// Long lists of cells are cancelled at the next check, in every step.
void cancelled_cells() {
    constexpr std::int64_t n = 200'000;
    std::vector<std::int64_t> rows, columns, counts;
    for (std::int64_t i = 0; i < n; ++i) {
        rows.push_back((i * 7919) % n);
        columns.push_back((i * 104'729) % n);
        counts.push_back(5000 + i);
    }
    const ListedCells cells{rows, columns, counts, n, n};
    for (const bool merge : {true, false}) {
        int n_checks = 0;
        const auto run = [&](const CancellationCheck& check) {
            if (merge) {
                merge_cells(cells, check);
            } else {
                summarise(cells, {1, check});
            }
        };
        run([&] { ++n_checks; });
        CHECK(n_checks > 6);
        for (int last = 0; last < n_checks; ++last) {
            int left = last;
            CHECK(throws<std::runtime_error>([&] {
                run([&] {
                    if (left-- == 0) throw std::runtime_error("cancelled");
                });
            }));
        }
    }
}

}  // namespace

void threads_tests() {
    shared_spectrum();
    merging_cells();
    cancelled_cells();
    items_in_chunks();
    exceptions_of_workers();
    crews_share_threads();
}

}  // namespace chanceless
