#pragma once

// The standard headers that nearly every file needs; all other headers and sources have them from here.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

/// `base` is the vocabulary of all stages: its names are used without a word on where they are from.
namespace chanceless {
namespace base {}
using namespace base;
}  // namespace chanceless
