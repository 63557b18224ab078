#pragma once

// The slopes of all cells (hahn.hpp), less what depends on the row or on the column alone: degree 1 of mutual
// information.

#include <cmath>
#include <cstddef>
#include <vector>

#include "chanceless/compensated.hpp"
#include "chanceless/hahn.hpp"
#include "chanceless/hypergeometric.hpp"
#include "chanceless/size_nodes.hpp"

namespace chanceless {

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

}  // namespace chanceless
