#pragma once

// Logarithms of whole numbers as fixed-point numbers.
//
// Every information-theoretic score is (sum of integer * log(integer)) / n^p. The integers are exact, so the only
// error is that of the logarithms.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/compiler.hpp"
#include "base/int128.hpp"
#include "numbers/fixed_point.hpp"

namespace chanceless::numbers {

using base::add_with_carry, base::high_half, base::int128, base::low_half, base::uint128;

/// 2 atanh(numerator / denominator), for a ratio of at most 2^-8.
template <std::size_t F>
Fixed<F> twice_atanh(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    // The first term left out is below ratio^(2 terms + 3) <= 2^(-64 F - 24).
    constexpr std::size_t terms = 4 * F;
    static const auto odd_reciprocals = [] {
        std::array<Fraction<F>, terms + 1> result{};
        for (std::size_t i = 1; i <= terms; ++i) result[i] = quotient<F>(1, 2 * i + 1);
        return result;
    }();
    const Fraction<F> ratio = quotient<F>(numerator, denominator);
    const Fraction<F> square = ratio * ratio;
    Fraction<F> series = odd_reciprocals[terms];
    for (std::size_t i = terms - 1; i > 0; --i) {
        series = series * square;
        std::uint64_t carry = 0;
        for (std::size_t limb = 0; limb < F; ++limb) {
            series[limb] = add_with_carry(series[limb], odd_reciprocals[i][limb], carry);
        }
    }
    Fixed<F> result(ratio);
    result += Fixed<F>(ratio * (square * series));
    return result + result;
}

/// No logarithm of `log_by_series` is further from the truth than this many units in the last place (2^-64F): up to
/// 53 times log 2 and one more entry of the table below, of 128 steps each, and one step; a step
/// (`twice_atanh`) is off by less than 16 units.
inline constexpr double series_error = (54.0 * 128 + 1) * 16;

/// log(j / 128) for j = 128 ... 256.
template <std::size_t F>
const std::array<Fixed<F>, 129>& reference_logs() noexcept {
    static const auto table = [] {
        std::array<Fixed<F>, 129> result{};
        for (std::uint64_t j = 128; j < 256; ++j) {
            result[j - 127] = result[j - 128] + twice_atanh<F>(1, 2 * j + 1);
        }
        return result;
    }();
    return table;
}

/// log(value) for 1 <= value <= 2^53 + 1, to any precision.
template <std::size_t F>
Fixed<F> log_by_series(std::uint64_t value) noexcept {
    const auto& reference = reference_logs<F>();
    const int exponent = static_cast<int>(std::bit_width(value)) - 1;
    // value = 2^exponent * m with m in [1, 2); nearest is the multiple of 1/128 next to m.
    const std::uint64_t nearest = (((value << 8) >> exponent) + 1) >> 1;
    const std::uint64_t scaled = value << 7;
    const std::uint64_t target = nearest << exponent;
    Fixed<F> result = int128{exponent} * reference[128] + reference[nearest - 128];
    if (scaled >= target) {
        result += twice_atanh<F>(scaled - target, scaled + target);
    } else {
        result -= twice_atanh<F>(target - scaled, scaled + target);
    }
    return result;
}

/// left * right in units of 2^-128, as both are; at most 3 units too low.
constexpr uint128 high_product(uint128 left, uint128 right) noexcept {
    const std::uint64_t left_high = high_half(left), right_high = high_half(right);
    return uint128{left_high} * right_high + high_half(uint128{left_high} * low_half(right)) +
           high_half(uint128{low_half(left)} * right_high);
}

/// left * right in the units of left, of 2^-128; right is in units of 2^-64. At most 1 unit too low.
constexpr uint128 high_product(uint128 left, std::uint64_t right) noexcept {
    return uint128{high_half(left)} * right + high_half(uint128{low_half(left)} * right);
}

/// left * right, all in units of 2^-64; at most 1 unit too low.
constexpr std::uint64_t high_product(std::uint64_t left, std::uint64_t right) noexcept {
    return high_half(uint128{left} * right);
}

/// log(1 + rest) for 0 <= rest < 2^-19.98, both in units of 2^-128; less than 28 units too low, less than 19 too high.
///
/// log(1 + rest) = rest - rest^2 / 2 + rest^3 * third, where third = 1/3 - rest/4 + rest^2/5 - rest^3/6; the terms left
/// out are below 2^-142. In units of 2^-64, `third` is 1.6 too low (1/3 is rounded down, as are the square and its
/// product) to 1 too high (rest/4 is rounded down). Times rest^3 < 2^-59.94, that is 26 and 17 units. The square is up
/// to 3 units too low, and rounded down when halved; the cube is up to 3 too low, a third of which is left in its
/// product, that is up to 1 too low itself.
constexpr uint128 log_near_one(uint128 rest) noexcept {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t leading = high_half(rest);
    const uint128 square = high_product(rest, rest);
    const std::uint64_t fifth = all / 5 - high_product(leading, all / 6);
    const std::uint64_t third = all / 3 - leading / 4 + high_product(high_half(square), fifth);
    return rest - (square >> 1) + high_product(high_product(square, rest), third);
}

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

    [[nodiscard]] CHANCELESS_NEVER_INLINE Fixed<2> compute(std::uint64_t value) const noexcept {
        const int zeros = std::countl_zero(value | 1);  // 0 has no logarithm, and needs no branch
        const std::uint64_t m = value << zeros;         // in units of 2^-63
        const Factor& first = first_[(m >> 56) - (1U << 7)];
        const uint128 nearer = uint128{m} * first.factor;
        const Factor& second = second_[high_half(nearer) - (1U << 13)];
        const uint128 next = nearer * second.factor;
        const Factor& third = third_[(high_half(next) >> 17) - (1U << 20)];
        const uint128 rest = next * third.factor;  // the 1 before the point overflows
        return powers_[static_cast<std::size_t>(63 - zeros)] +
               Fixed<2>(first.log + second.log + third.log + log_near_one(rest));
    }

    /// Factors for m from 1 on, in steps of 2^-step_bits.
    template <std::size_t size>
    static void fill(std::array<Factor, size>& factors, int step_bits, int bits) noexcept {
        const Fixed<3> one = log_by_series<3>(std::uint64_t{1} << bits);
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint64_t least = (std::uint64_t{1} << step_bits) + i;
            const std::uint64_t factor = ((std::uint64_t{1} << (step_bits + bits)) + least - 1) / least;
            factors[i] = {(one - log_by_series<3>(factor)).fraction(), factor};
        }
    }

    LogTables() noexcept {
        fill(first_, 7, 14);
        fill(second_, 13, 24);
        fill(third_, 20, 27);
        const Fixed<3> log_two = log_by_series<3>(2);
        for (std::size_t i = 0; i < powers_.size(); ++i) powers_[i] = Fixed<2>(static_cast<int128>(i) * log_two);
        for (std::size_t i = 1; i < small_.size(); ++i) small_[i] = compute(i);
    }

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
