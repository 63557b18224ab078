// Threads: every item once, the first exception wins, and no more threads than allowed.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

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

}  // namespace

void threads_tests() {
    items_in_chunks();
    exceptions_of_workers();
    crews_share_threads();
}

}  // namespace chanceless
