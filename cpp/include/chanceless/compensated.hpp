#pragma once

// Sums and products of many doubles that are off by little more than one rounding.
//
// No fused multiply-add, which not every machine has: CMakeLists.txt tells the compiler.

#include <limits>

namespace chanceless {

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

}  // namespace chanceless
