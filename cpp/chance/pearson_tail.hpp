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
// Only + - * / of doubles, and the logarithm and exponential of `portable_math.hpp`: the same on every machine.

#include "chance/hypergeometric.hpp"
#include "terms/sample_pairs.hpp"

namespace chanceless::chance {

using counting::SizeGroup;

/// log P(Z > z) of a Pearson III distribution with mean 0, variance 1 and this skewness; -infinity beyond the end of
/// its support. Off by some 1e-15 of itself where |skewness| <= 10, whether it is near 0 or -1e5.
double log_pearson_tail(double z, double skewness) noexcept;

// When a Pearson III distribution with the exact mean, variance and third cumulant is close to the distribution of
// mutual information over random tables.

/// Whether there are n >= 80 samples, 30 outside the largest cluster on either side, at least 12 expected to be outside
/// both, and at least 5 pairs of samples expected to share a cluster on both sides.
///
/// With fewer samples outside the largest cluster the distribution has another shape; with fewer common pairs it has
/// few values. Integers decide.
bool moments_hold(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                  std::uint64_t n_samples) noexcept;

}  // namespace chanceless::chance
