#pragma once

// Integers of 128 bits: the compiler's, or two limbs where it has none. With CHANCELESS_NO_INT128, two limbs always.

#include <cstdint>

#include "chanceless/two_limbs.hpp"

// Clang has them beside MSVC's libraries, too, but these have no division of 128 bits.
#if defined(__SIZEOF_INT128__) && !defined(_MSC_VER)
#define CHANCELESS_COMPILER_HAS_INT128
#endif

namespace chanceless {

#ifdef CHANCELESS_COMPILER_HAS_INT128
__extension__ using CompilerInt128 = __int128;
__extension__ using CompilerUint128 = unsigned __int128;
#endif

#if defined(CHANCELESS_COMPILER_HAS_INT128) && !defined(CHANCELESS_NO_INT128)
using int128 = CompilerInt128;
using uint128 = CompilerUint128;

/// Divides high * 2^64 + low by a divisor above high.
constexpr Division divide_limbs(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) noexcept {
    const auto quotient = static_cast<std::uint64_t>(((uint128{high} << 64) | low) / divisor);
    return {quotient, low - quotient * divisor};
}
#else
using int128 = TwoLimbs<true>;
using uint128 = TwoLimbs<false>;

constexpr Division divide_limbs(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) noexcept {
    return divide_two_limbs(high, low, divisor);
}
#endif

constexpr std::uint64_t high_half(uint128 value) noexcept { return static_cast<std::uint64_t>(value >> 64); }
constexpr std::uint64_t low_half(uint128 value) noexcept { return static_cast<std::uint64_t>(value); }

/// left + right + carry; the carry (0 or 1) becomes that of this sum. Compilers make better code of it than of a sum of
/// 128 bits.
constexpr std::uint64_t add_with_carry(std::uint64_t left, std::uint64_t right, std::uint64_t& carry) noexcept {
    const std::uint64_t sum = left + right;
    const std::uint64_t total = sum + carry;
    carry = static_cast<std::uint64_t>(sum < left) | static_cast<std::uint64_t>(total < sum);
    return total;
}

/// left * right + other + carry; the carry becomes the high half.
constexpr std::uint64_t multiply_add(std::uint64_t left, std::uint64_t right, std::uint64_t other,
                                     std::uint64_t& carry) noexcept {
    const uint128 product = uint128{left} * right;
    const std::uint64_t sum = low_half(product) + other;
    const std::uint64_t total = sum + carry;
    carry = high_half(product) + static_cast<std::uint64_t>(sum < other) + static_cast<std::uint64_t>(total < sum);
    return total;
}

}  // namespace chanceless
