#pragma once

// The interval of Clopper & Pearson for a probability, from the number of hits in independent draws.

#include <cmath>
#include <cstdint>

#include "chanceless/elementary.hpp"
#include "chanceless/table_probability.hpp"

namespace chanceless {

/// The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method; it converges fast for
/// p < (a + 1) / (a + b + 2).
inline double beta_fraction(double a, double b, double p) noexcept {
    constexpr double tiny = 1e-300;
    const auto away_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
    double c = 1.0;
    double d = 1.0 / away_from_zero(1.0 - (a + b) * p / (a + 1.0));
    double result = d;
    for (double m = 1.0; m < 1e7; m += 1.0) {
        const double even = m * (b - m) * p / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        result *= c * d;
        const double odd = -(a + m) * (a + b + m) * p / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        result *= c * d;
        if (std::fabs(c * d - 1.0) < 0x1p-52) break;
    }
    return result;
}

/// The probability of exactly `hits` hits, each of probability p = 1 - q.
inline double binomial_probability(std::uint64_t hits, std::uint64_t draws, double p, double q) noexcept {
    const auto n = static_cast<double>(draws);
    const auto k = static_cast<double>(hits);
    const double distance = k * q - (n - k) * p;  // k - n p
    const double divergence = cell_divergence(k, n * p, distance) + cell_divergence(n - k, n * q, -distance);
    return exp_of_double(factorial_rest(draws) - factorial_rest(hits) - factorial_rest(draws - hits) - divergence);
}

/// The probability of `hits` hits or more, 0 < hits <= draws: the incomplete beta function I_p(hits, draws - hits + 1).
inline double probability_of_at_least(std::uint64_t hits, std::uint64_t draws, double p, double q) noexcept {
    const auto a = static_cast<double>(hits);
    const auto b = static_cast<double>(draws - hits) + 1.0;
    if (p < (a + 1.0) / (a + b + 2.0)) return binomial_probability(hits, draws, p, q) * q * beta_fraction(a, b, p);
    // The complement: b misses or more.
    return 1.0 - binomial_probability(hits - 1, draws, p, q) * p * beta_fraction(b, a, q);
}

struct ShareInterval {
    double low;
    double high;
};

/// The p for which rising(p) = value, to all digits.
template <class Rising>
double solve(double value, const Rising& rising) noexcept {
    double low = 0.0;
    double high = 1.0;
    while (high - low > 0x1p-52 * high) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        (rising(middle) < value ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

inline ShareInterval clopper_pearson(std::uint64_t hits, std::uint64_t draws, double level) noexcept {
    const double tail = 0.5 * (1.0 - level);
    ShareInterval result{0.0, 1.0};
    if (hits > 0) {
        result.low = solve(tail, [&](double p) { return probability_of_at_least(hits, draws, p, 1.0 - p); });
    }
    if (hits < draws) {
        // hits or fewer: draws - hits misses or more, the less likely the larger p
        result.high = solve(-tail, [&](double p) { return -probability_of_at_least(draws - hits, draws, 1.0 - p, p); });
    }
    return result;
}

}  // namespace chanceless
