#pragma once

// Random hypergeometric numbers: how many of the samples drawn are marked.
//
// The probability of a count is that of the 2 x 2 table of marked and drawn samples: for up to 2^17 samples a sum of
// tabulated log factorials, beyond as in table_probability.hpp. Numbers drawn have the probabilities that they should
// have, to 1e-9 of each, for up to 2^53 samples; counts whose probability is below 1e-15 are left out.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "chanceless/elementary.hpp"
#include "chanceless/int128.hpp"
#include "chanceless/random_stream.hpp"
#include "chanceless/table_probability.hpp"

namespace chanceless {

/// Marked and drawn samples, both at most half of all: the fourth cell of their table cannot be empty first.
struct MarkedAndDrawn {
    double marked;
    double drawn;
    double total;

    [[nodiscard]] double neither() const noexcept { return total - marked - drawn; }
    [[nodiscard]] double mean() const noexcept { return marked * (drawn / total); }
    [[nodiscard]] double variance() const noexcept {
        return mean() * ((total - marked) / total) * ((total - drawn) / (total - 1.0));
    }
    [[nodiscard]] double mode() const noexcept { return std::floor((marked + 1.0) * ((drawn + 1.0) / (total + 2.0))); }
    [[nodiscard]] double most() const noexcept { return std::min(marked, drawn); }
};

/// log(x!) for x < size, in units of 2^-41: sums are exact, differences of near ones off by less than 1e-11.
class LogFactorials {
  public:
    static constexpr std::size_t size = std::size_t{1} << 17;

    static const LogFactorials& instance() noexcept {
        static const LogFactorials table;
        return table;
    }
    std::int64_t operator[](double x) const noexcept { return values_[static_cast<std::size_t>(x)]; }
    static double to_double(std::int64_t value) noexcept { return static_cast<double>(value) * 0x1p-41; }

  private:
    LogFactorials() noexcept {
        for (std::size_t x = 2; x < size; ++x) {
            values_[x] =
                values_[x - 1] + static_cast<std::int64_t>(log_of_double(static_cast<double>(x)) * 0x1p41 + 0.5);
        }
    }

    std::array<std::int64_t, size> values_{};
};

/// Log probabilities from tabulated factorials.
class TabulatedProbability {
  public:
    explicit TabulatedProbability(const MarkedAndDrawn& samples) noexcept
        : samples_(samples), mode_(weight(samples.mode())) {}

    /// log(p(count) / p(mode)).
    [[nodiscard]] double log_ratio(double count) const noexcept {
        return LogFactorials::to_double(mode_ - weight(count));
    }

    static double log_of_none(const MarkedAndDrawn& samples) noexcept {
        const LogFactorials& logs = LogFactorials::instance();
        const auto& [marked, drawn, total] = samples;
        return LogFactorials::to_double((logs[total - marked] - logs[samples.neither()]) -
                                        (logs[total] - logs[total - drawn]));
    }

  private:
    [[nodiscard]] std::int64_t weight(double count) const noexcept {
        const LogFactorials& logs = LogFactorials::instance();
        return logs[count] + logs[samples_.marked - count] + logs[samples_.drawn - count] +
               logs[samples_.neither() + count];
    }

    MarkedAndDrawn samples_;
    std::int64_t mode_;
};

/// Log probabilities from the distance to the mean, for any number of samples.
class ComputedProbability {
  public:
    explicit ComputedProbability(const MarkedAndDrawn& samples) noexcept
        : samples_(samples),
          centre_(samples.mode()),
          offset_(distance_of(centre_, samples)),
          means_(means_of(samples)) {}

    /// log(p(count) / p(mode)).
    [[nodiscard]] double log_ratio(double count) const noexcept { return mode_ - weight(count); }

    static double log_of_none(const MarkedAndDrawn& samples) noexcept {
        const auto& [marked, drawn, total] = samples;
        const double sizes = marked * (total - marked) * ((drawn / total) * (total - drawn));
        const double rests = stirling_rest(marked) + stirling_rest(total - marked) + stirling_rest(drawn) +
                             stirling_rest(total - drawn) - stirling_rest(total);
        return 0.5 * log_of_double(sizes) + rests - half_log_two_pi - ComputedProbability(samples).weight(0.0);
    }

  private:
    static std::array<double, 4> means_of(const MarkedAndDrawn& samples) noexcept {
        const auto& [marked, drawn, total] = samples;
        const double share = drawn / total;
        const double other_share = (total - drawn) / total;
        return {marked * share, marked * other_share, (total - marked) * share, (total - marked) * other_share};
    }

    /// count - mean, rounded once.
    static double distance_of(double count, const MarkedAndDrawn& samples) noexcept {
        const auto& [marked, drawn, total] = samples;
        const auto product = [](double x, double y) { return static_cast<int128>(x) * static_cast<int128>(y); };
        return static_cast<double>(product(count, total) - product(marked, drawn)) / total;
    }

    /// -log of the probability of a count, up to a constant.
    [[nodiscard]] double weight(double count) const noexcept {
        const double distance = (count - centre_) + offset_;
        const std::array<double, 4> counts{count, samples_.marked - count, samples_.drawn - count,
                                           samples_.neither() + count};
        const std::array<double, 4> distances{distance, -distance, -distance, distance};
        double sum = 0.0;
        double product = 1.0;
        for (std::size_t i = 0; i < 4; ++i) {
            sum += cell_divergence(counts[i], means_[i], distances[i]) + stirling_rest(counts[i]);
            product *= std::max(counts[i], 1.0);
        }
        return sum + 0.5 * log_of_double(product);
    }

    MarkedAndDrawn samples_;
    double centre_;
    double offset_;  // centre - mean
    std::array<double, 4> means_;
    double mode_ = weight(centre_);
};

/// Goes up from 0 until the cumulative probability exceeds a uniform number.
template <class Probability>
double invert(const MarkedAndDrawn& samples, RandomStream& random) noexcept {
    double probability = exp_of_double(Probability::log_of_none(samples));
    const double most = samples.most();
    const double neither = samples.neither();
    double rest = random.unit();
    double count = 0.0;
    while (rest > probability && count < most) {
        rest -= probability;
        probability *= (samples.marked - count) * (samples.drawn - count) / ((count + 1.0) * (neither + count + 1.0));
        count += 1.0;
    }
    return count;
}

/// Ratio of uniforms (Stadlober 1990, algorithm HRUA). The hat covers every distribution of a mean of 1 or more; counts
/// above 16 deviations are left out.
template <class Probability>
double reject(const MarkedAndDrawn& samples, RandomStream& random) noexcept {
    constexpr double hat_width = 1.7155277699214135;   // 2 sqrt(2 / e)
    constexpr double hat_offset = 0.8989161620588988;  // 3 - 2 sqrt(3 / e)
    const double centre = samples.mean() + 0.5;
    const double deviation = std::sqrt(samples.variance() + 0.5);
    const double width = hat_width * deviation + hat_offset;
    const double end = std::min(samples.most() + 1.0, std::floor(centre + 16.0 * deviation));
    const Probability probability(samples);
    for (;;) {
        const double u = random.unit();
        const double position = centre + width * (random.unit() - 0.5) / u;
        if (position < 0.0 || position >= end) continue;
        const double count = std::floor(position);
        const double log_ratio = probability.log_ratio(count);
        if (u * (4.0 - u) - 3.0 <= log_ratio) return count;
        if (u * (u - log_ratio) >= 1.0) continue;
        if (2.0 * log_of_double(u) <= log_ratio) return count;
    }
}

template <class Probability>
double draw_marked(const MarkedAndDrawn& samples, RandomStream& random) noexcept {
    constexpr double small = 5.0;
    return samples.mean() < small ? invert<Probability>(samples, random) : reject<Probability>(samples, random);
}

/// How many of `drawn` samples are marked, if `marked` of all `total` are.
inline std::uint64_t draw_hypergeometric(std::uint64_t marked, std::uint64_t drawn, std::uint64_t total,
                                         RandomStream& random) noexcept {
    const std::uint64_t fewer_marked = std::min(marked, total - marked);
    const std::uint64_t fewer_drawn = std::min(drawn, total - drawn);
    std::uint64_t count = 0;
    if (fewer_marked > 0 && fewer_drawn > 0) {
        const MarkedAndDrawn samples{static_cast<double>(fewer_marked), static_cast<double>(fewer_drawn),
                                     static_cast<double>(total)};
        count =
            static_cast<std::uint64_t>(total < LogFactorials::size ? draw_marked<TabulatedProbability>(samples, random)
                                                                   : draw_marked<ComputedProbability>(samples, random));
    }
    if (fewer_marked < marked) count = fewer_drawn - count;
    return fewer_drawn < drawn ? marked - count : count;
}

}  // namespace chanceless
