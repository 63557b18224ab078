#pragma once

// Logarithms of whole numbers as fixed-point numbers.
//
// Every information-theoretic score is (sum of integer * log(integer)) / n^p. The integers are exact, so the only
// error is that of the logarithms.

#include "numbers/fixed_point.hpp"

namespace chanceless::numbers {

/// No logarithm of `log_by_series` is further from the truth than this many units in the last place (2^-64F): up to
/// 53 times log 2 and one more entry of the table below, of 128 steps each, and one step; a step
/// (`twice_atanh`) is off by less than 16 units.
inline constexpr double series_error = (54.0 * 128 + 1) * 16;

/// log(value) for 1 <= value <= 2^53 + 1, to any precision.
template <std::size_t F>
Fixed<F> log_by_series(std::uint64_t value) noexcept;

/// Logarithms with 128 bits behind the point, of any value.
///
/// value = 2^exponent * m with m in [1, 2). Three factors bring m next to 1. Each is taken from a table, at the place
/// that the digits of m - 1 give, and is the reciprocal of the least m with these digits, rounded up: so m does not
/// fall below 1, and rises above 1 by a step of the table and by the rounding at most. All products are exact.
///
///     steps of   factors in units of   m then lies below             in units of
///     2^-7       2^-14                 1 + 2^-7 + 1.01 * 2^-13       2^-77
///     2^-13      2^-24                 1 + 2^-13 + 1.01 * 2^-24      2^-101
///     2^-20      2^-27                 1 + 2^-20 + 1.01 * 2^-27      2^-128
class LogTables {
  public:
    /// No logarithm is further from the truth than this, in units of 2^-128: four entries of tables are up to 1 too
    /// low each, and `log_near_one` is 28 too low to 19 too high.
    static constexpr double error = 32.0;

    static const LogTables& instance() noexcept {
        static const LogTables tables;
        return tables;
    }

    [[nodiscard]] Fixed<2> at(std::uint64_t value) const noexcept {
        return value < small_.size() ? small_[value] : compute(value);
    }

  private:
    /// A factor in units of 2^-bits, and -log(factor) in units of 2^-128, rounded down.
    struct Factor {
        uint128 log;
        std::uint64_t factor;
    };

    [[nodiscard]] Fixed<2> compute(std::uint64_t value) const noexcept;

    /// Factors for m from 1 on, in steps of 2^-step_bits.
    template <std::size_t size>
    static void fill(std::array<Factor, size>& factors, int step_bits, int bits) noexcept;

    LogTables() noexcept;

    std::array<Factor, 128> first_{};
    std::array<Factor, 66> second_{};     // the digits of m - 1 are below 2^13 * (2^-7 + 1.01 * 2^-13) < 66
    std::array<Factor, 129> third_{};     // ... and below 2^20 * (2^-13 + 1.01 * 2^-24) < 129
    std::array<Fixed<2>, 64> powers_{};   // log(2^i)
    std::array<Fixed<2>, 1024> small_{};  // log i: most values are small
};

/// log(value) for 1 <= value <= 2^53 + 1. The first tier of every sum has 128 bits behind the point.
template <std::size_t F>
Fixed<F> log_of(std::uint64_t value) noexcept {
    if constexpr (F == 2) {
        return LogTables::instance().at(value);
    } else {
        return log_by_series<F>(value);
    }
}

/// No logarithm of `log_of` is further from the truth than this many units in the last place (2^-64F).
template <std::size_t F>
inline constexpr double log_error = F == 2 ? LogTables::error : series_error;

}  // namespace chanceless::numbers
