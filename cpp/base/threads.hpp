#pragma once

// Several threads for one call: how many are allowed, and how they take part in its tasks. The caller never waits for a
// thread that has not taken part yet: where other programs keep the cores busy, it may come too late by milliseconds.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cancellation.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace chanceless::base {

/// The positive integer in an environment variable; 0 if it is unset or holds something else.
inline unsigned number_in_environment(const char* name) noexcept {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '-') return 0;
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

/// Tasks that one thread, the caller, runs one after the other, and that helpers join while they run. Helpers keep this
/// object alive; of the caller's they use the task alone, and only while the caller waits for them.
class SharedTasks {
  public:
    using Task = std::function<void(unsigned worker)>;

    /// Runs a task, which must not throw, as worker 0; returns when all helpers that have joined are done.
    void run(const Task& task) {
        open(&task);
        task(0U);
        std::unique_lock lock(mutex_);
        task_ = nullptr;
        lock.unlock();
        spin_until([this] { return n_inside_ == 0; });
        lock.lock();
        changed_.wait(lock, [this] { return n_inside_ == 0; });
    }

    /// Joins every task that is open when asked, until there will be no more.
    void help(unsigned worker) {
        for (std::uint64_t n_seen = 0;;) {
            spin_until([&] { return n_opened_ != n_seen; });
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return n_opened_ != n_seen; });
            if (n_opened_ == no_more) return;
            n_seen = n_opened_;
            if (task_ == nullptr) continue;
            const Task& task = *task_;
            ++n_inside_;
            lock.unlock();
            task(worker);
            lock.lock();
            if (--n_inside_ == 0) changed_.notify_all();
        }
    }

    /// Sends all helpers home, also those that come later.
    void dismiss() {
        const std::lock_guard lock(mutex_);
        n_opened_ = no_more;
        changed_.notify_all();
    }

  private:
    static constexpr std::uint64_t no_more = std::numeric_limits<std::uint64_t>::max();

    void open(const Task* task) {
        const std::lock_guard lock(mutex_);
        task_ = task;
        ++n_opened_;
        changed_.notify_all();
    }

    /// Waits actively for what is likely to happen soon: to sleep and to be woken takes longer.
    template <class Condition>
    static void spin_until(const Condition& holds) {
        const auto last = std::chrono::steady_clock::now() + std::chrono::microseconds(30);
        while (!holds() && std::chrono::steady_clock::now() < last) continue;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const Task* task_ = nullptr;
    std::atomic<std::uint64_t> n_opened_{0};
    std::atomic<unsigned> n_inside_{0};  // helpers that have joined the task
};

/// Tells a helper when to stop. One that is stopped by the system amid a chunk keeps the caller waiting. So it offers
/// its place to other programs between two chunks, before its time slice, of some milliseconds, is over; and where
/// others take the place, or took it before the helper began, it leaves the work to the caller.
class HelperTurn {
  public:
    using Clock = std::chrono::steady_clock;

    /// Whether a helper that was to begin at this time has got its place late.
    static bool is_late(Clock::time_point begin) { return Clock::now() - begin > std::chrono::microseconds(300); }

    explicit HelperTurn(unsigned worker) : is_helper_(worker > 0), last_(Clock::now()) {}

    /// Whether to take another chunk.
    bool goes_on() {
        if (!is_helper_ || Clock::now() - last_ < std::chrono::microseconds(500)) return true;
        last_ = Clock::now();
        std::this_thread::yield();
        return !is_late(last_);
    }

  private:
    bool is_helper_;
    Clock::time_point last_;
};

/// The threads of one call: the calling one, and as many more as are wanted and free. Concurrent calls share the
/// allowed number, so that eight Python threads that count do not start eight more each.
class Crew {
  public:
    Crew(std::size_t wanted, const CancellationCheck& check_cancelled) : check_cancelled_(&check_cancelled) {
        reserve(wanted);
        if (extra_ == 0) return;
        tasks_ = std::make_shared<SharedTasks>();
        try {
            // Nobody joins these threads: they end by themselves, and hold nothing but the tasks.
            for (unsigned worker = 1; worker <= extra_; ++worker)
                std::thread([tasks = tasks_, worker, begin = HelperTurn::Clock::now()] {
                    if (!HelperTurn::is_late(begin)) tasks->help(worker);
                }).detach();
        } catch (const std::system_error&) {  // no more threads available: the others do their part as well
        }
    }
    ~Crew() {
        if (tasks_ != nullptr) tasks_->dismiss();
        all_reserved() -= reserved_;
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Workers have numbers below this.
    [[nodiscard]] unsigned size() const noexcept { return extra_ + 1; }

    [[nodiscard]] const CancellationCheck& check_cancelled() const noexcept { return *check_cancelled_; }

    /// Calls work(worker, check) in the calling thread, as worker 0, and in every other thread that comes before the
    /// caller has finished: all must take what is to be done from a common list. If one throws, the others are
    /// cancelled at their next check, and the exception is rethrown here.
    template <class Work>
    void together(const Work& work) const {
        if (tasks_ == nullptr) return work(0U, *check_cancelled_);
        struct Cancelled {};
        std::atomic<bool> cancelled{false};
        std::vector<std::exception_ptr> thrown(size());
        const CancellationCheck check_others = [&] {
            if (cancelled) throw Cancelled();
        };
        const CancellationCheck check_all = [&] {
            check_others();
            (*check_cancelled_)();
        };
        tasks_->run([&](unsigned worker) noexcept {
            try {
                work(worker, worker == 0 ? check_all : check_others);
            } catch (const Cancelled&) {
            } catch (...) {
                thrown[worker] = std::current_exception();
                cancelled = true;
            }
        });
        for (const std::exception_ptr& error : thrown) {
            if (error) std::rethrow_exception(error);
        }
    }

    /// Distributes the items 0 ... n_items - 1 in chunks among at most `most_workers`; calls work(worker, start, stop)
    /// for each, with a cancellation check before each but the first.
    template <class Work>
    void in_chunks(std::size_t n_items, std::size_t chunk, const Work& work,
                   std::size_t most_workers = std::numeric_limits<std::size_t>::max()) const {
        std::atomic<std::size_t> next{0};
        const auto take_chunks = [&](unsigned worker, const CancellationCheck& check) {
            if (worker >= most_workers) return;
            HelperTurn turn(worker);
            for (std::size_t start = next.fetch_add(chunk); start < n_items; start = next.fetch_add(chunk)) {
                if (start > 0) check();
                work(worker, start, std::min(n_items, start + chunk));
                if (!turn.goes_on()) return;
            }
        };
        if (n_items <= chunk) return take_chunks(0U, *check_cancelled_);
        together(take_chunks);
    }

  private:
    void reserve(std::size_t wanted) noexcept {
        if (wanted <= 1) return;
        const unsigned allowed = allowed_threads();
        unsigned busy = all_reserved().load();
        do {
            const unsigned free = allowed > busy + 1 ? allowed - busy - 1 : 0;
            extra_ = static_cast<unsigned>(std::min<std::size_t>(wanted - 1, free));
        } while (!all_reserved().compare_exchange_weak(busy, busy + extra_ + 1));
        reserved_ = extra_ + 1;
    }

    static std::atomic<unsigned>& all_reserved() noexcept {
        static std::atomic<unsigned> threads{0};
        return threads;
    }

    const CancellationCheck* check_cancelled_;
    unsigned extra_ = 0;
    unsigned reserved_ = 0;
    std::shared_ptr<SharedTasks> tasks_;  // none if the calling thread is alone
};

}  // namespace chanceless::base
