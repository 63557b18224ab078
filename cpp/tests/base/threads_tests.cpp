// Threads: every item once, nobody waits for latecomers, the first exception wins, no more threads than allowed;
// spectra and cells that are shared.

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "base/shared_tasks.hpp"
#include "scores/measured_spectrum.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace numbers;
using namespace counting;
using namespace chance;
using namespace scores;
namespace {

/// Every item is processed once, by whichever worker, and its result is visible afterwards.
void items_in_chunks() {
    const EnvironmentVariable seven("CHANCELESS_THREADS", "7");
    for (const unsigned n_workers : {1U, 2U, 7U}) {
        for (const std::size_t n_items : {0U, 1U, 6U, 7U, 1000U}) {
            std::vector<int> visits(n_items, 0);
            std::vector<std::size_t> sums(n_workers, 0);
            const Crew crew(n_workers, never_cancelled);
            crew.in_chunks(n_items, 7, [&](unsigned worker, std::size_t start, std::size_t stop) {
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

/// An exception in any worker cancels all others, which would go on for long otherwise. Not every helper comes: it is
/// tried again until the one that throws does. In an emulator, all of them may come too late each time.
void exceptions_of_workers() {
    const EnvironmentVariable three("CHANCELESS_THREADS", "3");
    for (unsigned thrower = 0; thrower < 3; ++thrower) {
        std::atomic<bool> has_come{false};
        const auto work = [&](unsigned worker, const CancellationCheck& worker_check) {
            if (worker == thrower) {
                has_come = true;
                throw std::out_of_range("one worker");
            }
            const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
            while (std::chrono::steady_clock::now() < last) worker_check();
        };
        bool has_thrown = false;
        for (int i = 0; i < 200 && !has_come; ++i) {
            has_thrown = throws<std::out_of_range>([&] { Crew(3, never_cancelled).together(work); });
        }
        CHECK(has_thrown == has_come);
    }
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    const auto endless = [](unsigned, const CancellationCheck& worker_check) {
        for (;;) worker_check();
    };
    CHECK(throws<std::runtime_error>([&] { Crew(3, cancel).together(endless); }));
}

/// One crew has many tasks, one after the other; the data of each are gone when the next one starts.
void tasks_of_one_crew() {
    const EnvironmentVariable four("CHANCELESS_THREADS", "4");
    for (int repetition = 0; repetition < 50; ++repetition) {
        const Crew crew(4, never_cancelled);
        for (std::size_t n_items = 0; n_items < 40; ++n_items) {
            const auto visits = std::make_unique<std::vector<int>>(n_items, 0);
            crew.in_chunks(n_items, 1, [&](unsigned, std::size_t i, std::size_t) { ++(*visits)[i]; });
            CHECK(*visits == std::vector<int>(n_items, 1));
        }
        crew.in_chunks(100, 1, [&](unsigned worker, std::size_t, std::size_t) { CHECK(worker < 1); }, 1);
    }
}

/// The caller does not wait for helpers that have not come; one that comes late touches no task.
void late_helpers() {
    const auto tasks = std::make_shared<SharedTasks>();
    bool is_over = false;
    bool was_late = false;
    int n_calls = 0;
    const SharedTasks::Task task = [&](unsigned) {
        ++n_calls;
        was_late = was_late || is_over;
    };
    tasks->run(task);  // would not return if it waited for anybody
    is_over = true;
    std::thread late([&] { tasks->help(1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    tasks->dismiss();
    late.join();
    tasks->help(2);  // comes when all is over
    CHECK(n_calls == 1);
    CHECK(!was_late);
}

/// The caller waits for a helper that has joined, however long it takes, and sees what it has done.
void slow_helpers() {
    const auto tasks = std::make_shared<SharedTasks>();
    std::thread helper([&] { tasks->help(1); });
    for (const int milliseconds : {0, 5}) {
        std::atomic<bool> has_joined{false};
        int result = 0;
        tasks->run([&](unsigned worker) {
            if (worker == 0) {
                while (!has_joined) continue;
            } else {
                has_joined = true;
                std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
                result = 7;
            }
        });
        CHECK(result == 7);
    }
    tasks->dismiss();
    helper.join();
}

/// Crews of several threads never reserve more than is allowed, plus one for each caller.
void crews_share_threads() {
    const EnvironmentVariable four("CHANCELESS_THREADS", "4");
    CHECK(Crew(0, never_cancelled).size() == 1);
    CHECK(Crew(3, never_cancelled).size() == 3);
    {
        const Crew first(4, never_cancelled);
        CHECK(first.size() == 4);
        CHECK(Crew(4, never_cancelled).size() == 1);
    }
    std::atomic<unsigned> running{0};
    std::atomic<bool> exceeded{false};
    std::vector<std::thread> callers(6);
    for (std::thread& caller : callers)
        caller = std::thread([&] {
            for (int i = 0; i < 200; ++i) {
                const Crew crew(3, never_cancelled);
                if ((running += crew.size() - 1) > 3) exceeded = true;
                running -= crew.size() - 1;
            }
        });
    for (std::thread& caller : callers) caller.join();
    CHECK(!exceeded);
    CHECK(Crew(4, never_cancelled).size() == 4);
}

/// A setting that is no positive number is as none; without any, there is a thread for each core.
void settings_of_threads() {
    for (const char* setting : {"many", "0", "-1"}) {
        const EnvironmentVariable ours("CHANCELESS_THREADS", setting);
        const EnvironmentVariable theirs("OMP_NUM_THREADS", "2");
        CHECK(allowed_threads() == 2);
    }
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
        const auto ask_for_terms = [&](unsigned worker) {
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
        };
        std::vector<std::thread> threads;
        for (unsigned worker = 0; worker < 4; ++worker) threads.emplace_back(ask_for_terms, worker);
        for (std::thread& thread : threads) thread.join();
        CHECK(!differs);
        CHECK(shared.cached().all());
    }
}

bool is_same(const Bounded& left, const Bounded& right) {
    return left.value == right.value && left.bound == right.bound;
}

WeightedSize node_of(std::uint64_t size) { return {Amount(size), 1.0, 0.0}; }

/// Threads that want the same few places of a memo never see a part of somebody else's entry.
void shared_memo() {
    CellMemo memo(2);
    std::atomic<int> n_wrong{0};
    const auto ask = [&](unsigned seed) {
        std::mt19937 random(seed);
        std::uniform_int_distribution<std::uint64_t> size(1, 6), totals(6, 8);
        for (int i = 0; i < 20'000; ++i) {
            const WeightedSize a = node_of(size(random)), b = node_of(size(random));
            const Amount n(totals(random));
            if (!is_same(memo.information(a, b, n), cell_information(b.amount, a.amount, n))) ++n_wrong;
            if (!is_same(memo.entropy(a, b, n), cell_entropy(b.amount, a.amount, n))) ++n_wrong;
        }
    };
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(ask, seed);
    for (std::thread& thread : threads) thread.join();
    CHECK(n_wrong == 0);
}

/// Sizes and totals on both sides of what fits into a key, each twice: computed, then known.
void sizes_of_a_memo() {
    CellMemo memo(12);
    constexpr std::uint64_t last = (std::uint64_t{1} << 31) - 1;
    for (const std::uint64_t total : {std::uint64_t{2}, std::uint64_t{1000}, last, last + 1, max_samples}) {
        for (const std::uint64_t small : {std::uint64_t{1}, total / 1000 + 1, total / 2, total - 1, total}) {
            for (const std::uint64_t large : {total / 3 + 1, total}) {
                const WeightedSize a = node_of(small), b = node_of(large);
                const Amount n(total);
                for (int time = 0; time < 2; ++time) {
                    CHECK(is_same(memo.information(a, b, n), cell_information(a.amount, b.amount, n)));
                    CHECK(is_same(memo.information(b, a, n), cell_information(b.amount, a.amount, n)));
                    CHECK(is_same(memo.entropy(a, b, n), cell_entropy(a.amount, b.amount, n)));
                }
            }
        }
    }
}

const TestGroup these_tests("threads", [] {
    shared_memo();
    sizes_of_a_memo();
    shared_spectrum();
    items_in_chunks();
    tasks_of_one_crew();
    late_helpers();
    slow_helpers();
    exceptions_of_workers();
    crews_share_threads();
    settings_of_threads();
});

}  // namespace
}  // namespace chanceless::tests
