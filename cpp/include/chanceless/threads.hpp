#pragma once

// Several threads for one task: how many are allowed, and how they start, are cancelled and are joined.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "chanceless/cancellation.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace chanceless {

/// The positive integer in an environment variable; 0 if it is unset or holds something else.
inline unsigned number_in_environment(const char* name) noexcept {
    const char* text = std::getenv(name);
    if (text == nullptr) return 0;
    const unsigned long number = std::strtoul(text, nullptr, 10);
    return static_cast<unsigned>(std::min(number, 1024UL));
}

/// Number of cores that this process may run on.
inline unsigned available_cores() noexcept {
#ifdef __linux__
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return static_cast<unsigned>(CPU_COUNT(&cores));
#endif
    return std::max(1U, std::thread::hardware_concurrency());
}

/// Number of threads allowed: the user's setting, else that of the parent process (joblib, Dask and Spark set
/// OMP_NUM_THREADS in their workers), else one per core.
inline unsigned allowed_threads() noexcept {
    if (const unsigned ours = number_in_environment("CHANCELESS_THREADS")) return ours;
    if (const unsigned theirs = number_in_environment("OMP_NUM_THREADS")) return theirs;
    return available_cores();
}

/// Reserves threads for a scope, the calling one included: as many as are wanted and free. Concurrent calls share the
/// allowed number, so that eight Python threads that count do not start eight more each.
class Crew {
  public:
    explicit Crew(std::size_t wanted) noexcept {
        if (wanted <= 1) return;
        const unsigned allowed = allowed_threads();
        unsigned busy = all_reserved().load();
        do {
            const unsigned free = allowed > busy + 1 ? allowed - busy - 1 : 0;
            extra_ = static_cast<unsigned>(std::min<std::size_t>(wanted - 1, free));
        } while (!all_reserved().compare_exchange_weak(busy, busy + extra_ + 1));
        reserved_ = extra_ + 1;
    }
    ~Crew() { all_reserved() -= reserved_; }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    [[nodiscard]] unsigned size() const noexcept { return extra_ + 1; }

  private:
    static std::atomic<unsigned>& all_reserved() noexcept {
        static std::atomic<unsigned> threads{0};
        return threads;
    }

    unsigned extra_ = 0;
    unsigned reserved_ = 0;
};

/// How many threads may process the cells of a table, and how they are cancelled.
struct Workers {
    unsigned n_workers;
    const CancellationCheck& check_cancelled;
};

/// Calls work(worker, check) for workers 0 ... n_workers - 1, the first in the calling thread. If one throws, the
/// others are cancelled at their next check, and the exception is rethrown here.
template <class Work>
void together(unsigned n_workers, const CancellationCheck& check_cancelled, const Work& work) {
    if (n_workers == 1) {
        work(0U, check_cancelled);
        return;
    }
    struct Cancelled {};
    std::atomic<bool> cancelled{false};
    std::vector<std::exception_ptr> thrown(n_workers);
    const auto guarded = [&](unsigned worker, const CancellationCheck& worker_check) noexcept {
        try {
            work(worker, worker_check);
        } catch (const Cancelled&) {
        } catch (...) {
            thrown[worker] = std::current_exception();
            cancelled = true;
        }
    };
    const CancellationCheck check_others = [&] {
        if (cancelled) throw Cancelled();
    };
    std::vector<std::thread> threads;
    threads.reserve(n_workers - 1);
    unsigned started = 1;
    try {
        for (; started < n_workers; ++started) threads.emplace_back(guarded, started, std::cref(check_others));
    } catch (const std::system_error&) {  // no more threads available: the calling one does their part as well
    }
    guarded(0U, [&] {
        check_others();
        check_cancelled();
    });
    for (; started < n_workers; ++started) guarded(started, check_others);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : thrown) {
        if (error) std::rethrow_exception(error);
    }
}

/// Distributes the items 0 ... n_items - 1 in chunks; calls work(worker, start, stop) for each, with a cancellation
/// check before each but the first.
template <class Work>
void in_chunks(unsigned n_workers, std::size_t n_items, std::size_t chunk, const CancellationCheck& check_cancelled,
               const Work& work) {
    std::atomic<std::size_t> next{0};
    const std::size_t n_chunks = std::max<std::size_t>(1, (n_items + chunk - 1) / chunk);
    const auto n_useful = static_cast<unsigned>(std::min<std::size_t>(n_workers, n_chunks));
    together(n_useful, check_cancelled, [&](unsigned worker, const CancellationCheck& worker_check) {
        for (std::size_t start = next.fetch_add(chunk); start < n_items; start = next.fetch_add(chunk)) {
            if (start > 0) worker_check();
            work(worker, start, std::min(n_items, start + chunk));
        }
    });
}

}  // namespace chanceless
