#pragma once

// One cell of a random contingency table: its expected share of the mutual information.
//
// Under random relabelling, the count C of a cell whose row has a samples and whose column has b of the n is
// hypergeometric with mean mu = a b / n. Its expected share of the mutual information, times n, is
//
//     h(a, b) = E[C log C] - mu log mu = E[g(C)],     g(c) = c log(c / mu) - (c - mu) >= 0,
//
// the second form because E[C] = mu. Its terms are all positive: no digits are lost, however close C is to mu.
// Where clusters are so small that the cell is nearly always empty, E[C log C] itself is the smaller of the two.
//
// Only + - * / and sqrt of doubles, and logarithms from `logarithm.hpp`: compiled without fused multiply-add,
// the result is the same bit for bit on every machine.

#include "numbers/compensated.hpp"
#include "numbers/logarithm.hpp"
#include "numbers/portable_math.hpp"

namespace chanceless::chance {

using numbers::Bounded, numbers::Fixed;

// E[C log C] - mu log mu for a hypergeometric count C whose mean mu is many standard deviations from zero.

/// A logarithm in two parts: high, a multiple of 2^-38, and low, at most 2^-39 with 53 further bits. Sums
/// of high parts, and their products with small counts, are exact.
struct LogParts {
    double high;
    double low;
};

template <std::size_t F>
LogParts in_parts(const Fixed<F>& exact) noexcept {
    const double units = std::floor(exact.divided(1, 0) * 0x1p38 + 0.5);
    const auto rounded = static_cast<int128>(units) * Fixed<F>::power_of_two(64 * F - 38);
    return {units * 0x1p-38, (exact - rounded).divided(1, 0)};
}

LogParts log_in_parts(std::uint64_t value) noexcept;

/// Counts are dealt with four at a time: divisions overlap, checks and compensated additions are shared.
inline constexpr std::size_t lanes = 4;

LogParts log_parts(std::uint64_t value) noexcept;

/// A number of samples, and its logarithm.
struct Amount {
    std::uint64_t samples;
    LogParts log;

    explicit Amount(std::uint64_t count) noexcept : samples(count), log(log_parts(count)) {}
};

/// The 2 x 2 table of a row and a column against all others, as independence would have it, its cell rounded
/// down; and how far that cell is from the mean.
struct PairTable {
    double both;         // floor(mu)
    double row_only;     // a - floor(mu)
    double column_only;  // b - floor(mu)
    double neither;      // n - a - b + floor(mu)
    double fraction;     // mu - floor(mu)
    double gap;          // floor(mu) + 1 - mu, for 1 - fraction would lose digits
    double mean;
    double spread;  // (1 - a/n)(1 - b/n): the variance over the mean, without a factor n / (n - 1)
    LogParts log_mean;

    PairTable(const Amount& a, const Amount& b, const Amount& n) noexcept {
        const auto [whole, rest] = divide_product(a.samples, b.samples, n.samples);
        const auto total = static_cast<double>(n.samples);
        both = static_cast<double>(whole);
        row_only = static_cast<double>(a.samples - whole);
        column_only = static_cast<double>(b.samples - whole);
        neither = static_cast<double>(n.samples - a.samples - (b.samples - whole));
        fraction = static_cast<double>(rest) / total;
        gap = static_cast<double>(n.samples - rest) / total;
        mean = both + fraction;
        spread =
            static_cast<double>(n.samples - a.samples) * static_cast<double>(n.samples - b.samples) / (total * total);
        log_mean = {a.log.high + b.log.high - n.log.high, a.log.low + b.log.low - n.log.low};
    }

    /// How many counts the cell can have, less one.
    [[nodiscard]] double range() const noexcept { return std::min(row_only, column_only) + std::min(both, neither); }

  private:
    static Division divide_product(std::uint64_t left, std::uint64_t right, std::uint64_t divisor) noexcept {
        const uint128 product = uint128{left} * right;
        if (high_half(product) == 0) return {low_half(product) / divisor, low_half(product) % divisor};
        return divide_limbs(high_half(product), low_half(product), divisor);
    }
};

/// h(a, b), for 0 < a, b <= n.
///
/// The moments converge where the mean is 11 standard deviations or more, the faster the more it is; below, the
/// sum takes a microsecond at most. It takes over, too, where C can have few values only, or n is too small
/// for the moments: term by term where the tabulated one, near its limit, would lose a digit.
Bounded cell_information(const Amount& a, const Amount& b, const Amount& n) noexcept;

/// E[C log C], for 0 < a, b <= n; zero where the cell cannot have two samples.
Bounded cell_entropy(const Amount& a, const Amount& b, const Amount& n) noexcept;

}  // namespace chanceless::chance
