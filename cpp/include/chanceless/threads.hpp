#pragma once

// Several threads at one piece of work: how many there may be, and how they start, stop and end together.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace chanceless {

/// Called now and then by whoever works; throws if the work is to be given up.
using Pause = std::function<void()>;

/// The whole positive number that an environment variable holds; 0 if it holds none.
inline unsigned number_in_environment(const char* name) noexcept {
    const char* text = std::getenv(name);
    if (text == nullptr) return 0;
    const unsigned long number = std::strtoul(text, nullptr, 10);
    return static_cast<unsigned>(std::min(number, 1024UL));
}

/// How many cores this process may run on.
inline unsigned available_cores() noexcept {
#ifdef __linux__
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return static_cast<unsigned>(CPU_COUNT(&cores));
#endif
    return std::max(1U, std::thread::hardware_concurrency());
}

/// How many threads may be at work: what the user says, else what whoever started this process says (joblib, Dask and
/// Spark set OMP_NUM_THREADS in their workers), else one a core.
inline unsigned allowed_threads() noexcept {
    if (const unsigned ours = number_in_environment("CHANCELESS_THREADS")) return ours;
    if (const unsigned theirs = number_in_environment("OMP_NUM_THREADS")) return theirs;
    return available_cores();
}

/// Threads for the length of a scope, the calling one among them: as many as are wanted and free. Calls at the same
/// time share what is allowed, so that eight Python threads that count do not start eight more each.
class Crew {
  public:
    explicit Crew(std::size_t wanted) noexcept {
        if (wanted <= 1) return;
        const unsigned allowed = allowed_threads();
        unsigned busy = at_work().load();
        do {
            const unsigned free = allowed > busy + 1 ? allowed - busy - 1 : 0;
            extra_ = static_cast<unsigned>(std::min<std::size_t>(wanted - 1, free));
        } while (!at_work().compare_exchange_weak(busy, busy + extra_ + 1));
        counted_ = extra_ + 1;
    }
    ~Crew() { at_work() -= counted_; }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    [[nodiscard]] unsigned size() const noexcept { return extra_ + 1; }

  private:
    static std::atomic<unsigned>& at_work() noexcept {
        static std::atomic<unsigned> threads{0};
        return threads;
    }

    unsigned extra_ = 0;
    unsigned counted_ = 0;
};

/// Calls work(member, pause) for members 0 ... n_members - 1, the first in the calling thread. If one throws, the
/// others give up at their next pause, and it is thrown here.
template <class Work>
void together(unsigned n_members, const Pause& pause, const Work& work) {
    if (n_members == 1) {
        work(0U, pause);
        return;
    }
    struct GivenUp {};
    std::atomic<bool> stopped{false};
    std::vector<std::exception_ptr> thrown(n_members);
    const auto guarded = [&](unsigned member, const Pause& own_pause) noexcept {
        try {
            work(member, own_pause);
        } catch (const GivenUp&) {
        } catch (...) {
            thrown[member] = std::current_exception();
            stopped = true;
        }
    };
    const Pause look_up = [&] {
        if (stopped) throw GivenUp();
    };
    std::vector<std::thread> threads;
    threads.reserve(n_members - 1);
    unsigned started = 1;
    try {
        for (; started < n_members; ++started) threads.emplace_back(guarded, started, std::cref(look_up));
    } catch (const std::system_error&) {  // no more threads to be had: the calling one does their part as well
    }
    guarded(0U, [&] {
        look_up();
        pause();
    });
    for (; started < n_members; ++started) guarded(started, look_up);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : thrown) {
        if (error) std::rethrow_exception(error);
    }
}

/// Shares out the items 0 ... n_items - 1 in chunks; work(member, start, stop) is called for each, with pauses in
/// between.
template <class Work>
void in_chunks(unsigned n_members, std::size_t n_items, std::size_t chunk, const Pause& pause, const Work& work) {
    std::atomic<std::size_t> next{0};
    const std::size_t n_chunks = std::max<std::size_t>(1, (n_items + chunk - 1) / chunk);
    const auto n_useful = static_cast<unsigned>(std::min<std::size_t>(n_members, n_chunks));
    together(n_useful, pause, [&](unsigned member, const Pause& own_pause) {
        for (std::size_t start = next.fetch_add(chunk); start < n_items; start = next.fetch_add(chunk)) {
            if (start > 0) own_pause();
            work(member, start, std::min(n_items, start + chunk));
        }
    });
}

}  // namespace chanceless
