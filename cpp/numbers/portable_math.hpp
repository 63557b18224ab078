#pragma once

// Logarithm, exponential and factorials of doubles.
//
// Only + - * /, compiled without fused multiply-add: the results are the same bit for bit on every machine, which those
// of the standard library are not.

#include "base/standard.hpp"

namespace chanceless::numbers {

inline constexpr double log_two_high = 0x1.62e42fefa38p-1;  // 42 bits: its products with exponents are exact
inline constexpr double log_two_low = 0x1.ef35793c7673p-45;
inline constexpr double half_log_two_pi = 0.91893853320467274;

/// 1/3 + z/5 + z^2/7 + ...: what atanh(s) has beyond s, over s^3, for z = s^2 <= 1/16; off by 2^-56.
inline double atanh_tail(double z) noexcept {
    constexpr std::size_t terms = 13;
    double sum = 0.0;
    for (std::size_t i = terms; i-- > 0;) sum = sum * z + 1.0 / static_cast<double>(2 * i + 3);
    return sum;
}

/// `atanh_tail` for z <= 2^-10; off by 2^-56.
inline double short_atanh_tail(double z) noexcept {
    return 1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11))));
}

/// log(value) for a normal value > 0; off by 2 units in the last place at most.
inline double log_of_double(double value) noexcept {
    // value = 2^exponent * mantissa, with the mantissa in [sqrt(1/2), sqrt(2)): its bits, less those of sqrt(1/2), have
    // the exponent on top.
    constexpr std::uint64_t root_bits = 0x3FE6A09E667F3BCD;
    const std::uint64_t offset = std::bit_cast<std::uint64_t>(value) - root_bits;
    const auto exponent = static_cast<double>(static_cast<std::int64_t>(offset) >> 52);
    const auto mantissa = std::bit_cast<double>((offset & 0xFFFFFFFFFFFFF) + root_bits);
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double z = s * s;
    return exponent * log_two_high + (2.0 * s + (2.0 * s * z * atanh_tail(z) + exponent * log_two_low));
}

/// exp(value) for a value below 700, relatively off by 2^-51 at most; 0 below -700.
inline double exp_of_double(double value) noexcept {
    constexpr std::size_t terms = 15;  // the first term left out is below 2^-62
    constexpr auto inverse_factorials = [] {
        std::array<double, terms> result{1.0};
        for (std::size_t i = 1; i < terms; ++i) result[i] = result[i - 1] / static_cast<double>(i);
        return result;
    }();
    if (value < -700.0) return 0.0;
    const double exponent = std::floor(value * 0x1.71547652b82fep0 + 0.5);
    const double rest = (value - exponent * log_two_high) - exponent * log_two_low;
    double sum = 0.0;
    for (std::size_t i = terms; i-- > 0;) sum = sum * rest + inverse_factorials[i];
    const auto power = static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent) + 1023) << 52;
    return sum * std::bit_cast<double>(power);
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

}  // namespace chanceless::numbers
