#pragma once

// Quotients of whole numbers of up to 250 bits, rounded once.

#include "numbers/fixed_point.hpp"

namespace chanceless::numbers {

/// A whole number of 256 bits, with a sign: counted in the last places of a fixed-point number.
using Whole = Fixed<2>;

inline Whole whole(uint128 value) noexcept { return Whole(Fraction<2>{low_half(value), high_half(value)}); }

/// left * right, for left < 2^127.
inline Whole product(uint128 left, uint128 right) noexcept { return static_cast<int128>(left) * whole(right); }

/// The double nearest to numerator / denominator, ties to even, by long division in binary. The numerator is at most
/// the denominator, which is below 2^250.
inline double divide_in_binary(Whole numerator, const Whole& denominator) noexcept {
    if (!(Whole() < numerator)) return 0.0;
    int doublings = 0;
    for (; numerator < denominator; ++doublings) numerator += numerator;
    constexpr int n_bits = 55;  // two more than a double has, and one below for all that is left
    std::uint64_t quotient = 0;
    for (int i = 0; i < n_bits; ++i) {
        const bool fits = !(numerator < denominator);
        if (fits) numerator -= denominator;
        numerator += numerator;
        quotient = 2 * quotient + static_cast<std::uint64_t>(fits);
    }
    quotient = 2 * quotient + static_cast<std::uint64_t>(Whole() < numerator);
    return std::ldexp(static_cast<double>(quotient), -n_bits - doublings);
}

/// The double nearest to numerator / denominator; its magnitude is at most 1.
inline double ratio(const Whole& numerator, const Whole& denominator) noexcept {
    const bool negative = numerator.is_negative();
    const Whole magnitude = negative ? -numerator : numerator;
    // As doubles, both are exact: one rounding is left.
    const Whole too_large = Whole::power_of_two(53);
    const bool small = magnitude < too_large && denominator < too_large;
    const auto as_double = [](const Whole& number) { return static_cast<double>(number.limb(0)); };
    const double quotient =
        small ? as_double(magnitude) / as_double(denominator) : divide_in_binary(magnitude, denominator);
    return negative ? -quotient : quotient;
}

}  // namespace chanceless::numbers
