#pragma once

// How a caller cancels work that is under way.

#include <functional>

namespace chanceless {

/// Cancellation check, called periodically by workers; throws to cancel.
using CancellationCheck = std::function<void()>;

/// The check of work that is too short to be cancelled.
inline const CancellationCheck never_cancelled = [] {};

}  // namespace chanceless
