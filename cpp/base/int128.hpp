#pragma once

// Integers of 128 bits: the compiler's, or two limbs where it has none. With CHANCELESS_NO_INT128, two limbs always.

#include <concepts>
#include <initializer_list>
#include <type_traits>

#include "base/standard.hpp"

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#define CHANCELESS_HAS_UMUL128
#ifndef __clang__
#define CHANCELESS_HAS_UDIV128
#endif
#endif

// Clang has them beside MSVC's libraries, too, but these have no division of 128 bits.
#if defined(__SIZEOF_INT128__) && !defined(_MSC_VER)
#define CHANCELESS_COMPILER_HAS_INT128
#endif

namespace chanceless::base {

// Integers of 128 bits made of two limbs of 64, for compilers without them (int128.hpp decides).
//
// Every operation has the bits that GCC's and Clang's own type has; conversions to double are rounded to the nearest,
// ties to even.

/// A number of 128 bits by its halves.
struct Limbs {
    std::uint64_t high;
    std::uint64_t low;
};

struct Division {
    std::uint64_t quotient;
    std::uint64_t remainder;
};

constexpr Limbs multiply_limbs(std::uint64_t left, std::uint64_t right) noexcept {
#ifdef CHANCELESS_HAS_UMUL128
    if (!std::is_constant_evaluated()) {
        Limbs product{};
        product.low = _umul128(left, right, &product.high);
        return product;
    }
#endif
    constexpr std::uint64_t digit = 0xFFFFFFFF;
    const std::uint64_t low = (left & digit) * (right & digit);
    const std::uint64_t middle = (left >> 32) * (right & digit) + (low >> 32);
    const std::uint64_t other = (left & digit) * (right >> 32) + (middle & digit);
    return {(left >> 32) * (right >> 32) + (middle >> 32) + (other >> 32), left * right};
}

/// Divides high * 2^64 + low by a divisor of which the highest bit is set, with high < divisor: schoolbook division
/// with two digits of 32 bits.
constexpr Division divide_by_normalised(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) noexcept {
    const std::uint64_t leading = divisor >> 32;
    const std::uint64_t trailing = divisor & 0xFFFFFFFF;
    std::uint64_t quotient = 0;
    for (const std::uint64_t next : {low >> 32, low & 0xFFFFFFFF}) {
        // The leading digit of the divisor gives a digit that is too large by two at most.
        std::uint64_t digit = high / leading;
        std::uint64_t rest = high % leading;
        while (digit >> 32 != 0 || digit * trailing > ((rest << 32) | next)) {
            --digit;
            rest += leading;
            if (rest >> 32 != 0) break;
        }
        high = ((high << 32) | next) - digit * divisor;  // modulo 2^64
        quotient = (quotient << 32) | digit;
    }
    return {quotient, high};
}

/// Divides high * 2^64 + low by a divisor above high.
constexpr Division divide_two_limbs(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) noexcept {
    if (high == 0) return {low / divisor, low % divisor};
#ifdef CHANCELESS_HAS_UDIV128
    if (!std::is_constant_evaluated()) {
        Division result{};
        result.quotient = _udiv128(high, low, divisor, &result.remainder);
        return result;
    }
#endif
    const int shift = std::countl_zero(divisor);
    if (shift == 0) return divide_by_normalised(high, low, divisor);
    Division result = divide_by_normalised((high << shift) | (low >> (64 - shift)), low << shift, divisor << shift);
    result.remainder >>= shift;
    return result;
}

/// Converts from all integers implicitly, as an integer does; to other types on request only. Overflow wraps around.
template <bool is_signed>
class TwoLimbs {
  public:
    constexpr TwoLimbs() noexcept = default;
    constexpr explicit TwoLimbs(const Limbs& limbs) noexcept : low_(limbs.low), high_(limbs.high) {}

    template <std::integral T>
    constexpr TwoLimbs(T value) noexcept : low_(static_cast<std::uint64_t>(value)) {  // NOLINT: integers convert
        if constexpr (std::is_signed_v<T>) high_ = value < 0 ? ~std::uint64_t{0} : 0;
    }

    constexpr explicit TwoLimbs(const TwoLimbs<!is_signed>& other) noexcept : TwoLimbs(other.limbs()) {}

    /// Rounded towards zero.
    constexpr explicit TwoLimbs(double value) noexcept {
        const double magnitude = value < 0.0 ? -value : value;
        high_ = static_cast<std::uint64_t>(magnitude * 0x1p-64);
        low_ = static_cast<std::uint64_t>(magnitude - static_cast<double>(high_) * 0x1p64);
        if (value < 0.0) *this = -*this;
    }

    [[nodiscard]] constexpr Limbs limbs() const noexcept { return {high_, low_}; }
    [[nodiscard]] constexpr bool is_negative() const noexcept { return is_signed && high_ >> 63 != 0; }

    template <std::integral T>
    constexpr explicit operator T() const noexcept {
        if constexpr (std::same_as<T, bool>) return (low_ | high_) != 0;
        return static_cast<T>(low_);
    }

    constexpr explicit operator double() const noexcept {
        if (is_negative()) return -static_cast<double>(TwoLimbs<false>(-*this));
        if (high_ == 0) return static_cast<double>(low_);
        // 64 bits are rounded to 53; the last one, set for anything below, keeps a tie from being seen.
        const int shift = std::countl_zero(high_);
        const Limbs aligned = (*this << shift).limbs();
        const auto leading = static_cast<double>(aligned.high | static_cast<std::uint64_t>(aligned.low != 0));
        return leading * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + 64 - shift) << 52);
    }

    constexpr TwoLimbs operator-() const noexcept { return TwoLimbs() - *this; }

    friend constexpr TwoLimbs operator+(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        const std::uint64_t low = left.low_ + right.low_;
        return from(left.high_ + right.high_ + static_cast<std::uint64_t>(low < left.low_), low);
    }
    friend constexpr TwoLimbs operator-(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        return from(left.high_ - right.high_ - static_cast<std::uint64_t>(left.low_ < right.low_),
                    left.low_ - right.low_);
    }
    friend constexpr TwoLimbs operator*(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        const Limbs product = multiply_limbs(left.low_, right.low_);
        return from(product.high + left.high_ * right.low_ + left.low_ * right.high_, product.low);
    }
    friend constexpr TwoLimbs operator/(TwoLimbs left, const TwoLimbs& right) noexcept
        requires(!is_signed)
    {
        return divide(left, right);
    }
    friend constexpr TwoLimbs operator%(TwoLimbs left, const TwoLimbs& right) noexcept
        requires(!is_signed)
    {
        divide(left, right);
        return left;
    }
    friend constexpr TwoLimbs operator&(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        return from(left.high_ & right.high_, left.low_ & right.low_);
    }
    friend constexpr TwoLimbs operator|(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        return from(left.high_ | right.high_, left.low_ | right.low_);
    }
    friend constexpr TwoLimbs operator<<(const TwoLimbs& value, int bits) noexcept {
        if (bits == 0) return value;
        if (bits >= 64) return from(value.low_ << (bits - 64), 0);
        return from((value.high_ << bits) | (value.low_ >> (64 - bits)), value.low_ << bits);
    }
    /// Copies of the sign come in from the left.
    friend constexpr TwoLimbs operator>>(const TwoLimbs& value, int bits) noexcept {
        if (bits == 0) return value;
        const std::uint64_t sign = value.is_negative() ? ~std::uint64_t{0} : 0;
        if (bits == 64) return from(sign, value.high_);
        if (bits > 64) return from(sign, (value.high_ >> (bits - 64)) | (sign << (128 - bits)));
        return from((value.high_ >> bits) | (sign << (64 - bits)), (value.low_ >> bits) | (value.high_ << (64 - bits)));
    }

    constexpr TwoLimbs& operator+=(const TwoLimbs& other) noexcept { return *this = *this + other; }
    constexpr TwoLimbs& operator-=(const TwoLimbs& other) noexcept { return *this = *this - other; }

    friend constexpr bool operator==(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        return left.low_ == right.low_ && left.high_ == right.high_;
    }
    friend constexpr bool operator<(const TwoLimbs& left, const TwoLimbs& right) noexcept {
        if (left.high_ == right.high_) return left.low_ < right.low_;
        constexpr std::uint64_t sign = is_signed ? std::uint64_t{1} << 63 : 0;
        return (left.high_ ^ sign) < (right.high_ ^ sign);
    }
    friend constexpr bool operator>(const TwoLimbs& left, const TwoLimbs& right) noexcept { return right < left; }
    friend constexpr bool operator<=(const TwoLimbs& left, const TwoLimbs& right) noexcept { return !(right < left); }
    friend constexpr bool operator>=(const TwoLimbs& left, const TwoLimbs& right) noexcept { return !(left < right); }

  private:
    static constexpr TwoLimbs from(std::uint64_t high, std::uint64_t low) noexcept {
        return TwoLimbs(Limbs{high, low});
    }

    /// Returns the quotient; the dividend becomes the remainder.
    static constexpr TwoLimbs divide(TwoLimbs& dividend, const TwoLimbs& divisor) noexcept {
        if (divisor.high_ == 0) {
            const Division high = divide_two_limbs(0, dividend.high_, divisor.low_);
            const Division low = divide_two_limbs(high.remainder, dividend.low_, divisor.low_);
            dividend = low.remainder;
            return from(high.quotient, low.quotient);
        }
        TwoLimbs quotient;
        for (int bit = std::countl_zero(divisor.high_) - std::countl_zero(dividend.high_); bit >= 0; --bit) {
            const TwoLimbs multiple = divisor << bit;
            if (dividend < multiple) continue;
            dividend -= multiple;
            quotient.low_ |= std::uint64_t{1} << bit;
        }
        return quotient;
    }

    std::uint64_t low_ = 0;
    std::uint64_t high_ = 0;
};

#ifdef CHANCELESS_COMPILER_HAS_INT128
__extension__ using CompilerInt128 = __int128;
__extension__ using CompilerUint128 = unsigned __int128;
#endif

#if defined(CHANCELESS_COMPILER_HAS_INT128) && !defined(CHANCELESS_NO_INT128)
using int128 = CompilerInt128;
using uint128 = CompilerUint128;

/// Divides high * 2^64 + low by a divisor above high.
constexpr Division divide_limbs(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) noexcept {
    const auto quotient = static_cast<std::uint64_t>(((uint128{high} << 64) | low) / divisor);
    return {quotient, low - quotient * divisor};
}
#else
using int128 = TwoLimbs<true>;
using uint128 = TwoLimbs<false>;

constexpr Division divide_limbs(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) noexcept {
    return divide_two_limbs(high, low, divisor);
}
#endif

constexpr std::uint64_t high_half(uint128 value) noexcept { return static_cast<std::uint64_t>(value >> 64); }
constexpr std::uint64_t low_half(uint128 value) noexcept { return static_cast<std::uint64_t>(value); }

/// left + right + carry; the carry (0 or 1) becomes that of this sum. Compilers make better code of it than of a sum of
/// 128 bits.
constexpr std::uint64_t add_with_carry(std::uint64_t left, std::uint64_t right, std::uint64_t& carry) noexcept {
    const std::uint64_t sum = left + right;
    const std::uint64_t total = sum + carry;
    carry = static_cast<std::uint64_t>(sum < left) | static_cast<std::uint64_t>(total < sum);
    return total;
}

/// left * right + other + carry; the carry becomes the high half.
constexpr std::uint64_t multiply_add(std::uint64_t left, std::uint64_t right, std::uint64_t other,
                                     std::uint64_t& carry) noexcept {
    const uint128 product = uint128{left} * right;
    const std::uint64_t sum = low_half(product) + other;
    const std::uint64_t total = sum + carry;
    carry = high_half(product) + static_cast<std::uint64_t>(sum < other) + static_cast<std::uint64_t>(total < sum);
    return total;
}

}  // namespace chanceless::base
