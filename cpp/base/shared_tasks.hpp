#pragma once

// Tasks that threads share (threads.hpp).

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/standard.hpp"

namespace chanceless::base {

/// Tasks that one thread, the caller, runs one after the other, and that helpers join while they run. Helpers keep this
/// object alive; of the caller's they use the task alone, and only while the caller waits for them.
class SharedTasks {
  public:
    using Task = std::function<void(unsigned worker)>;

    /// Runs a task, which must not throw, as worker 0; returns when all helpers that have joined are done.
    void run(const Task& task) {
        std::unique_lock lock(mutex_);
        task_ = &task;
        ++n_opened_;
        changed_.notify_all();
        lock.unlock();
        task(0U);
        lock.lock();
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

}  // namespace chanceless::base
