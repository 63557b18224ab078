#pragma once

// Fixed-point numbers: exact sums of products, and quotients that are rounded once.
//
// They are plain integers, so that results are the same bit for bit on every machine and with any floating-point flags
// of the compiler.

#include "base/int128.hpp"

namespace chanceless::numbers {

/// No table may hold more samples: squares of sizes then stay below 2^106, and `log_of` takes any size + 1.
inline constexpr std::uint64_t max_samples = std::uint64_t{1} << 53;

/// A number in [0, 1) in units of 2^(-64 F); limb 0 is the least significant.
template <std::size_t F>
using Fraction = std::array<std::uint64_t, F>;

/// Divides `limbs`, led by `remainder`, by `divisor` (> remainder) in place, rounding down; returns the
/// remainder.
template <std::size_t Size>
std::uint64_t divide(std::array<std::uint64_t, Size>& limbs, std::uint64_t divisor,
                     std::uint64_t remainder = 0) noexcept {
    for (std::size_t i = Size; i-- > 0;) {
        const Division division = divide_limbs(remainder, limbs[i], divisor);
        limbs[i] = division.quotient;
        remainder = division.remainder;
    }
    return remainder;
}

/// numerator / divisor * 2^64, rounded down; the numerator is below divisor * 2^64.
inline uint128 divided_fraction(uint128 numerator, std::uint64_t divisor) noexcept {
    const Division leading = divide_limbs(high_half(numerator), low_half(numerator), divisor);
    return (uint128{leading.quotient} << 64) | divide_limbs(leading.remainder, 0, divisor).quotient;
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
    explicit Fixed(uint128 fraction) noexcept
        requires(F == 2)
        : limbs_{low_half(fraction), high_half(fraction)} {}

    /// A number with more digits, rounded down.
    template <std::size_t G>
        requires(G > F)
    explicit Fixed(const Fixed<G>& other) noexcept {
        for (std::size_t i = 0; i < size; ++i) limbs_[i] = other.limbs_[i + (G - F)];
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

    /// 64 of the bits; limb 0 has the lowest.
    [[nodiscard]] std::uint64_t limb(std::size_t i) const noexcept { return limbs_[i]; }

    /// The first 128 digits behind the point.
    [[nodiscard]] uint128 fraction() const noexcept { return (uint128{limbs_[F - 1]} << 64) | limbs_[F - 2]; }

    Fixed operator-() const noexcept { return negated_if(true); }

    friend Fixed operator+(const Fixed& left, const Fixed& right) noexcept {
        Fixed result;
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < size; ++i) {
            result.limbs_[i] = add_with_carry(left.limbs_[i], right.limbs_[i], carry);
        }
        return result;
    }
    friend Fixed operator-(const Fixed& left, const Fixed& right) noexcept { return left + -right; }
    Fixed& operator+=(const Fixed& other) noexcept { return *this = *this + other; }
    Fixed& operator-=(const Fixed& other) noexcept { return *this = *this - other; }

    friend bool operator<(const Fixed& left, const Fixed& right) noexcept { return (left - right).is_negative(); }

    /// weight * value modulo 2^128. Sums of such products are exact where they stay below 2^127, whatever the products
    /// are.
    friend Fixed operator*(int128 weight, const Fixed& value) noexcept {
        const auto magnitude = static_cast<uint128>(weight < 0 ? -weight : weight);
        Fixed result;
        result.add_product(0, low_half(magnitude), value);
        if (high_half(magnitude) != 0) result.add_product(1, high_half(magnitude), value);
        return result.negated_if(weight < 0);
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

    /// The double nearest to x / divisor^power, if it is the same for all x that differ from this by 2^margin units in
    /// the last place at most. Two limbs settle that nearly always.
    [[nodiscard]] std::optional<double> divided_within(int margin, std::uint64_t divisor, int power) const noexcept {
        Fixed magnitude = is_negative() ? -*this : *this;
        const int zeros = magnitude.leading_zeros();
        // The margin as an exponent, once the leading bit is at the top of two limbs: 53 bits and more must be free of
        // it.
        const int blurred = margin + zeros - 64 * static_cast<int>(F);
        if (blurred > 64) return std::nullopt;
        magnitude.shift_left(zeros);
        uint128 quotient = magnitude.leading() >> 1;
        // Every step shifts and divides by [1/2, 1), so that errors do not grow, and rounds down twice.
        const int shift = std::countl_zero(divisor);
        const uint128 error = (uint128{1} << std::max(blurred, 0)) + 1 + 2 * static_cast<unsigned>(power);
        for (int i = 0; i < power; ++i) quotient = divided_fraction(quotient >> 1, divisor << shift);
        const auto low = static_cast<double>(quotient - error);
        if (low != static_cast<double>(quotient + error)) return std::nullopt;
        const double result = std::ldexp(low, 1 - zeros + power * (shift + 1 - 64));
        return is_negative() ? -result : result;
    }

    /// The number of bits of the magnitude.
    [[nodiscard]] int bit_width() const noexcept {
        return 64 * static_cast<int>(size) - (is_negative() ? -*this : *this).leading_zeros();
    }

  private:
    template <std::size_t G>
    friend class Fixed;

    [[nodiscard]] uint128 leading() const noexcept { return (uint128{limbs_[size - 1]} << 64) | limbs_[size - 2]; }

    /// Without a branch, since signs of weights alternate.
    [[nodiscard]] Fixed negated_if(bool negative) const noexcept {
        const std::uint64_t flipped = std::uint64_t{0} - static_cast<std::uint64_t>(negative);
        Fixed result;
        auto carry = static_cast<std::uint64_t>(negative);
        for (std::size_t i = 0; i < size; ++i) result.limbs_[i] = add_with_carry(limbs_[i] ^ flipped, 0, carry);
        return result;
    }

    /// Adds factor * value * 2^(64 places), modulo 2^128.
    void add_product(std::size_t places, std::uint64_t factor, const Fixed& value) noexcept {
        std::uint64_t carry = 0;
        for (std::size_t i = places; i < size; ++i) {
            limbs_[i] = multiply_add(factor, value.limbs_[i - places], limbs_[i], carry);
        }
    }

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

}  // namespace chanceless::numbers
