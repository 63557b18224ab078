#pragma once

// Logarithms of whole numbers as fixed-point numbers, and exact integer combinations of them.
//
// Every information-theoretic score is (sum of integer * log(integer)) / n^p. The integers are exact, so the only
// error is that of the logarithms; and since those are plain integers too, the result is the same bit for bit on
// every machine and with any floating-point flags of the compiler.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace chanceless {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// No table may hold more samples: squares of sizes then stay below 2^106, and `log_of` takes any size + 1.
inline constexpr std::uint64_t max_samples = std::uint64_t{1} << 53;

inline std::uint64_t high_half(uint128 value) noexcept { return static_cast<std::uint64_t>(value >> 64); }
inline std::uint64_t low_half(uint128 value) noexcept { return static_cast<std::uint64_t>(value); }

/// A number in [0, 1) in units of 2^(-64 F); limb 0 is the least significant.
template <std::size_t F>
using Fraction = std::array<std::uint64_t, F>;

/// Divides `limbs`, led by `remainder`, by `divisor` (> remainder) in place, rounding down; returns the
/// remainder.
template <std::size_t Size>
std::uint64_t divide(std::array<std::uint64_t, Size>& limbs, std::uint64_t divisor,
                     std::uint64_t remainder = 0) noexcept {
    for (std::size_t i = Size; i-- > 0;) {
        const uint128 current = (uint128{remainder} << 64) | limbs[i];
        limbs[i] = static_cast<std::uint64_t>(current / divisor);
        remainder = static_cast<std::uint64_t>(current % divisor);
    }
    return remainder;
}

/// numerator / denominator, rounded down; numerator < denominator.
template <std::size_t F>
Fraction<F> quotient(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    Fraction<F> result{};
    divide(result, denominator, numerator);
    return result;
}

template <std::size_t F>
Fraction<F> operator*(const Fraction<F>& left, const Fraction<F>& right) noexcept {
    std::array<std::uint64_t, 2 * F> product{};
    for (std::size_t i = 0; i < F; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < F; ++j) {
            const uint128 current = uint128{left[i]} * right[j] + product[i + j] + carry;
            product[i + j] = low_half(current);
            carry = high_half(current);
        }
        product[i + F] = carry;
    }
    Fraction<F> result;
    for (std::size_t i = 0; i < F; ++i) result[i] = product[i + F];
    return result;
}

/// A signed number (two's complement): 128 bits before the point, 64 F behind it.
template <std::size_t F>
class Fixed {
  public:
    static constexpr std::size_t size = F + 2;

    constexpr Fixed() noexcept = default;
    explicit Fixed(const Fraction<F>& fraction) noexcept {
        for (std::size_t i = 0; i < F; ++i) limbs_[i] = fraction[i];
    }

    /// 2^exponent units in the last place; zero where that leaves the range.
    static Fixed power_of_two(std::size_t exponent) noexcept {
        Fixed result;
        if (exponent < 64 * size) result.limbs_[exponent / 64] = std::uint64_t{1} << (exponent % 64);
        return result;
    }

    [[nodiscard]] bool is_negative() const noexcept { return limbs_[size - 1] >> 63 != 0; }

    /// This in units of 2^-64, rounded down; it must stay below 2^63.
    [[nodiscard]] int128 in_units() const noexcept {
        return static_cast<int128>((uint128{limbs_[F]} << 64) | limbs_[F - 1]);
    }

    Fixed& operator+=(const Fixed& other) noexcept {
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const uint128 current = uint128{limbs_[i]} + other.limbs_[i] + carry;
            limbs_[i] = low_half(current);
            carry = high_half(current);
        }
        return *this;
    }

    Fixed operator-() const noexcept {
        Fixed result;
        std::uint64_t carry = 1;
        for (std::size_t i = 0; i < size; ++i) {
            const uint128 current = uint128{~limbs_[i]} + carry;
            result.limbs_[i] = low_half(current);
            carry = high_half(current);
        }
        return result;
    }

    Fixed& operator-=(const Fixed& other) noexcept { return *this += -other; }

    friend Fixed operator+(Fixed left, const Fixed& right) noexcept { return left += right; }
    friend Fixed operator-(Fixed left, const Fixed& right) noexcept { return left -= right; }
    friend bool operator<(const Fixed& left, const Fixed& right) noexcept { return (left - right).is_negative(); }

    /// weight * value, which must stay below 2^127.
    friend Fixed operator*(int128 weight, const Fixed& value) noexcept {
        const bool negative = weight < 0;
        const uint128 magnitude = negative ? -static_cast<uint128>(weight) : static_cast<uint128>(weight);
        const std::array<std::uint64_t, 2> factors{low_half(magnitude), high_half(magnitude)};
        Fixed result;
        for (std::size_t i = 0; i < factors.size(); ++i) {
            if (factors[i] == 0) continue;
            std::uint64_t carry = 0;
            for (std::size_t j = 0; i + j < size; ++j) {
                const uint128 current = uint128{factors[i]} * value.limbs_[j] + result.limbs_[i + j] + carry;
                result.limbs_[i + j] = low_half(current);
                carry = high_half(current);
            }
        }
        return negative ? -result : result;
    }

    /// The double nearest to this / divisor^power, ties to even.
    [[nodiscard]] double divided(std::uint64_t divisor, int power) const noexcept {
        Fixed magnitude = is_negative() ? -*this : *this;
        // Divide the number with its leading bit at the very top, so that the quotient keeps all its digits.
        const int shift = magnitude.leading_zeros();
        if (shift == 64 * static_cast<int>(size)) return 0.0;
        magnitude.shift_left(shift);
        bool inexact = false;
        for (int i = 0; i < power; ++i) inexact = (divide(magnitude.limbs_, divisor) != 0) || inexact;
        const double result = std::ldexp(magnitude.nearest_double(inexact), -shift - 64 * static_cast<int>(F));
        return is_negative() ? -result : result;
    }

  private:
    [[nodiscard]] int leading_zeros() const noexcept {
        int zeros = 0;
        for (std::size_t i = size; i-- > 0;) {
            if (limbs_[i] != 0) return zeros + std::countl_zero(limbs_[i]);
            zeros += 64;
        }
        return zeros;
    }

    void shift_left(int bits) noexcept {
        const auto whole = static_cast<std::size_t>(bits / 64);
        const int part = bits % 64;
        for (std::size_t i = size; i-- > 0;) {
            const std::uint64_t here = i >= whole ? limbs_[i - whole] : 0;
            const std::uint64_t below = i > whole ? limbs_[i - whole - 1] : 0;
            limbs_[i] = part == 0 ? here : (here << part) | (below >> (64 - part));
        }
    }

    /// The double nearest to the limbs read as one whole number (plus a little, where inexact).
    [[nodiscard]] double nearest_double(bool inexact) const noexcept {
        Fixed aligned = *this;
        const int shift = leading_zeros();
        aligned.shift_left(shift);
        for (std::size_t i = 0; i + 1 < size; ++i) inexact = inexact || aligned.limbs_[i] != 0;
        // The conversion rounds 64 bits to 53; the last bit, set for anything below, keeps it from seeing a
        // tie.
        const auto leading = static_cast<double>(aligned.limbs_[size - 1] | static_cast<std::uint64_t>(inexact));
        return std::ldexp(leading, 64 * static_cast<int>(size - 1) - shift);
    }

    std::array<std::uint64_t, size> limbs_{};
};

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
            const uint128 current = uint128{series[limb]} + odd_reciprocals[i][limb] + carry;
            series[limb] = low_half(current);
            carry = high_half(current);
        }
    }
    Fixed<F> result(ratio);
    result += Fixed<F>(ratio * (square * series));
    return result + result;
}

/// No logarithm of `log_of` is further from the truth than this many units in the last place (2^-64F): up to
/// 53 times log 2 and one more entry of the table below, of 128 steps each, and one step; a step
/// (`twice_atanh`) is off by less than 16 units.
inline constexpr double log_error = (54.0 * 128 + 1) * 16;

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

/// log(value) for 1 <= value <= 2^53 + 1.
template <std::size_t F>
Fixed<F> log_of(std::uint64_t value) noexcept {
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

}  // namespace chanceless
