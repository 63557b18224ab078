#pragma once

// Sums and products of many doubles that are off by little more than one rounding.
//
// No fused multiply-add, which not every machine has: CMakeLists.txt tells the compiler.

#include "base/standard.hpp"

namespace chanceless::numbers {

/// Each operation on doubles is off by at most this, relatively.
inline constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

/// A rounded result, and what rounding lost: their sum is exact.
struct Exact {
    double rounded;
    double lost;
};

/// left + right (Knuth).
inline Exact exact_sum(double left, double right) noexcept {
    const double sum = left + right;
    const double added = sum - left;
    return {sum, (left - (sum - added)) + (right - added)};
}

/// left * right (Dekker): both are cut into halves of 26 bits, whose products are exact.
inline Exact exact_product(double left, double right) noexcept {
    constexpr double cut = 0x8000001p0;
    const double left_high = cut * left - (cut * left - left);
    const double right_high = cut * right - (cut * right - right);
    const double left_low = left - left_high;
    const double right_low = right - right_high;
    const double product = left * right;
    return {product, left_low * right_low -
                         (((product - left_high * right_high) - left_low * right_high) - left_high * right_low)};
}

/// Carries along what each addition loses (Ogita, Rump & Oishi 2005, algorithm 4.4).
class CompensatedSum {
  public:
    void add(double value) noexcept {
        const auto [sum, lost] = exact_sum(high_, value);
        low_ += lost;
        high_ = sum;
    }
    [[nodiscard]] double value() const noexcept { return high_ + low_; }

  private:
    double high_ = 0.0;
    double low_ = 0.0;
};

/// Carries along what each multiplication loses.
class CompensatedProduct {
  public:
    void multiply(double factor) noexcept {
        const auto [product, lost] = exact_product(high_, factor);
        low_ = low_ * factor + lost;
        high_ = product;
    }
    [[nodiscard]] double value() const noexcept { return high_ + low_; }

  private:
    double high_ = 1.0;
    double low_ = 0.0;
};

/// A value, and by how much it may be off, relatively.
struct Bounded {
    double value;
    double bound;
};

// Numbers with 106 bits, as unevaluated sums of two doubles; and numbers without signs, which tell how many of the bits
// a sum can lose.

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

}  // namespace chanceless::numbers
