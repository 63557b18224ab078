#pragma once

// (sum of weight * f(value)) / divisor^power, rounded once.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "chanceless/fixed_point.hpp"

namespace chanceless {

struct LogTerm {
    int128 weight;
    std::uint64_t value;
};

/// f(x) = log x.
struct Log {
    template <std::size_t F>
    static Fixed<F> at(std::uint64_t value) noexcept {
        // Small values are most of the values there are; the first tier meets them all the time.
        constexpr std::size_t cached = 1024;
        if constexpr (F == 2) {
            static const auto table = [] {
                std::array<Fixed<F>, cached> result{};
                for (std::uint64_t i = 1; i < cached; ++i) result[i] = log_of<F>(i);
                return result;
            }();
            if (value < cached) return table[value];
        }
        return log_of<F>(value);
    }

    static double error(std::uint64_t /*value*/) noexcept { return log_error; }
};

/// f(x) = x log x - (x - 1) log(x - 1), which is 0 at 1: what one sample more or less does to a cell.
struct LogStep {
    template <std::size_t F>
    static Fixed<F> at(std::uint64_t value) noexcept {
        if (value <= 1) return Fixed<F>{};
        const auto here = static_cast<int128>(value);
        return here * Log::at<F>(value) - (here - 1) * Log::at<F>(value - 1);
    }

    static double error(std::uint64_t value) noexcept { return 2.0 * static_cast<double>(value) * log_error; }
};

/// The sum in F fraction limbs, as a double, and whether that double is certain.
struct Rounded {
    double value;
    bool certain;
};

template <class Function, std::size_t F>
Rounded round_with(std::span<const LogTerm> terms, std::uint64_t divisor, int power) noexcept {
    Fixed<F> sum;
    double error = 0.0;
    for (const LogTerm& term : terms) {
        sum += term.weight * Function::template at<F>(term.value);
        error += std::fabs(static_cast<double>(term.weight)) * Function::error(term.value);
    }
    // ilogb + 2: a power of two above the bound, with room for the rounding of the bound itself.
    const auto margin = Fixed<F>::power_of_two(error == 0.0 ? 0 : static_cast<std::size_t>(std::ilogb(error) + 2));
    const double low = (sum - margin).divided(divisor, power);
    const double high = (sum + margin).divided(divisor, power);
    if (low == high) return {low, true};
    // Bounds on either side of zero: zero it is, as far as this precision can tell.
    return {low <= 0.0 && high >= 0.0 ? 0.0 : sum.divided(divisor, power), false};
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

}  // namespace chanceless
