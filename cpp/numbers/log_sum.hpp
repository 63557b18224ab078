#pragma once

// (sum of weight * f(value)) / divisor^power, rounded once.

#include "numbers/logarithm.hpp"

namespace chanceless::numbers {

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

/// sum / divisor^power, where the sum may be off by `error` units in the last place.
template <std::size_t F>
Rounded round_sum(const Fixed<F>& sum, double error, std::uint64_t divisor, int power) noexcept;

/// Ziv's strategy: compute with a little more precision than is mostly needed, and with much more where the
/// error bound does not settle the last bit.
///
/// The last tier has 320 bits behind the point. Mutual information that is not 0 is at least 8 / n^4
/// (Pinsker's inequality; a table that is not the product of its margins is off by 1 / n^2 in four cells or
/// more), that is n MI >= 2^-156 for n <= 2^53, while the bound there is below 2^-240: a zero is a true zero.
template <class Function>
double correctly_rounded(std::span<const LogTerm> terms, std::uint64_t divisor, int power) noexcept;

}  // namespace chanceless::numbers
