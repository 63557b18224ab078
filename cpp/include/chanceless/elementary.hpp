#pragma once

// Logarithm, exponential and factorials of doubles.
//
// Only + - * /, compiled with -ffp-contract=off: the results are the same bit for bit on every machine, which those of
// the standard library are not.

#include <array>
#include <cmath>
#include <cstddef>

#include "chanceless/hypergeometric.hpp"

namespace chanceless {

inline constexpr double log_two_high = 0x1.62e42fefa38p-1;  // 42 bits: its products with exponents are exact
inline constexpr double log_two_low = 0x1.ef35793c7673p-45;
inline constexpr double half_log_two_pi = 0.91893853320467274;

/// log(value) for a normal value > 0; off by 2 units in the last place at most.
inline double log_of_double(double value) noexcept {
    int exponent = 0;
    double mantissa = std::frexp(value, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        --exponent;
    }
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double z = s * s;
    return exponent * log_two_high + (2.0 * s + (2.0 * s * z * atanh_tail(z) + exponent * log_two_low));
}

/// exp(value) for a value below 700, relatively off by 2^-51 at most; 0 below -745.
inline double exp_of_double(double value) noexcept {
    if (value < -745.0) return 0.0;
    const double exponent = std::floor(value * 0x1.71547652b82fep0 + 0.5);
    const double rest = (value - exponent * log_two_high) - exponent * log_two_low;
    // |rest| <= log(2) / 2: the first term left out is below 2^-62.
    double sum = 1.0;
    for (int i = 14; i > 0; --i) sum = 1.0 + rest * sum / i;
    return std::ldexp(sum, static_cast<int>(exponent));
}

/// 1 / (12 x) - 1 / (360 x^3) + ...: what log(x!) has beyond (x + 1/2) log x - x + log(2 pi) / 2, for x >= 32.
inline double stirling_series(double x) noexcept {
    const double inverse = 1.0 / x;
    const double square = inverse * inverse;
    return inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
}

/// log(x!) - (x log x - x + log(2 pi x) / 2); the last x is 1 if x is 0. Off by 2^-56 at most.
inline double stirling_rest(double x) noexcept {
    constexpr std::size_t tabulated = 32;
    static const auto table = [] {
        std::array<double, tabulated> result{-half_log_two_pi, 1.0 - half_log_two_pi};
        double rest = stirling_series(tabulated);
        for (std::size_t y = tabulated - 1; y > 1; --y) {
            // The rest at y exceeds that at y + 1 by (y + 1/2) log(1 + 1/y) - 1 = atanh(s) / s - 1.
            const double s = 1.0 / static_cast<double>(2 * y + 1);
            rest += s * s * atanh_tail(s * s);
            result[y] = rest;
        }
        return result;
    }();
    return x < tabulated ? table[static_cast<std::size_t>(x)] : stirling_series(x);
}

}  // namespace chanceless
