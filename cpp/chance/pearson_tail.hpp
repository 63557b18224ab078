#pragma once

// The upper tail of a Pearson III distribution: a Gamma distribution, shifted and scaled to mean 0 and variance 1.
//
// With skewness g, the shape of the Gamma distribution is k = 4 / g^2. Let l(y) = (log(1 + y) - y) / y^2 and
// e(v) = (exp(v) - 1 - v) / v^2. In the variable r with 1 + g u / 2 = (1 + g z / 2) exp(g r / 2), the integral over
// all u > z of the density becomes
//
//     P(Z > z) = exp(z^2 l(g z / 2) - s(k)) / sqrt(2 pi) * integral over r > 0 of
//                exp(-r^2 e(g r / 2) - z r (1 + e(g r / 2) g r / 2)),
//
// where s(k) is what log(Gamma(k)) has beyond Stirling's formula. This holds for either sign of g, and has a limit for
// g = 0: l = -1/2, e = 1/2, s = 0 are the normal distribution. For z >= 0 nothing cancels.
//
// Only + - * / of doubles, and the logarithm and exponential of `elementary.hpp`: the same on every machine.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/int128.hpp"
#include "chance/hypergeometric.hpp"
#include "counting/spectrum.hpp"
#include "numbers/portable_math.hpp"
#include "terms/sample_pairs.hpp"

namespace chanceless::chance {

using base::uint128;
using counting::SizeGroup;
using numbers::atanh_tail, numbers::exp_of_double, numbers::half_log_two_pi, numbers::log_of_double,
    numbers::stirling_series;
using terms::pairs_within;

/// (log(1 + y) - y) / y^2 for y > -1.
inline double log_curvature(double y) noexcept {
    const double half = 1.0 / (2.0 + y);
    const double s = y * half;
    // log(1 + y) = 2 atanh(s), and 2 s - y = -s y.
    if (s * s <= 1.0 / 16) return half * (2.0 * half * s * atanh_tail(s * s) - 1.0);
    return (log_of_double(1.0 + y) - y) / (y * y);
}

/// log(1 + y) for y > -1.
inline double log_of_sum(double y) noexcept { return y + y * y * log_curvature(y); }

/// (exp(v) - 1 - v) / v^2 for v < 700.
inline double exp_curvature(double v) noexcept {
    if (std::fabs(v) > 1.0) return ((exp_of_double(v) - 1.0) - v) / (v * v);
    double sum = 0.0;
    for (int i = 20; i >= 2; --i) sum = (1.0 + sum) * (i > 2 ? v : 1.0) / i;
    return sum;
}

/// What log(Gamma(k)) has beyond (k - 1/2) log k - k + log(2 pi) / 2, for k > 0.
inline double stirling_excess(double k) noexcept {
    constexpr double large = 32.0;
    double excess = 0.0;
    for (; k < large; k += 1.0) excess += (k + 0.5) * log_of_sum(1.0 / k) - 1.0;
    return excess + stirling_series(k);
}

/// Integrates over r > 0 by the trapezoidal rule in t, where r = width * exp(t - exp(-t)).
class HalfLineRule {
  public:
    struct Node {
        double place;
        double weight;
    };
    static constexpr std::size_t finest = 32;  // steps for each unit of t

    static const HalfLineRule& instance() {
        static const HalfLineRule rule;
        return rule;
    }

    /// Halves the step until the last change, squared, is negligible: the error is about squared by each halving. The
    /// integrand falls from 1 to 0.
    template <class Integrand>
    [[nodiscard]] double integrate(double width, const Integrand& integrand) const {
        double before = 0.0;
        for (std::size_t stride = finest / 4;; stride /= 2) {
            double sum = 0.0;
            for (std::size_t i = 0; i < nodes_.size(); i += stride) {
                const double term = nodes_[i].weight * integrand(width * nodes_[i].place);
                sum += term;
                if (nodes_[i].place > 1.0 && term <= 0x1p-60 * sum) break;
            }
            sum *= width * static_cast<double>(stride);
            if (stride == 1 || std::fabs(sum - before) <= 0x1p-34 * sum) return sum;
            before = sum;
        }
    }

  private:
    HalfLineRule() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const double t = first + static_cast<double>(i) / finest;
            const double inverse = exp_of_double(-t);
            const double place = exp_of_double(t - inverse);
            nodes_[i] = {place, place * (1.0 + inverse) / finest};
        }
    }

    static constexpr double first = -3.75;
    static constexpr double last = 7.0;
    std::array<Node, static_cast<std::size_t>((last - first) * finest) + 1> nodes_;
};

/// log P(Z > z) for z >= 0, within the support.
inline double log_upper_tail(double z, double skewness) noexcept {
    const double half = skewness / 2.0;
    double width = 1.0 / (z + 1.0 / (1.0 + std::fabs(half)));
    if (half > 0.0) width *= 1.0 + half * width * log_curvature(half * width);
    const double integral = HalfLineRule::instance().integrate(width, [&](double r) {
        const double curvature = exp_curvature(half * r);
        return exp_of_double(-r * (r * curvature + z * (1.0 + half * r * curvature)));
    });
    const double excess = half == 0.0 ? 0.0 : stirling_excess(1.0 / (half * half));
    return z * z * log_curvature(half * z) + (log_of_double(integral) - half_log_two_pi - excess);
}

/// log P(Z > z) of a Pearson III distribution with mean 0, variance 1 and this skewness; -infinity beyond the end of
/// its support. Off by some 1e-15 of itself where |skewness| <= 10, whether it is near 0 or -1e5.
inline double log_pearson_tail(double z, double skewness) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (std::isnan(z) || std::isnan(skewness)) return z + skewness;
    if (std::isinf(z)) return z > 0.0 ? -infinity : 0.0;
    if (1.0 + z * skewness / 2.0 <= 0.0) return skewness > 0.0 ? 0.0 : -infinity;
    if (z >= 0.0) return log_upper_tail(z, skewness);
    return log_of_sum(-exp_of_double(log_upper_tail(-z, -skewness)));
}

// When a Pearson III distribution with the exact mean, variance and third cumulant is close to the distribution of
// mutual information over random tables.

/// Whether there are n >= 80 samples, 30 outside the largest cluster on either side, at least 12 expected to be outside
/// both, and at least 5 pairs of samples expected to share a cluster on both sides.
///
/// With fewer samples outside the largest cluster the distribution has another shape; with fewer common pairs it has
/// few values. Integers decide.
inline bool moments_hold(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                         std::uint64_t n_samples) noexcept {
    if (n_samples < 80) return false;
    const uint128 n = n_samples;
    const uint128 outside_rows = n - rows.back().size;
    const uint128 outside_columns = n - columns.back().size;
    if (std::min(outside_rows, outside_columns) < 30) return false;
    if (outside_rows * outside_columns < 12 * n) return false;
    const uint128 row_pairs = pairs_within(rows);
    const uint128 column_pairs = pairs_within(columns);
    // row_pairs * column_pairs >= 5 * all pairs, where the product may exceed 128 bits
    const uint128 wanted = 5 * (n * (n - 1) / 2);
    return column_pairs > 0 && row_pairs >= (wanted + column_pairs - 1) / column_pairs;
}

}  // namespace chanceless::chance
