#pragma once

// The probability of a contingency table, given the sizes of its rows and columns: prod a! prod b! / (n! prod x!).
//
// Logarithms of large factorials lose all digits when they are subtracted. With x the counts of the cells, mu = a b / n
// their means and r(x) = log(x!) - (x log x - x),
//
//     log p = sum of r(a) + sum of r(b) - r(n) - sum over cells of [g(x) + r(x)],     g(x) = x log(x / mu) - (x - mu)
//     >= 0,
//
// which has no large terms that cancel.

#include "base/int128.hpp"
#include "numbers/compensated.hpp"
#include "numbers/portable_math.hpp"

namespace chanceless::certainty {

using numbers::atanh_tail, numbers::CompensatedSum, numbers::exp_of_double, numbers::half_log_two_pi,
    numbers::log_of_double, numbers::short_atanh_tail, numbers::stirling_rest;

/// g(count) for a mean, where `distance` is count - mean.
inline double cell_divergence(double count, double mean, double distance) noexcept {
    if (count <= 0.0) return mean;
    const double s = distance / (count + mean);
    const double z = s * s;
    if (z <= 0x1p-10) return s * (distance + 2.0 * count * z * short_atanh_tail(z));
    if (z <= 0x1p-4) return s * (distance + 2.0 * count * z * atanh_tail(z));
    return count * log_of_double(count / mean) - distance;
}

/// r(x) = log(x!) - (x log x - x).
inline double factorial_rest(std::uint64_t x) noexcept {
    if (x == 0) return 0.0;
    const auto value = static_cast<double>(x);
    return half_log_two_pi + 0.5 * log_of_double(value) + stirling_rest(value);
}

/// The sizes of the row and column of a cell, and the number of all samples.
struct CellSizes {
    std::uint64_t row;
    std::uint64_t column;
    std::uint64_t all;

    [[nodiscard]] double mean() const noexcept {
        return static_cast<double>(row) * (static_cast<double>(column) / static_cast<double>(all));
    }
    /// count - mean, rounded once or twice.
    [[nodiscard]] double distance(std::uint64_t count) const noexcept {
        const auto product = [](std::uint64_t x, std::uint64_t y) { return static_cast<int128>(uint128{x} * y); };
        return static_cast<double>(product(count, all) - product(row, column)) / static_cast<double>(all);
    }
    /// g(count) + r(count): what a cell takes from the log probability.
    [[nodiscard]] double weight(std::uint64_t count) const noexcept {
        return cell_divergence(static_cast<double>(count), mean(), distance(count)) + factorial_rest(count);
    }
};

/// The logarithm of a sum of numbers that are given by their logarithms.
class SumOfLogs {
  public:
    void add(double log_term) noexcept {
        constexpr double room = 600.0;
        if (log_term > scale_ + room) {
            CompensatedSum smaller;
            smaller.add(sum_.value() * exp_of_double(scale_ - log_term));
            sum_ = smaller;
            scale_ = log_term;
        }
        sum_.add(exp_of_double(log_term - scale_));
    }
    /// The logarithm of this + factor * other; -infinity if both are empty.
    [[nodiscard]] double log_with(double factor, const SumOfLogs& other) const noexcept {
        const double sum = sum_.value() + factor * other.sum_.value() * exp_of_double(other.scale_ - scale_);
        return sum > 0.0 ? scale_ + log_of_double(sum) : -std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] double log() const noexcept { return log_with(0.0, *this); }

  private:
    double scale_ = -1e300;
    CompensatedSum sum_;
};

/// The probability of tables at least as extreme as the observed one; with only half of that of ties; and the number of
/// all tables.
struct ExactProbability {
    double log_p;
    double log_mid_p;
    double n_tables;
};

}  // namespace chanceless::certainty
