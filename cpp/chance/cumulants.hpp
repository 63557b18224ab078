#pragma once

// Third cumulant of mutual information, of pairs of samples, or of pairwise adjusted mutual information, over all
// permutations of one of two clusterings.
//
// The parts of degree 1 to 6 of x log x in a cell are multiples F_d q_d(x) of Hahn polynomials (hahn.hpp). As falling
// factorials,
//
//     q_d(x) = q_d(0) * sum over m <= d of (-1)^m binomial(d, m) (n + 1 - d)_m (x)_m / ((a)_m (b)_m),
//     q_d(0)^2 = dim_d c(a) c(b) / (c(n - a) c(n - b)),     c(x) = binomial(x, d),
//
// and cumulant_sum.hpp has the cumulants of a sum of falling factorials over all cells. Part 1 is its doubly centred
// slope. The third cumulant of these parts is exact, and is all there is where no cell has a higher degree
// (min(a, b, n - a, n - b) <= 6). Otherwise, higher degrees are left out: measured on 162 pairs of clusterings, they
// change the skewness by .0014 in the median and by .012 at most.

#include "chance/cumulant_sum.hpp"
#include "chance/variance.hpp"

namespace chanceless::chance {

using counting::SizeGroup;
using numbers::Magnitude, numbers::unit_roundoff;

/// Sums over the cells of a table (null_statistic.hpp).
enum class Statistic { information, pairs, pairwise };

/// The third cumulant and by how much it may be off; and the variance of the parts of the same degrees.
///
/// The error is an estimate: sixteen roundings of the sum of the magnitudes of all terms, the errors of the
/// coefficients, and what interpolation between sizes may miss. Errors as measured, of 600 pairs of size lists, were at
/// least 4 times smaller. It does not cover the degrees beyond 6.
struct ThirdCumulant {
    double value = 0.0;
    double error = 0.0;
    double variance = 0.0;

    /// Whether the skewness is good to 2^-14, which changes a p-value of 0.001 by less than 0.0003 of itself. Of few
    /// samples, all tables may be known: then, to 2^-38.
    [[nodiscard]] bool is_precise(std::uint64_t n_samples) const noexcept {
        return error <= (n_samples <= 64 ? 0x1p-38 : 0x1p-14) * scale();
    }
    /// The cube of the standard deviation, or 0 if all digits of the variance are lost.
    [[nodiscard]] double scale() const noexcept { return variance > 0.0 ? variance * std::sqrt(variance) : 0.0; }
};

/// x (x - 1) / 2 in all cells.
class PairParts {
  public:
    static constexpr std::size_t most = 2;

    template <class Number>
    struct Weights {
        CellWeights<Number, most> operator()(std::size_t /*i*/, std::size_t /*j*/, const SizePowers<Number, most>& row,
                                             const SizePowers<Number, most>& column) const {
            const Number mean = Number(1.0) / (n_samples * row.inverse * column.inverse);
            return {most, {Number(0.0), Number(0.0), Number(0.5) * mean * mean}};
        }
        Number n_samples;
    };

    explicit PairParts(std::uint64_t n_samples) noexcept : n_samples_(static_cast<double>(n_samples)) {}

    template <class Number>
    [[nodiscard]] Weights<Number> weights() const {
        return {Number(n_samples_)};
    }
    [[nodiscard]] static double missed() noexcept { return 0.0; }

  private:
    double n_samples_;
};

/// The parts of degree 1 to 6 of x log x in all cells: q_d(0) F_d, for degree 1 the slope.
class InformationParts {
  public:
    static constexpr std::size_t most = 6;

    template <class Number>
    class Weights;

    /// Higher degrees than `degrees` are left out. If `adjusted`, degree d is multiplied by 2d (n - d + 1) / n^2, which
    /// makes x log x the pairwise adjusted mutual information (variance.hpp).
    InformationParts(const SizeNodes& rows, const SizeNodes& columns, std::uint64_t n_samples, bool adjusted,
                     std::size_t degrees, const CancellationCheck& check_cancelled)
        : n_samples_(static_cast<double>(n_samples)), columns_(columns.sizes.size()) {
        const Amount all(n_samples);
        CentredSlopes slopes(rows, columns);
        for (std::size_t i = 0; i < rows.sizes.size(); ++i) {
            check_cancelled();
            for (std::size_t j = 0; j < columns_; ++j) {
                const WeightedSize& row = rows.sizes[i];
                const WeightedSize& column = columns.sizes[j];
                HahnCoefficients cell = hahn_coefficients(row.amount, column.amount, all, std::min(degrees, most));
                slopes.set(i, j, cell);
                missed_ += std::fabs(row.weight * column.weight) * drop_negligible_parts(cell);
                parts_.push_back(parts_of(row.amount, column.amount, cell));
            }
        }
        slopes.centre();
        add_slopes(slopes);
        if (adjusted) adjust();
    }

    template <class Number>
    [[nodiscard]] Weights<Number> weights() const {
        return Weights<Number>(*this);
    }

    [[nodiscard]] double n_samples() const noexcept { return n_samples_; }
    [[nodiscard]] const std::array<double, most + 1>& at(std::size_t i, std::size_t j) const noexcept {
        return parts_[i * columns_ + j];
    }
    /// The standard deviation of what is missing, because it is negligible or because coefficients are rounded.
    [[nodiscard]] double missed() const noexcept { return std::sqrt(missed_); }

  private:
    static constexpr double roundings = 16.0 * unit_roundoff;  // from coefficients to parts

    /// Where means are large, high degrees are negligible, and only make more digits cancel. Returns the sum of their
    /// squares, and those of the errors of the others.
    static double drop_negligible_parts(HahnCoefficients& cell) noexcept {
        const double relative_error = cell.relative_error + roundings;
        double squares = relative_error * relative_error * cell.squares;
        for (; cell.degrees > 2; --cell.degrees) {
            const double last = cell.at[cell.degrees] * cell.at[cell.degrees];
            if (last > 0x1p-44 * cell.squares) break;
            squares += last;
        }
        return squares;
    }

    [[nodiscard]] std::array<double, most + 1> parts_of(const Amount& a, const Amount& b,
                                                        const HahnCoefficients& cell) const noexcept {
        const auto row = static_cast<double>(a.samples);
        const auto column = static_cast<double>(b.samples);
        std::array<double, most + 1> parts{};
        double square = 1.0;  // q_d(0)^2, but for a factor of (n - 2d + 1) / (n - d + 1)
        for (std::size_t d = 1; d <= cell.degrees; ++d) {
            const auto k = static_cast<double>(d - 1);
            square *= ((row - k) * (column - k)) / ((n_samples_ - row - k) * (n_samples_ - column - k)) *
                      ((n_samples_ - k) / (k + 1.0));
            const double first = std::sqrt(square * ((n_samples_ - 2.0 * k - 1.0) / (n_samples_ - k)));
            parts[d] = (d % 2 == 0 ? first : -first) * cell.at[d];
        }
        return parts;
    }

    /// Degree 1. Centring does not increase the mean square of errors.
    void add_slopes(const CentredSlopes& slopes) noexcept {
        for (std::size_t place = 0; place < parts_.size(); ++place) {
            const std::size_t i = place / columns_;
            const std::size_t j = place % columns_;
            const double slope = parts_[place][1] = slopes.at(i, j);
            const double error = slopes.error(i, j) + roundings * std::fabs(slope);
            missed_ += n_samples_ * std::fabs(slopes.row_share(i) * slopes.column_share(j)) * error * error;
        }
    }

    void adjust() noexcept {
        const auto taken = [n = n_samples_](double d) { return 2.0 * d * (n - d + 1.0) / (n * n); };
        for (std::array<double, most + 1>& parts : parts_) {
            for (std::size_t d = 1; d <= most; ++d) parts[d] *= taken(static_cast<double>(d));
        }
        const double highest = taken(std::min<double>(most, std::floor(n_samples_ / 2.0)));
        missed_ *= highest * highest;
    }

    double n_samples_;
    std::size_t columns_;
    double missed_ = 0.0;
    std::vector<std::array<double, most + 1>> parts_;
};

/// The weights of (x)_1 ... (x)_6 for the parts of a cell.
template <class Number>
class InformationParts::Weights {
  public:
    explicit Weights(const InformationParts& parts)
        : parts_(&parts), inverse_(Number(1.0) / Number(parts.n_samples())) {
        for (std::size_t d = 2; d <= most; ++d) {
            shares_[d][0] = Number(1.0);
            for (std::size_t m = 1; m <= d; ++m) {
                const auto k = static_cast<double>(m - 1);
                const auto degree = static_cast<double>(d);
                const double left = std::max(0.0, parts.n_samples() + 1.0 - degree - k);
                shares_[d][m] = -(shares_[d][m - 1] * Number((degree - k) * left) * inverse_ / Number(k + 1.0));
            }
        }
    }

    CellWeights<Number, most> operator()(std::size_t i, std::size_t j, const SizePowers<Number, most>& row,
                                         const SizePowers<Number, most>& column) const {
        const std::array<double, most + 1>& parts = parts_->at(i, j);
        CellWeights<Number, most> weights;
        weights.top = most;
        while (weights.top > 0 && parts[weights.top] == 0.0) --weights.top;
        for (std::size_t m = 1; m <= weights.top; ++m) {
            Number sum(0.0);
            for (std::size_t d = std::max<std::size_t>(m, 2); d <= weights.top; ++d) {
                sum += Number(parts[d]) * shares_[d][m];
            }
            weights.at[m] = sum / (row.moment[m] * column.moment[m]);
        }
        if (weights.top > 0) weights.at[1] += Number(parts[1]) * inverse_ / (row.inverse * column.inverse);
        return weights;
    }

  private:
    const InformationParts* parts_;
    Number inverse_;
    std::array<std::array<Number, most + 1>, most + 1> shares_;
};

template <class Number, class Parts>
Cumulants<Number> cumulants_of(const SizeNodes& rows, const SizeNodes& columns, std::uint64_t n_samples,
                               const Parts& parts, const CancellationCheck& check_cancelled) {
    CumulantSum<Number, Parts::most> sum(rows.sizes, columns.sizes, static_cast<double>(n_samples));
    return sum.value(parts.template weights<Number>(), check_cancelled);
}

/// With doubles, or with double-doubles.
template <class Number, class Parts>
ThirdCumulant third_cumulant_with(double roundoff, const SizeNodes& rows, const SizeNodes& columns,
                                  std::uint64_t n_samples, const Parts& parts,
                                  const CancellationCheck& check_cancelled) {
    const bool interpolated = !rows.stretches.empty() || !columns.stretches.empty();
    const double margin = interpolated ? 64.0 : 16.0;  // The weights of nodes are off by some roundings more.
    // A small part with standard deviation d changes the third cumulant by 3 d sqrt(fourth moment) at most, by the
    // Cauchy-Schwarz inequality. The fourth moment is about 15 squared variances where it is largest.
    constexpr double leverage = 12.0;
    constexpr double by_interpolation = 0x1p-26;  // Measured: 1e-9 of the skewness.
    const Cumulants<Number> sums = cumulants_of<Number>(rows, columns, n_samples, parts, check_cancelled);
    const auto magnitudes = cumulants_of<Magnitude>(rows, columns, n_samples, parts, check_cancelled);
    ThirdCumulant result{static_cast<double>(sums.third), 0.0, static_cast<double>(sums.variance)};
    result.error = margin * roundoff * static_cast<double>(magnitudes.third) +
                   leverage * parts.missed() * std::fabs(result.variance) + unit_roundoff * std::fabs(result.value);
    if (interpolated) result.error += by_interpolation * result.scale();
    return result;
}

inline SizeNodes all_sizes(const std::vector<SizeGroup>& groups) {
    SizeNodes result;
    keep(groups, result);
    return result;
}

/// The third cumulant of n times the mutual information (n nats, to the third power), of the pairs of samples that
/// share a cell, or of n times the pairwise adjusted mutual information. Each list is in ascending order of size; both
/// add up to n_samples <= 2^53. Of information, higher degrees than `degrees` are left out. The same, bit for bit, with
/// rows and columns exchanged; 0 exactly if all permutations are alike.
ThirdCumulant third_cumulant(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                             std::uint64_t n_samples, Statistic statistic, const CancellationCheck& check_cancelled,
                             std::size_t degrees = InformationParts::most);

}  // namespace chanceless::chance
