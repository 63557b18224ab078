#include "chance/hypergeometric.hpp"

namespace chanceless::chance {

using numbers::atanh_tail, numbers::CompensatedSum, numbers::log_of, numbers::unit_roundoff;

namespace {

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

/// The logarithms of the counts that cells of small mean have. `lanes` counts below zero are there to be
/// read, not to be used; zero has logarithm 0, as 0 log 0 = 0 wants it.
class SmallLogs {
  public:
    static constexpr std::size_t size = 512;

    static const SmallLogs& instance() noexcept {
        static const SmallLogs table;
        return table;
    }

    [[nodiscard]] const double* high() const noexcept { return high_.data() + lanes; }
    [[nodiscard]] const double* low() const noexcept { return low_.data() + lanes; }

  private:
    SmallLogs() noexcept {
        for (std::uint64_t count = 1; count < size; ++count) {
            const LogParts log = log_in_parts(count);
            high_[count + lanes] = log.high;
            low_[count + lanes] = log.low;
        }
    }

    std::array<double, size + lanes> high_{};
    std::array<double, size + lanes> low_{};
};

using Lanes = std::array<double, lanes>;

/// g(c) for a mean that is not many standard deviations from zero.
///
/// c log(c / mu) less the whole part of c - mu is exact except for the low parts, so that g(c) is off by at most
/// 2u g(c) + u (fraction or gap). The latter sum to u E|C - mu| or less.
class TabulatedInformation {
  public:
    static constexpr double relative_error = 3.0;
    static constexpr double offset_error = 1.0;

    explicit TabulatedInformation(const PairTable& table) noexcept
        : log_mean_(table.log_mean), high_(SmallLogs::instance().high()), low_(SmallLogs::instance().low()) {}

    /// The count from which on there is no table.
    [[nodiscard]] static double limit() noexcept { return SmallLogs::size; }

    /// g at the counts first, first + step, ..., which lie `whole` + `offset` and so on from the mean.
    template <int Step>
    [[nodiscard]] Lanes at(double first, double whole, double offset) const noexcept {
        const auto index = static_cast<std::int64_t>(first);
        Lanes result;
        for (std::size_t i = 0; i < lanes; ++i) {
            const auto step = Step * static_cast<std::int64_t>(i);
            const double count = first + static_cast<double>(step);
            const double high = count * (high_[index + step] - log_mean_.high);
            const double low = count * (low_[index + step] - log_mean_.low);
            result[i] = ((high - (whole + static_cast<double>(step))) - offset) + low;
        }
        return result;
    }

  private:
    LogParts log_mean_;
    const double* high_;
    const double* low_;
};

/// c log c, for a mean below 1: what is left of the expectation when a second sample in a cell is rare.
///
/// Off by 3u at most. The counts start at 0, and four at a time: from 4 on, c log c rises less than the square
/// of the distance to the mean, as the sum expects of it.
class TabulatedEntropy {
  public:
    static constexpr double relative_error = 3.0;
    static constexpr double offset_error = 0.0;

    explicit TabulatedEntropy(const PairTable& /*table*/) noexcept
        : high_(SmallLogs::instance().high()), low_(SmallLogs::instance().low()) {}

    [[nodiscard]] static double limit() noexcept { return SmallLogs::size; }

    template <int Step>
    [[nodiscard]] Lanes at(double first, double /*whole*/, double /*offset*/) const noexcept {
        const auto index = static_cast<std::int64_t>(first);
        Lanes result;
        for (std::size_t i = 0; i < lanes; ++i) {
            const auto step = Step * static_cast<std::int64_t>(i);
            result[i] = (first + static_cast<double>(step)) * (high_[index + step] + low_[index + step]);
        }
        return result;
    }

  private:
    const double* high_;
    const double* low_;
};

/// g(c) for any mean, also where C almost always equals it; off by 27u at most.
class ComputedInformation {
  public:
    static constexpr double relative_error = 27.0;
    static constexpr double offset_error = 0.0;

    explicit ComputedInformation(const PairTable& table) noexcept : mean_(table.mean), log_mean_(table.log_mean) {}

    [[nodiscard]] static double limit() noexcept { return std::numeric_limits<double>::infinity(); }

    template <int Step>
    [[nodiscard]] Lanes at(double first, double whole, double offset) const noexcept {
        Lanes result;
        for (std::size_t i = 0; i < lanes; ++i) {
            const double step = Step * static_cast<double>(i);
            result[i] = at(first + step, (whole + step) + offset);
        }
        return result;
    }

  private:
    [[nodiscard]] double at(double count, double distance) const noexcept {
        if (count <= 0.0) return mean_;
        const double s = distance / (count + mean_);
        const double z = s * s;
        // log(c / mu) = 2 atanh(s), and c - mu = s (c + mu): the leading terms cancel on paper.
        if (z <= 1.0 / 16) return s * (distance + 2.0 * count * z * atanh_tail(z));
        const LogParts log = log_parts(static_cast<std::uint64_t>(count));
        return count * ((log.high - log_mean_.high) + (log.low - log_mean_.low)) - distance;
    }

    double mean_;
    LogParts log_mean_;
};

/// Sums the distribution outwards from floor(mu), whose weight is set to 1, and divides by the sum of the
/// weights: no factorials.
///
/// Error. A weight k steps out is off by 4u k (two products, a division, a product), so h by 4u times the sum
/// of the mean of k under the weights and under the weights times g. What is left out is below 2^-58 of h.
template <class Information>
class OutwardSum {
  public:
    explicit OutwardSum(const PairTable& table) noexcept : table_(table), information_of_(table) {}

    /// Nothing, if the counts leave the table before the rest is negligible.
    [[nodiscard]] std::optional<Bounded> value() noexcept {
        const PairTable& t = table_;
        mass_.add(1.0);
        information_.add(information_of_.template at<-1>(t.both, 0.0, -t.fraction)[0]);
        const bool finished = walk<1>(t.row_only, t.column_only, t.both, t.neither, 0.0, t.gap) &&
                              walk<-1>(t.both, t.neither, t.row_only, t.column_only, -1.0, -t.fraction);
        if (!finished) return std::nullopt;
        const double mass = mass_.value();
        const double information = information_.value();
        const double roundings =
            8.0 + Information::relative_error + 4.0 * mass_steps_ / mass +
            (4.0 * information_steps_ + Information::offset_error * (offsets_ + t.fraction)) / information;
        return Bounded{information / mass, roundings * unit_roundoff + 0x1p-58};
    }

  private:
    /// Moves samples from two corners of the 2 x 2 table to the others, one by one: `from * other_from` ways
    /// to do so, `to * other_to` ways back. The first count to be reached is whole + offset from the mean.
    template <int Step>
    bool walk(double from, double other_from, double to, double other_to, double whole, double offset) noexcept {
        const double steps = std::min(from, other_from);
        double weight = 1.0;
        for (double k = 0.0; k < steps; k += lanes) {
            const double count = table_.both + Step * (k + 1.0);
            if (count + lanes > information_of_.limit()) return false;
            Lanes ratio;
            for (std::size_t i = 0; i < lanes; ++i) {
                const double done = k + static_cast<double>(i);
                // Past the last step the weights are zero, since the first factor was.
                ratio[i] = ((from - done) * (other_from - done)) / ((to + (done + 1.0)) * (other_to + (done + 1.0)));
            }
            const Lanes information = information_of_.template at<Step>(count, whole + Step * k, offset);
            Lanes weights;
            Lanes terms;
            for (std::size_t i = 0; i < lanes; ++i) {
                weight *= ratio[i];
                weights[i] = weight;
                terms[i] = weight * information[i];
            }
            add(weights, terms, k + lanes, std::fabs(offset));
            const double distance = std::fabs(whole + offset) + (k + (lanes - 1.0));
            if (is_negligible(weight, terms[lanes - 1], ratio[lanes - 1], distance)) break;
        }
        return true;
    }

    void add(const Lanes& weights, const Lanes& terms, double steps, double offset) noexcept {
        const double mass = (weights[0] + weights[1]) + (weights[2] + weights[3]);
        const double information = (terms[0] + terms[1]) + (terms[2] + terms[3]);
        mass_.add(mass);
        information_.add(information);
        mass_steps_ += mass * steps;
        information_steps_ += information * steps;
        offsets_ += mass * offset;
    }

    /// Whether all further terms together are below 2^-60 of the sums. Weights fall at least by `ratio` with
    /// each step (they are log-concave), and g rises at most like twice the square of the distance: on one
    /// side g(mu + y) / y^2 falls with y, on the other it lies between 1 / (2 mu) and 1 / mu.
    [[nodiscard]] bool is_negligible(double weight, double term, double ratio, double distance) const noexcept {
        const double here = distance * distance;
        const double next = ratio * ((distance + 1.0) * (distance + 1.0));
        return term * next <= 0x1p-61 * information_.value() * (here - next) &&
               weight * ratio <= 0x1p-60 * mass_.value() * (1.0 - ratio);
    }

    PairTable table_;
    Information information_of_;
    CompensatedSum mass_;
    CompensatedSum information_;
    double mass_steps_ = 0.0;
    double information_steps_ = 0.0;
    double offsets_ = 0.0;
};

}  // namespace

LogParts log_in_parts(std::uint64_t value) noexcept { return in_parts(log_of<2>(value)); }

LogParts log_parts(std::uint64_t value) noexcept {
    if (value >= SmallLogs::size) return log_in_parts(value);
    const SmallLogs& logs = SmallLogs::instance();
    return {logs.high()[value], logs.low()[value]};
}

Bounded cell_information(const Amount& a, const Amount& b, const Amount& n) noexcept {
    if (a.samples == n.samples || b.samples == n.samples) return {0.0, 0.0};
    const PairTable table(a, b, n);
    const bool few = table.range() <= 24.0;
    const double squared_deviations = few ? 16.0 : 128.0;
    if (table.mean < squared_deviations * table.spread) {
        if (const auto result = OutwardSum<TabulatedInformation>(table).value()) return *result;
    } else if (!few && n.samples > MomentSeries::most) {
        if (const auto result = MomentSeries(a.samples, b.samples, n.samples).value()) return *result;
    }
    return *OutwardSum<ComputedInformation>(table).value();
}

Bounded cell_entropy(const Amount& a, const Amount& b, const Amount& n) noexcept {
    if (a.samples == 1 || b.samples == 1) return {0.0, 0.0};
    const PairTable table(a, b, n);
    if (table.both == 0.0) {
        if (const auto result = OutwardSum<TabulatedEntropy>(table).value()) return *result;
    }
    // From a mean of 1 on, both parts are positive.
    const Bounded information = cell_information(a, b, n);
    const double mean_part = table.mean * (table.log_mean.high + table.log_mean.low);
    return {information.value + mean_part, information.bound + 4.0 * unit_roundoff};
}

}  // namespace chanceless::chance
