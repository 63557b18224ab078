#pragma once

// (sum of weight * f(value)) / divisor^power, rounded once.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/int128.hpp"
#include "numbers/fixed_point.hpp"
#include "numbers/logarithm.hpp"

namespace chanceless::numbers {

using base::high_half, base::int128, base::low_half, base::uint128;

struct LogTerm {
    int128 weight;
    std::uint64_t value;
};

/// f(x) = log x.
struct Log {
    template <std::size_t F>
    static Fixed<F> at(std::uint64_t value) noexcept {
        return log_of<F>(value);
    }

    /// In units in the last place.
    template <std::size_t F>
    static double error(std::uint64_t /*value*/) noexcept {
        return log_error<F>;
    }
};

/// f(x) = x log x.
struct ValueTimesLog {
    template <std::size_t F>
    static Fixed<F> at(std::uint64_t value) noexcept {
        return value * Log::at<F>(value);
    }

    template <std::size_t F>
    static double error(std::uint64_t value) noexcept {
        return static_cast<double>(static_cast<std::int64_t>(value)) * log_error<F>;
    }
};

/// f(x) = x log x - (x - 1) log(x - 1), which is 0 at 1: what one sample more or less does to a cell.
struct LogStep {
    template <std::size_t F>
    static Fixed<F> at(std::uint64_t value) noexcept {
        if (value <= 1) return Fixed<F>{};
        const auto here = static_cast<int128>(value);
        return here * Log::at<F>(value) - (here - 1) * Log::at<F>(value - 1);
    }
};

/// The sum in F fraction limbs, as a double, and whether that double is certain.
struct Rounded {
    double value;
    bool certain;
};

/// At least |weight|, and hardly more; faster than the conversion of 128 bits.
inline double bound_of(int128 weight) noexcept {
    const auto magnitude = static_cast<uint128>(weight < 0 ? -weight : weight);
    const auto high = static_cast<double>(static_cast<std::int64_t>(high_half(magnitude)));
    const auto low = static_cast<double>(static_cast<std::int64_t>(low_half(magnitude) >> 1));
    return high * 0x1p64 + (low + 1.0) * 2.0;
}

/// sum / divisor^power, where the sum may be off by `error` units in the last place.
template <std::size_t F>
Rounded round_sum(const Fixed<F>& sum, double error, std::uint64_t divisor, int power) noexcept {
    // ilogb + 2: a power of two above the bound, with room for the rounding of the bound itself.
    const int margin = std::ilogb(error) + 2;
    if (const std::optional<double> nearest = sum.divided_within(margin, divisor, power)) return {*nearest, true};
    // Bounds on either side of zero: zero it is, as far as this precision can tell.
    return {sum.bit_width() <= margin ? 0.0 : sum.divided(divisor, power), false};
}

template <class Function, std::size_t F>
Rounded round_with(std::span<const LogTerm> terms, std::uint64_t divisor, int power) noexcept {
    Fixed<F> sum;
    double error = 0.0;
    for (const LogTerm& term : terms) {
        sum += term.weight * Function::template at<F>(term.value);
        error += bound_of(term.weight) * Function::template error<F>(term.value);
    }
    return round_sum(sum, error, divisor, power);
}

/// Ziv's strategy: compute with a little more precision than is mostly needed, and with much more where the
/// error bound does not settle the last bit.
///
/// The last tier has 320 bits behind the point. Mutual information that is not 0 is at least 8 / n^4
/// (Pinsker's inequality; a table that is not the product of its margins is off by 1 / n^2 in four cells or
/// more), that is n MI >= 2^-156 for n <= 2^53, while the bound there is below 2^-240: a zero is a true zero.
template <class Function>
double correctly_rounded(std::span<const LogTerm> terms, std::uint64_t divisor, int power) noexcept {
    if (terms.empty()) return 0.0;
    Rounded result = round_with<Function, 2>(terms, divisor, power);
    if (!result.certain) result = round_with<Function, 3>(terms, divisor, power);
    if (!result.certain) result = round_with<Function, 5>(terms, divisor, power);
    return result.value;
}

}  // namespace chanceless::numbers
