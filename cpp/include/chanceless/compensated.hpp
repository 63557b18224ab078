#pragma once

// Sums and products of many doubles that are off by little more than one rounding.
//
// No fused multiply-add, which not every machine has: compile with -ffp-contract=off.

#include <limits>

namespace chanceless {

/// Each operation on doubles is off by at most this, relatively.
inline constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

/// Carries along what each addition loses (Ogita, Rump & Oishi 2005, algorithm 4.4).
class CompensatedSum {
  public:
    void add(double value) noexcept {
        const double sum = high_ + value;
        const double added = sum - high_;
        low_ += (high_ - (sum - added)) + (value - added);
        high_ = sum;
    }
    [[nodiscard]] double value() const noexcept { return high_ + low_; }

  private:
    double high_ = 0.0;
    double low_ = 0.0;
};

/// Carries along what each multiplication loses, by Dekker's exact product of two doubles.
class CompensatedProduct {
  public:
    void multiply(double factor) noexcept {
        const double product = high_ * factor;
        const auto [left, left_rest] = halves(high_);
        const auto [right, right_rest] = halves(factor);
        const double lost =
            left_rest * right_rest - (((product - left * right) - left_rest * right) - left * right_rest);
        low_ = low_ * factor + lost;
        high_ = product;
    }
    [[nodiscard]] double value() const noexcept { return high_ + low_; }

  private:
    struct Halves {
        double high;
        double low;
    };

    /// 26 bits each, so that products of halves are exact.
    static Halves halves(double value) noexcept {
        const double scaled = 0x8000001p0 * value;
        const double high = scaled - (scaled - value);
        return {high, value - high};
    }

    double high_ = 1.0;
    double low_ = 0.0;
};

/// A value, and by how much it may be off, relatively.
struct Bounded {
    double value;
    double bound;
};

}  // namespace chanceless
