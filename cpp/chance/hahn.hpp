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

#include "chance/size_nodes.hpp"

namespace chanceless::chance {

using numbers::CompensatedSum, numbers::unit_roundoff;

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
DegreeLimits degree_limits(double closeness) noexcept;

/// F_1, F_2, ... up to F_degrees of a cell, for 0 < a, b <= n and degrees >= 1.
HahnCoefficients hahn_coefficients(const Amount& a, const Amount& b, const Amount& n,
                                   std::size_t degrees = HahnCoefficients::most,
                                   const DegreeLimits& limits = degree_limits(1.0)) noexcept;

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
