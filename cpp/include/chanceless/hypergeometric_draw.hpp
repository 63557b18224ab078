#pragma once

// Random hypergeometric numbers: how many of the samples drawn are marked.
//
// The probability of a count comes from the 2 x 2 table of marked and drawn samples. With c the counts of its cells, mu
// their means and r(x) = log(x!) - (x log x - x),
//
//     log p = sum of r(sizes) - r(n) - sum over cells of [g(c) + r(c)],     g(c) = c log(c / mu) - (c - mu) >= 0,
//
// which has no large terms that cancel: differences of logarithms of factorials would have no correct digit behind the
// point at 10^15 samples, where this is off by 1e-14 or less near the mean. Numbers drawn have the distribution that
// they should have, to 1e-13 of each probability, for up to 2^53 samples.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "chanceless/elementary.hpp"
#include "chanceless/fixed_point.hpp"
#include "chanceless/random_stream.hpp"

namespace chanceless {

/// g(count) for a mean, where `distance` is count - mean.
inline double cell_divergence(double count, double mean, double distance) noexcept {
    if (count <= 0.0) return mean;
    const double s = distance / (count + mean);
    const double z = s * s;
    if (z <= 1.0 / 16) return s * (distance + 2.0 * count * z * atanh_tail(z));
    return count * log_of_double(count / mean) - distance;
}

/// r(x) = log(x!) - (x log x - x).
inline double factorial_rest(double x) noexcept {
    return x <= 0.0 ? 0.0 : half_log_two_pi + 0.5 * log_of_double(x) + stirling_rest(x);
}

/// The count of marked samples among those drawn, where both are at most half of all: the mean is then the least of
/// those of the four cells.
class HalvedHypergeometric {
  public:
    HalvedHypergeometric(std::uint64_t marked, std::uint64_t drawn, std::uint64_t total) noexcept
        : marked_(static_cast<double>(marked)), drawn_(static_cast<double>(drawn)), total_(static_cast<double>(total)) {
        const double unmarked = total_ - marked_;
        const double left = total_ - drawn_;
        means_ = {marked_ / total_ * drawn_, marked_ / total_ * left, unmarked / total_ * drawn_,
                  unmarked / total_ * left};
        mode_ = std::floor((marked_ + 1.0) / (total_ + 2.0) * (drawn_ + 1.0));
        const auto mode = static_cast<int128>(mode_);
        mode_offset_ = static_cast<double>(mode * static_cast<int128>(total) -
                                           static_cast<int128>(marked) * static_cast<int128>(drawn)) /
                       total_;
    }

    [[nodiscard]] double mean() const noexcept { return means_[0]; }

    double draw(RandomStream& random) const noexcept {
        constexpr double small = 10.0;
        return mean() < small ? invert(random) : reject(random);
    }

  private:
    /// Goes up from 0 until the cumulative probability exceeds a uniform number.
    double invert(RandomStream& random) const noexcept {
        const double sizes = marked_ * (total_ - marked_) * (drawn_ / total_) * (total_ - drawn_);
        const double rests = stirling_rest(marked_) + stirling_rest(total_ - marked_) + stirling_rest(drawn_) +
                             stirling_rest(total_ - drawn_) - stirling_rest(total_);
        double probability = exp_of_double(0.5 * log_of_double(sizes) + rests - half_log_two_pi - weight(0.0));
        const double last = std::min(marked_, drawn_);
        const double neither = total_ - marked_ - drawn_;
        double rest = random.unit();
        double count = 0.0;
        while (rest > probability && count < last) {
            rest -= probability;
            probability *= (marked_ - count) * (drawn_ - count) / ((count + 1.0) * (neither + count + 1.0));
            count += 1.0;
        }
        return count;
    }

    /// Ratio of uniforms (Stadlober 1990, HRUA). Counts above 16 deviations, whose probability is below 1e-20, are
    /// left out.
    double reject(RandomStream& random) const noexcept {
        constexpr double hat_width = 1.7155277699214135;   // 2 sqrt(2 / e)
        constexpr double hat_offset = 0.8989161620588988;  // 3 - 2 sqrt(3 / e)
        const double centre = means_[0] + 0.5;
        const double deviation = std::sqrt(means_[0] * (means_[3] / total_) * (total_ / (total_ - 1.0)) + 0.5);
        const double width = hat_width * deviation + hat_offset;
        const double end = std::min(std::min(marked_, drawn_) + 1.0, std::floor(centre + 16.0 * deviation));
        const double weight_of_mode = weight(mode_);
        for (;;) {
            const double u = random.unit();
            const double position = centre + width * (random.unit() - 0.5) / u;
            if (position < 0.0 || position >= end) continue;
            const double count = std::floor(position);
            const double log_ratio = weight_of_mode - weight(count);
            if (u * (4.0 - u) - 3.0 <= log_ratio) return count;
            if (u * (u - log_ratio) >= 1.0) continue;
            if (2.0 * log_of_double(u) <= log_ratio) return count;
        }
    }

    /// -log of the probability of a count, up to a constant.
    [[nodiscard]] double weight(double count) const noexcept {
        const double distance = (count - mode_) + mode_offset_;
        const std::array<double, 4> counts{count, marked_ - count, drawn_ - count, total_ - marked_ - drawn_ + count};
        const std::array<double, 4> distances{distance, -distance, -distance, distance};
        double sum = 0.0;
        double product = 1.0;
        for (std::size_t i = 0; i < 4; ++i) {
            sum += cell_divergence(counts[i], means_[i], distances[i]) + stirling_rest(counts[i]);
            product *= std::max(counts[i], 1.0);
        }
        return sum + 0.5 * log_of_double(product);
    }

    double marked_;
    double drawn_;
    double total_;
    std::array<double, 4> means_;
    double mode_;
    double mode_offset_;  // mode - mean
};

/// How many of `drawn` samples are marked, if `marked` of all `total` are.
inline std::uint64_t draw_hypergeometric(std::uint64_t marked, std::uint64_t drawn, std::uint64_t total,
                                         RandomStream& random) noexcept {
    const std::uint64_t fewer_marked = std::min(marked, total - marked);
    const std::uint64_t fewer_drawn = std::min(drawn, total - drawn);
    std::uint64_t count = 0;
    if (fewer_marked > 0 && fewer_drawn > 0) {
        count = static_cast<std::uint64_t>(HalvedHypergeometric(fewer_marked, fewer_drawn, total).draw(random));
    }
    if (fewer_marked < marked) count = fewer_drawn - count;
    return fewer_drawn < drawn ? marked - count : count;
}

}  // namespace chanceless
