#pragma once

// One cell of a random contingency table: how its x log x varies, degree by degree.
//
// Under random relabelling, the count C of a cell whose row has a samples and whose column has b of the n is
// hypergeometric with mean mu = a b / n. Let q_0, q_1, ... be the polynomials that are orthonormal under its
// distribution (Hahn polynomials, the sign such that the leading coefficient is positive), f(x) = x log(x / mu) - x +
// mu, and
//
//     F_d = E[f(C) q_d(C)],    d <= min(a, b, n - a, n - b), and 0 beyond.
//
// F_d is the same for f(x) = x log x from d = 2 on. There it has the sign of (-1)^d, since the differences of x log x
// have (Rodrigues' formula):
//
//     F_d = kappa_d E[(Delta^d f)(C_d)],   C_d hypergeometric with n - 2d, a - d, b - d,
//     kappa_d^2 = dim_d c(a) c(n - a) c(b) c(n - b) / T^2,   c(x) = binomial(x, d),  T = c(n) c(n - d),
//     dim_d = c(n) (n - 2d + 1) / (n - d + 1).
//
// For d = 1, the expectation alone is the slope of the cell, E[Delta (x log x)(C_1)] - log mu - 1. What depends on the
// row or on the column alone drops out of any variance. So log mu + 1 is left in the slope, and the slope is told in
// two parts, for differences of slopes to keep their digits.
//
// Only + - * / and sqrt of doubles, and logarithms from `logarithm.hpp`: the same on every machine.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/int128.hpp"
#include "chance/hypergeometric.hpp"
#include "chance/size_nodes.hpp"
#include "numbers/compensated.hpp"
#include "numbers/fixed_point.hpp"
#include "numbers/logarithm.hpp"

namespace chanceless::chance {

using base::int128;
using numbers::CompensatedSum, numbers::Fixed, numbers::log_of, numbers::unit_roundoff;

struct HahnCoefficients {
    /// Higher degrees are negligible: the worst means, about 20, need 48 degrees for all digits of a variance.
    static constexpr std::size_t most = 48;

    /// E[D(C_1 + 1)] = log mu + 1 + F_1 / kappa_1, with D(x) = x log x - (x - 1) log(x - 1).
    LogParts slope;
    double slope_error;
    /// F_d for d = 1 ... degrees; the other entries have no meaning. Those of higher degrees were not asked for, or are
    /// negligible, also where they are multiplied by those of other cells (`degree_limits`).
    std::array<double, most + 1> at;
    std::size_t degrees;
    /// The sum of F_d^2 for d >= 2. Each of these F_d is off by at most relative_error * sqrt(squares).
    double squares;
    double relative_error;
};

/// For each degree, the share of the squares of a cell from which on F_d^2 matters.
using DegreeLimits = std::array<double, HahnCoefficients::most + 1>;

/// Limits for cells that are multiplied by one another: in a variance, F_d of two cells in different rows or columns,
/// by at most the d-th power of `closeness`, 1 or less.
///
/// No cell has an |F_d| larger than about 2^(-d/2) of the root of its squares (as Poisson's distribution with the worst
/// mean, d / 2). So these products, with F_d left out on one side, are below 2^-58 of the squares.
inline DegreeLimits degree_limits(double closeness) noexcept {
    DegreeLimits limits;
    double limit = 0x1p-116;
    for (double& each : limits) {
        each = std::min(limit, 0x1p-57);
        limit *= 2.0 / (closeness * closeness);
    }
    return limits;
}

/// |Delta^d (x log x)|, of which the sign is (-1)^d from d = 2 on.
class DifferenceTable {
  public:
    /// Means below 128 have no counts as large, but for a probability of 2^-100.
    static constexpr std::size_t size = 288;
    static constexpr std::size_t most = HahnCoefficients::most;

    static const DifferenceTable& instance() noexcept {
        static const DifferenceTable table;
        return table;
    }

    [[nodiscard]] const double* of_degree(std::size_t degree) const noexcept { return rows_[degree].data(); }

    /// (x + 1) log(x + 1) - x log x, the first difference, in two parts.
    [[nodiscard]] const LogParts& step(std::size_t x) const noexcept { return steps_[x]; }

  private:
    /// With 320 bits behind the point. Each difference doubles the error, to 2^-245 in the end: entries below 2^-190
    /// are not good to the last digit, and do not matter.
    DifferenceTable() noexcept {
        constexpr std::size_t limbs = 5;
        std::array<Fixed<limbs>, size + most> values;
        for (std::size_t x = 1; x < values.size(); ++x) values[x] = static_cast<int128>(x) * log_of<limbs>(x);
        for (std::size_t degree = 1; degree <= most; ++degree) {
            for (std::size_t x = 0; x + degree < values.size(); ++x) values[x] = values[x + 1] - values[x];
            for (std::size_t x = 0; x < size; ++x) rows_[degree][x] = std::fabs(values[x].divided(1, 0));
            for (std::size_t x = 0; x < size && degree == 1; ++x) steps_[x] = in_parts(values[x]);
        }
    }

    std::array<LogParts, size> steps_{};
    std::array<std::array<double, size>, most + 1> rows_{};
};

/// The distribution of a cell with a small mean, which turns step by step into that of C_d, times kappa_d.
///
/// From one degree to the next, the weight at x changes by (A - x)(B - x) times a constant, where A = a - d + 1 and
/// B = b - d + 1. All terms are positive.
class RodriguesSum {
  public:
    static constexpr double largest_mean = 128.0;

    RodriguesSum(const Amount& a, const Amount& b, const Amount& n) noexcept
        : row_(static_cast<double>(a.samples)),
          column_(static_cast<double>(b.samples)),
          total_(static_cast<double>(n.samples)) {
        const PairTable table(a, b, n);
        start_ = static_cast<std::size_t>(table.both);
        weights_[start_] = 1.0;
        walk_up(table);
        walk_down(table);
        CompensatedSum mass;
        for (std::size_t x = low_; x < high_; ++x) mass.add(weights_[x]);
        for (std::size_t x = low_; x < high_; ++x) weights_[x] /= mass.value();
        deviation_ = std::sqrt(table.mean * table.spread * total_ / (total_ - 1.0));
    }

    /// |F_d|, to be called for d = 1, 2, ... (For d = 1 it is E[D(C_1 + 1)] kappa_1, and so is not F_1.)
    double next() noexcept {
        ++degree_;
        const auto d = static_cast<double>(degree_);
        const double row = row_ - (d - 1.0);
        const double column = column_ - (d - 1.0);
        const double row_rest = (total_ - row_) - (d - 1.0);
        const double column_rest = (total_ - column_) - (d - 1.0);
        const double dimensions = degree_ == 1
                                      ? total_ - 1.0
                                      : (total_ - 2.0 * d + 1.0) * (total_ - d + 2.0) / (d * (total_ - 2.0 * d + 3.0));
        const double scale = std::sqrt(dimensions / (row * column * row_rest * column_rest));
        const double* differences = DifferenceTable::instance().of_degree(degree_);
        const double sum = step(row, column, scale, differences);
        trim(sum, differences);
        return sum;
    }

    /// E[D(C_1 + 1)], after the first degree, and by how much it may be off: D at the mean, and what is beyond.
    [[nodiscard]] std::pair<LogParts, double> slope() const noexcept {
        const DifferenceTable& table = DifferenceTable::instance();
        const double middle = table.step(start_).high;
        double sum = 0.0;
        double magnitude = 0.0;
        for (std::size_t x = low_; x < high_; ++x) {
            const LogParts& step = table.step(x);
            const double term = weights_[x] * ((step.high - middle) + step.low);
            sum += term;
            magnitude += std::fabs(term);
        }
        return {{middle, sum / deviation_}, relative_error() * (magnitude / deviation_)};
    }

    /// kappa_1, the standard deviation.
    [[nodiscard]] double deviation() const noexcept { return deviation_; }

    /// A weight k steps from the start is off by 4u k, where k is about one standard deviation, on average; and each
    /// degree adds 6u, and some steps. What counts is d = 2, higher degrees are a small part of all.
    [[nodiscard]] double relative_error() const noexcept { return (32.0 + 4.0 * deviation_) * unit_roundoff; }

  private:
    static constexpr std::size_t lanes = SmallLogs::lanes;
    static constexpr std::size_t size = DifferenceTable::size;

    /// What is left out is negligible for all degrees: weights far up become smaller, compared with the others, from
    /// degree to degree. Where the mean is far below 1, a count of 1 is worth the mean itself in the slope.
    void walk_up(const PairTable& t) noexcept {
        const double negligible = 0x1p-66 * std::min(1.0, t.mean);
        const double steps = std::min({t.row_only, t.column_only, static_cast<double>(size - 1) - t.both});
        double weight = 1.0;
        high_ = start_ + 1;
        for (double k = 0.0; k < steps && weight > negligible; k += 1.0) {
            weight *= ((t.row_only - k) * (t.column_only - k)) / ((t.both + (k + 1.0)) * (t.neither + (k + 1.0)));
            weights_[high_++] = weight;
        }
    }

    /// Weights far down become larger. But where all weights together are below 2^-130, they add at most 2^-65 |f| to
    /// any F_d, by the Cauchy-Schwarz inequality.
    void walk_down(const PairTable& t) noexcept {
        constexpr double negligible = 0x1p-130;
        const double steps = std::min(t.both, t.neither);
        double weight = 1.0;
        low_ = start_;
        for (double k = 0.0; k < steps && weight > negligible; k += 1.0) {
            weight *= ((t.both - k) * (t.neither - k)) / ((t.row_only + (k + 1.0)) * (t.column_only + (k + 1.0)));
            weights_[--low_] = weight;
        }
    }

    double step(double row, double column, double scale, const double* differences) noexcept {
        std::array<double, lanes> sums{};
        for (std::size_t x = low_ & ~(lanes - 1); x < high_; x += lanes) {
            const auto count = static_cast<double>(x);
            for (std::size_t i = 0; i < lanes; ++i) {
                const auto lane = static_cast<double>(i);
                weights_[x + i] *= ((row - count) - lane) * ((column - count) - lane) * scale;
                sums[i] += weights_[x + i] * differences[x + i];
            }
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    /// Leaves out counts at the upper end: their share falls with the degree, that of weights and that of differences.
    void trim(double sum, const double* differences) noexcept {
        while (high_ > low_ + lanes) {
            double rest = 0.0;
            for (std::size_t x = high_ - lanes; x < high_; ++x) rest += weights_[x] * differences[x];
            if (rest > 0x1p-66 * sum) return;
            for (std::size_t x = high_ - lanes; x < high_; ++x) weights_[x] = 0.0;
            high_ -= lanes;
        }
    }

    double row_;
    double column_;
    double total_;
    double deviation_;
    std::size_t degree_ = 0;
    std::size_t start_ = 0;
    std::size_t low_ = 0;
    std::size_t high_ = 0;
    std::array<double, size> weights_{};
};

/// F_1, F_2, ... for a large mean: f is a power series in (C - mu) / mu, and F is f of the Jacobi matrix, first column.
///
/// The Jacobi matrix multiplies by C, written in the polynomials: J_dd = A_d + C_d and J_d,d+1 = sqrt(A_d C_(d+1)) with
///
///     A_d = (n + 1 - d)(a - d)(b - d) / ((n + 1 - 2d)(n - 2d)),
///     C_d = d (n + 1 - a - d)(n + 1 - b - d) / ((n + 2 - 2d)(n + 1 - 2d)),
///     A_d + C_d - mu = d (n + 1 - d)(n - 2a)(n - 2b) / (n (n - 2d)(n + 2 - 2d)).
///
/// Cut off after `most` degrees, it is Gauss' quadrature.
class JacobiSeries {
  public:
    static constexpr std::size_t most = 20;

    JacobiSeries(const Amount& a, const Amount& b, const Amount& n) noexcept {
        const auto row = static_cast<double>(a.samples);
        const auto column = static_cast<double>(b.samples);
        const auto total = static_cast<double>(n.samples);
        const auto row_rest = static_cast<double>(n.samples - a.samples);
        const auto column_rest = static_cast<double>(n.samples - b.samples);
        mean_ = row * column / total;
        degrees_ = static_cast<std::size_t>(std::min({row, column, row_rest, column_rest, static_cast<double>(most)}));
        const double skew = (row_rest - row) * (column_rest - column) / (total * mean_);
        for (std::size_t i = 0; i <= degrees_; ++i) {
            const auto d = static_cast<double>(i);
            const double twice = total - 2.0 * d;
            diagonal_[i] = d * (total + 1.0 - d) * skew / (twice * (twice + 2.0));
            const double up = (total + 1.0 - d) * (row - d) * (column - d) / ((twice + 1.0) * twice);
            const double down = (d + 1.0) * (row_rest - d) * (column_rest - d) / (twice * (twice - 1.0));
            beside_[i] = std::sqrt(up * down) / mean_;
        }
        deviation_ = mean_ * beside_[0];
    }

    /// The degrees that matter, and their coefficients.
    void expand(HahnCoefficients& result) noexcept {
        constexpr double most_powers = 200.0;
        std::array<double, most + 1> sums{};
        power_.fill(0.0);
        power_[0] = 1.0;
        multiply(1);
        for (double m = 2.0; m < most_powers; m += 1.0) {
            const std::size_t reached = std::min(degrees_, static_cast<std::size_t>(m));
            multiply(reached);
            sign_ = -sign_;
            const double factor = sign_ / (m * (m - 1.0));
            double largest = 0.0;
            for (std::size_t d = 0; d <= reached; ++d) {
                const double term = factor * power_[d];
                sums[d] += term;
                largest = std::max(largest, std::fabs(term));
            }
            if (largest <= 0x1p-60 * sums[0]) break;
        }
        result.degrees = degrees_;
        for (std::size_t d = 1; d <= degrees_; ++d) result.at[d] = mean_ * sums[d];
    }

    [[nodiscard]] double deviation() const noexcept { return deviation_; }

    /// Twice as much as was measured.
    static constexpr double relative_error = 16.0 * unit_roundoff;

  private:
    /// The next power of (J - mu) / mu, which reaches this degree.
    void multiply(std::size_t reached) noexcept {
        double before = 0.0;
        for (std::size_t d = 0; d <= reached; ++d) {
            const double here = power_[d];
            const double after = d < most ? power_[d + 1] : 0.0;
            power_[d] = diagonal_[d] * here + before + beside_[d] * after;
            before = beside_[d] * here;
        }
    }

    double mean_;
    double deviation_;
    double sign_ = -1.0;
    std::size_t degrees_;
    std::array<double, most + 1> diagonal_;
    std::array<double, most + 1> beside_;
    std::array<double, most + 1> power_;
};

/// Sums up the squares, and leaves out the last degrees that do not matter.
inline void drop_negligible(const DegreeLimits& limits, HahnCoefficients& result) noexcept {
    const auto square = [&](std::size_t d) { return result.at[d] * result.at[d]; };
    result.squares = 0.0;
    for (std::size_t d = 2; d <= result.degrees; ++d) result.squares += square(d);
    while (result.degrees > 2 && square(result.degrees) <= limits[result.degrees] * result.squares) --result.degrees;
}

inline void expand_large_mean(const Amount& a, const Amount& b, const Amount& n, const LogParts& log_mean,
                              std::size_t degrees, const DegreeLimits& limits, HahnCoefficients& result) noexcept {
    JacobiSeries series(a, b, n);
    series.expand(result);
    drop_negligible(limits, result);
    result.degrees = std::min(result.degrees, degrees);
    result.relative_error = JacobiSeries::relative_error;
    result.slope = {log_mean.high + 1.0, log_mean.low + result.at[1] / series.deviation()};
    // The logarithms themselves are good to 2^-90.
    result.slope_error =
        JacobiSeries::relative_error * (std::fabs(result.at[1]) + std::sqrt(result.squares)) / series.deviation() +
        0x1p-88;
}

inline void expand_small_mean(const Amount& a, const Amount& b, const Amount& n, const LogParts& log_mean,
                              std::size_t degrees, const DegreeLimits& limits, HahnCoefficients& result) noexcept {
    RodriguesSum sum(a, b, n);
    sum.next();
    std::tie(result.slope, result.slope_error) = sum.slope();
    result.at[1] = sum.deviation() * (((result.slope.high - 1.0) - log_mean.high) + (result.slope.low - log_mean.low));
    result.degrees = 1;
    result.squares = 0.0;
    result.relative_error = sum.relative_error();
    while (result.degrees < degrees) {
        const std::size_t d = ++result.degrees;
        const double value = sum.next();
        result.at[d] = d % 2 == 0 ? value : -value;
        result.squares += value * value;
        if (value * value <= limits[d] * result.squares) break;
    }
}

/// F_1, F_2, ... up to F_degrees of a cell, for 0 < a, b <= n and degrees >= 1.
inline HahnCoefficients hahn_coefficients(const Amount& a, const Amount& b, const Amount& n,
                                          std::size_t degrees = HahnCoefficients::most,
                                          const DegreeLimits& limits = degree_limits(1.0)) noexcept {
    HahnCoefficients result;
    const LogParts log_mean{a.log.high + b.log.high - n.log.high, a.log.low + b.log.low - n.log.low};
    const std::uint64_t smallest = std::min({a.samples, b.samples, n.samples - a.samples, n.samples - b.samples});
    degrees = static_cast<std::size_t>(std::min<std::uint64_t>({smallest, degrees, HahnCoefficients::most}));
    const double mean =
        static_cast<double>(a.samples) * static_cast<double>(b.samples) / static_cast<double>(n.samples);
    if (smallest == 0) {
        result.slope = {log_mean.high + 1.0, log_mean.low};
        result.slope_error = result.squares = result.relative_error = 0.0;
        result.degrees = 0;
    } else if (mean >= RodriguesSum::largest_mean) {
        expand_large_mean(a, b, n, log_mean, degrees, limits, result);
    } else {
        expand_small_mean(a, b, n, log_mean, degrees, limits, result);
    }
    return result;
}

// The slopes of all cells (hahn.hpp), less what depends on the row or on the column alone: degree 1 of mutual
// information.

/// The slopes of all cells, less the mean of their row and the mean of their column, plus the mean of all. The means
/// are over samples.
///
/// The first means are subtracted as multiples of 2^-38, without rounding; what they miss, afterwards.
class CentredSlopes {
  public:
    CentredSlopes(const SizeNodes& rows, const SizeNodes& columns)
        : row_shares_(shares(rows)),
          column_shares_(shares(columns)),
          slopes_(row_shares_.size() * column_shares_.size()),
          errors_(slopes_.size()),
          centred_(slopes_.size()) {}

    void set(std::size_t i, std::size_t j, const HahnCoefficients& cell) noexcept {
        slopes_[place(i, j)] = cell.slope;
        errors_[place(i, j)] = cell.slope_error;
    }

    void centre() {
        for (std::size_t p = 0; p < slopes_.size(); ++p) centred_[p] = slopes_[p].high + slopes_[p].low;
        take_means();
        for (double& mean : row_means_) mean = rounded(mean);
        for (double& mean : column_means_) mean = rounded(mean);
        for (std::size_t i = 0; i < row_shares_.size(); ++i) {
            for (std::size_t j = 0; j < column_shares_.size(); ++j) {
                const LogParts& slope = slopes_[place(i, j)];
                centred_[place(i, j)] = ((slope.high - row_means_[i]) - column_means_[j]) + slope.low;
                errors_[place(i, j)] += 8.0 * unit_roundoff * std::fabs(centred_[place(i, j)]);
            }
        }
        take_means();
        for (std::size_t i = 0; i < row_shares_.size(); ++i) {
            for (std::size_t j = 0; j < column_shares_.size(); ++j) {
                centred_[place(i, j)] = (centred_[place(i, j)] - row_means_[i]) - column_means_[j];
            }
        }
    }

    [[nodiscard]] double at(std::size_t i, std::size_t j) const noexcept { return centred_[place(i, j)]; }

    /// How much the slope may be off, before it was centred.
    [[nodiscard]] double error(std::size_t i, std::size_t j) const noexcept { return errors_[place(i, j)]; }

    [[nodiscard]] double row_share(std::size_t i) const noexcept { return row_shares_[i]; }
    [[nodiscard]] double column_share(std::size_t j) const noexcept { return column_shares_[j]; }

  private:
    [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const noexcept {
        return i * column_shares_.size() + j;
    }

    static double rounded(double value) noexcept { return std::floor(value * 0x1p38 + 0.5) * 0x1p-38; }

    /// The shares of all samples, which add up to 1.
    static std::vector<double> shares(const SizeNodes& nodes) {
        std::vector<double> result;
        CompensatedSum sum;
        for (const WeightedSize& size : nodes.sizes) {
            result.push_back(size.weight * static_cast<double>(size.amount.samples));
            sum.add(result.back());
        }
        for (double& share : result) share /= sum.value();
        return result;
    }

    /// The means of rows, and those of columns less the mean of all.
    void take_means() {
        row_means_.assign(row_shares_.size(), 0.0);
        column_means_.assign(column_shares_.size(), 0.0);
        double total = 0.0;
        for (std::size_t i = 0; i < row_shares_.size(); ++i) {
            CompensatedSum sum;
            for (std::size_t j = 0; j < column_shares_.size(); ++j) {
                sum.add(column_shares_[j] * at(i, j));
                column_means_[j] += row_shares_[i] * at(i, j);
            }
            row_means_[i] = sum.value();
            total += row_shares_[i] * row_means_[i];
        }
        for (double& mean : column_means_) mean -= total;
    }

    std::vector<double> row_shares_;
    std::vector<double> column_shares_;
    std::vector<LogParts> slopes_;
    std::vector<double> errors_;
    std::vector<double> centred_;
    std::vector<double> row_means_;
    std::vector<double> column_means_;
};

}  // namespace chanceless::chance
