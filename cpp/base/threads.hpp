#pragma once

// Several threads for one call: how many are allowed, and how they take part in its tasks. The caller never waits for a
// thread that has not taken part yet: where other programs keep the cores busy, it may come too late by milliseconds.

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

#include "base/cancellation.hpp"

namespace chanceless::base {

/// Whether threads can be started: in WebAssembly, only where the compiler is asked for them.
#if defined(CHANCELESS_NO_THREADS) || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__))
inline constexpr bool has_threads = false;
#else
inline constexpr bool has_threads = true;
#endif

/// Number of cores that this process may run on.
unsigned available_cores() noexcept;

/// Number of threads allowed: one if none can be started; the user's setting, else that of the parent process (joblib,
/// Dask and Spark set OMP_NUM_THREADS in their workers), else one per core.
unsigned allowed_threads() noexcept;

class SharedTasks;

/// Tells a helper when to stop. One that is stopped by the system amid a chunk keeps the caller waiting. So it offers
/// its place to other programs between two chunks, before its time slice, of some milliseconds, is over; and where
/// others take the place, or took it before the helper began, it leaves the work to the caller.
class HelperTurn {
  public:
    explicit HelperTurn(unsigned worker) noexcept;

    /// Whether to take another chunk.
    bool goes_on() noexcept;

  private:
    bool is_helper_;
    std::int64_t last_;  // nanoseconds of the steady clock
};

/// The threads of one call: the calling one, and as many more as are wanted and free. Concurrent calls share the
/// allowed number, so that eight Python threads that count do not start eight more each.
class Crew {
  public:
    Crew(std::size_t wanted, const CancellationCheck& check_cancelled);
    ~Crew();
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
        run([&](unsigned worker) noexcept {
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
    void reserve(std::size_t wanted) noexcept;
    void run(const std::function<void(unsigned worker)>& task) const;

    const CancellationCheck* check_cancelled_;
    unsigned extra_ = 0;
    unsigned reserved_ = 0;
    std::shared_ptr<SharedTasks> tasks_;  // none if the calling thread is alone
};

}  // namespace chanceless::base
