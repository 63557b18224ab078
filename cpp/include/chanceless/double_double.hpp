#pragma once

// Numbers with 106 bits, as unevaluated sums of two doubles; and numbers without signs, which tell how many of the bits
// a sum can lose.

#include <cmath>

#include "chanceless/compensated.hpp"

namespace chanceless {

/// A sum is off by at most 2^-104 of the sum of the two magnitudes (not of the sum itself), a product or quotient by
/// 2^-102 of itself.
struct DoubleDouble {
    static constexpr double roundoff = 0x1p-102;

    double high = 0.0;
    double low = 0.0;

    DoubleDouble() noexcept = default;
    DoubleDouble(double value) noexcept : high(value) {}  // NOLINT: doubles convert
    DoubleDouble(double large, double small) noexcept : high(large + small), low(small - (high - large)) {}
    [[nodiscard]] explicit operator double() const noexcept { return high; }
};

inline DoubleDouble operator+(const DoubleDouble& left, const DoubleDouble& right) noexcept {
    const auto [sum, lost] = exact_sum(left.high, right.high);
    return {sum, lost + (left.low + right.low)};
}
inline DoubleDouble operator-(const DoubleDouble& value) noexcept { return {-value.high, -value.low}; }
inline DoubleDouble operator-(const DoubleDouble& left, const DoubleDouble& right) noexcept { return left + (-right); }
inline DoubleDouble operator*(const DoubleDouble& left, const DoubleDouble& right) noexcept {
    const auto [product, lost] = exact_product(left.high, right.high);
    return {product, lost + (left.high * right.low + left.low * right.high)};
}
inline DoubleDouble operator/(const DoubleDouble& left, const DoubleDouble& right) noexcept {
    const double quotient = left.high / right.high;
    const DoubleDouble rest = left - DoubleDouble(quotient) * right;
    return {quotient, rest.high / right.high};
}
inline DoubleDouble& operator+=(DoubleDouble& left, const DoubleDouble& right) noexcept { return left = left + right; }
inline DoubleDouble& operator*=(DoubleDouble& left, const DoubleDouble& right) noexcept { return left = left * right; }

/// An absolute value: minus is plus. A formula that is evaluated with these returns the sum of the magnitudes of its
/// terms. Times the roundoff and the number of operations that a term goes through, it bounds the error.
struct Magnitude {
    double value = 0.0;

    Magnitude() noexcept = default;
    Magnitude(double signed_value) noexcept : value(std::fabs(signed_value)) {}  // NOLINT: doubles convert
    [[nodiscard]] explicit operator double() const noexcept { return value; }
};

inline Magnitude operator+(Magnitude left, Magnitude right) noexcept { return left.value + right.value; }
inline Magnitude operator-(Magnitude value) noexcept { return value; }
inline Magnitude operator-(Magnitude left, Magnitude right) noexcept { return left + right; }
inline Magnitude operator*(Magnitude left, Magnitude right) noexcept { return left.value * right.value; }
inline Magnitude operator/(Magnitude left, Magnitude right) noexcept { return left.value / right.value; }
inline Magnitude& operator+=(Magnitude& left, Magnitude right) noexcept { return left = left + right; }
inline Magnitude& operator*=(Magnitude& left, Magnitude right) noexcept { return left = left * right; }

}  // namespace chanceless
