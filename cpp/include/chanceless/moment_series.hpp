#pragma once

// E[C log C] - mu log mu for a hypergeometric count C whose mean mu is many standard deviations from zero.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chanceless/compensated.hpp"

namespace chanceless {

/// With the central moments M_m of C,
///
///     h = sum of (-1)^m M_m / (m (m - 1) mu^(m - 1)) for m = 2 ... K,   K odd,
///
/// is off by at most M_(K+1) / (K mu^K): by Taylor's remainder where C > mu, and by the sum of the terms left
/// out where C < mu.
///
/// moment[m] is M_m / (m! mu^m), in units of moment[2]: then the series is 1 and a small correction,
/// and Pearson's recurrence for the hypergeometric distribution reads
///
///     (1 - m/n) (m + 1) moment[m + 1] = sum over r < m of mu^(r - m) / (m - r)! * source[r],
///     source[r] = (1 - a/n)(1 - b/n) moment[r] - (a/n (1 - b/n) + b/n (1 - a/n)) (r + 1) moment[r + 1]
///                 + a/n b/n (r + 1)(r + 2) moment[r + 2],         the last part not for r = m - 1.
class MomentSeries {
  public:
    /// The highest moment; n must exceed it.
    static constexpr std::size_t most = 64;

    /// For 0 < a, b < n.
    MomentSeries(std::uint64_t a, std::uint64_t b, std::uint64_t n) noexcept : total_(static_cast<double>(n)) {
        const auto row = static_cast<double>(a);
        const auto column = static_cast<double>(b);
        const auto row_rest = static_cast<double>(n - a);
        const auto column_rest = static_cast<double>(n - b);
        const double scale = 1.0 / (total_ * total_);
        step_ = total_ / (row * column);
        outside_ = row_rest * column_rest * scale;
        across_ = (row * column_rest + column * row_rest) * scale;
        inside_ = row * column * scale;
        leading_ = row_rest * column_rest / (2.0 * total_ * (total_ - 1.0));
        moment_[0] = 2.0 * row * column * (total_ - 1.0) / (row_rest * column_rest);
        moment_[1] = 0.0;
        moment_[2] = 1.0;
        source_[0] = outside_ * moment_[0] + 2.0 * inside_;
        power(1) = step_;
    }

    /// Nothing, if the remainder does not become negligible.
    ///
    /// Its bound is proved except for the rounding of the correction: that is some percent of the whole, and an
    /// error of a few roundings (as measured) in some percent is covered by the 8u, since only four are spent.
    [[nodiscard]] std::optional<Bounded> value() noexcept {
        double correction = 0.0;  // to the leading 1, whose size would round it each time
        double factorial = 1.0;   // (m - 1)!
        for (std::size_t m = 2; m + 2 <= most; m += 2) {
            const auto order = static_cast<double>(m);
            correction -= factorial * next_moment(m);
            factorial *= order;
            const double term = factorial * next_moment(m + 1);
            // An even moment is positive, unless rounding has taken over.
            if (term <= 0.0) return std::nullopt;
            if ((order + 2.0) * term <= 0x1p-58) {
                return Bounded{leading_ + leading_ * correction, 8.0 * unit_roundoff + 0x1p-57};
            }
            correction += term;
            factorial *= order + 1.0;
        }
        return std::nullopt;
    }

  private:
    static constexpr std::size_t lanes = 4;

    /// mu^-j / j!, kept backwards, so that the recurrence runs through both its arrays forwards.
    double& power(std::size_t j) noexcept { return powers_[most - j]; }

    double next_moment(std::size_t m) noexcept {
        const auto order = static_cast<double>(m);
        power(m) = power(m - 1) * step_ / order;
        const double* powers = &power(m);
        std::array<double, lanes> sums{};
        std::size_t r = 0;
        for (; r + lanes < m; r += lanes) {
            for (std::size_t i = 0; i < lanes; ++i) sums[i] += powers[r + i] * source_[r + i];
        }
        for (; r + 1 < m; ++r) sums[0] += powers[r] * source_[r];
        const double last = outside_ * moment_[m - 1] - across_ * order * moment_[m];
        const double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + step_ * last;
        moment_[m + 1] = sum * (total_ / ((total_ - order) * (order + 1.0)));
        source_[m - 1] = last + inside_ * (order * (order + 1.0)) * moment_[m + 1];
        return moment_[m + 1];
    }

    double total_;
    double step_;
    double outside_;
    double across_;
    double inside_;
    double leading_;
    // Not initialised: most pairs need few of them.
    std::array<double, most + 1> moment_;
    std::array<double, most> source_;
    std::array<double, most> powers_;
};

}  // namespace chanceless
