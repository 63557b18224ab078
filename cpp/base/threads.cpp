#include "base/threads.hpp"

#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/shared_tasks.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace chanceless::base {

namespace {

std::atomic<unsigned> all_reserved{0};

/// The positive integer in an environment variable; 0 if it is unset or holds something else.
unsigned number_in_environment(const char* name) noexcept {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '-') return 0;
    const unsigned long number = std::strtoul(text, nullptr, 10);
    return static_cast<unsigned>(std::min(number, 1024UL));
}

std::int64_t now() noexcept {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// Whether a helper that was to begin at this time has got its place late.
bool is_late(std::int64_t begin) noexcept { return now() - begin > 300'000; }

}  // namespace

unsigned available_cores() noexcept {
#ifdef __linux__
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return static_cast<unsigned>(CPU_COUNT(&cores));
#endif
    return std::max(1U, std::thread::hardware_concurrency());
}

unsigned allowed_threads() noexcept {
    if (!has_threads) return 1;
    if (const unsigned ours = number_in_environment("CHANCELESS_THREADS")) return ours;
    if (const unsigned theirs = number_in_environment("OMP_NUM_THREADS")) return theirs;
    return available_cores();
}

HelperTurn::HelperTurn(unsigned worker) noexcept : is_helper_(worker > 0), last_(now()) {}

bool HelperTurn::goes_on() noexcept {
    if (!is_helper_ || now() - last_ < 500'000) return true;
    last_ = now();
    std::this_thread::yield();
    return !is_late(last_);
}

Crew::Crew(std::size_t wanted, const CancellationCheck& check_cancelled) : check_cancelled_(&check_cancelled) {
    reserve(wanted);
    if (extra_ == 0) return;
    tasks_ = std::make_shared<SharedTasks>();
    try {
        // Nobody joins these threads: they end by themselves, and hold nothing but the tasks.
        for (unsigned worker = 1; worker <= extra_; ++worker)
            std::thread([tasks = tasks_, worker, begin = now()] {
                if (!is_late(begin)) tasks->help(worker);
            }).detach();
    } catch (const std::system_error&) {  // no more threads available: the others do their part as well
    }
}

Crew::~Crew() {
    if (tasks_ != nullptr) tasks_->dismiss();
    all_reserved -= reserved_;
}

void Crew::reserve(std::size_t wanted) noexcept {
    if (wanted <= 1) return;
    const unsigned allowed = allowed_threads();
    unsigned busy = all_reserved.load();
    do {
        const unsigned free = allowed > busy + 1 ? allowed - busy - 1 : 0;
        extra_ = static_cast<unsigned>(std::min<std::size_t>(wanted - 1, free));
    } while (!all_reserved.compare_exchange_weak(busy, busy + extra_ + 1));
    reserved_ = extra_ + 1;
}

void Crew::run(const std::function<void(unsigned worker)>& task) const { tasks_->run(task); }

}  // namespace chanceless::base
