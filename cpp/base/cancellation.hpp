#pragma once

// How a caller cancels work that is under way.

#include <functional>

#include "base/standard.hpp"

namespace chanceless::base {

/// Cancellation check, called periodically by workers; throws to cancel.
using CancellationCheck = std::function<void()>;

/// The check of work that is too short to be cancelled.
inline const CancellationCheck never_cancelled = [] {};

/// Calls a cancellation check once in a while: each step is expected to take some nanoseconds.
class PeriodicCheck {
  public:
    explicit PeriodicCheck(const CancellationCheck& check_cancelled) noexcept : check_cancelled_(&check_cancelled) {}

    void after(std::uint64_t steps) {
        if ((steps_ += steps) < (std::uint64_t{1} << 16)) return;
        steps_ = 0;
        (*check_cancelled_)();
    }

  private:
    const CancellationCheck* check_cancelled_;
    std::uint64_t steps_ = 0;
};

}  // namespace chanceless::base
