#pragma once

// Variance of mutual information, over all permutations of one of two clusterings.
//
// With the coefficients F_d of the cells (hahn.hpp), n^2 Var(MI) is a sum over degrees, V_1 + V_2 + ..., of
//
//     V_d = sum over i, i', j, j' of  G_ii' H_jj' F_d(a_i, b_j) F_d(a_i', b_j'),
//     G_ii = 1,   G_ii' = (-1)^d g(a_i) g(a_i'),   g(a)^2 = binomial(a, d) / binomial(n - a, d),
//
// and H the same for columns. A permutation acts on functions of subsets of the samples, which split into irreducible
// parts, one of each degree; F_d is what a cell has in one of them, and G and H are the angles between rows and between
// columns there. G is diagonal but for a matrix of rank one, so that no sum runs over pairs of cells, and sizes that
// are equal, or replaced by nodes (size_nodes.hpp), share a term.
//
// From d = 2 on, all F_d have the same sign. So V_2 is at least the sum of the squares of all F_2, and what is lost to
// cancellation in odd degrees is small compared with it. V_1 is a sum of squares of doubly centred slopes.
//
// One random swap of two samples keeps 1 - 2d (n - d + 1) / n^2 of degree d. What it takes away is the pairwise
// adjusted mutual information: its variance, and its covariance with MI, are sums of the same V_d with other weights.

#include "chance/expected.hpp"
#include "chance/hahn.hpp"

namespace chanceless::chance {

using counting::SizeGroup;
using numbers::CompensatedSum, numbers::unit_roundoff;

/// Var(MI), the variance of the pairwise adjusted mutual information, their covariance, all in nats squared; and by how
/// much Var(MI) may be off.
///
/// Of this bound, what the degrees left out add is measured, rounding is bounded to first order (for the coefficients
/// of cells of large means: measured), and what interpolation misses is estimated from the values at the nodes.
struct InformationVariance {
    double information;
    double pairwise;
    double covariance;
    double error;
};

/// The rows or the columns: how much of each degree two of them have in common.
///
/// A cluster of more than half of the samples has g > 1, which may overflow, and cancels in 1 -+ g^2. It is kept apart:
/// its products with the others are at most 1.
class Side {
  public:
    static constexpr std::size_t most = HahnCoefficients::most;

    Side(const SizeNodes& nodes, std::uint64_t n_samples)
        : sizes_(nodes.sizes), own_(length() * (most + 1)), along_(own_.size()), beside_(own_.size()) {
        const auto total = static_cast<double>(n_samples);
        // Sizes ascend, so that the last one may be more than half.
        const auto last = static_cast<double>(sizes_.back().amount.samples);
        has_dominant_ = 2.0 * last > total;
        odds_ = last / (total - last);
        for (std::size_t i = 0; i < length(); ++i) {
            const auto size = static_cast<double>(sizes_[i].amount.samples);
            if (is_dominant(i)) {
                for (std::size_t d = 0; d <= most; ++d) own_[place(d, i)] = 1.0;
            } else {
                set(i, size, total, last);
            }
        }
        bound_ = bound_products();
    }

    [[nodiscard]] std::size_t length() const noexcept { return sizes_.size(); }
    [[nodiscard]] bool has_dominant() const noexcept { return has_dominant_; }
    [[nodiscard]] bool is_dominant(std::size_t i) const noexcept { return has_dominant_ && i + 1 == length(); }

    /// Each times the weight of the size: 1 - (-1)^d g^2, g, and the product of g with that of the dominant cluster.
    [[nodiscard]] std::span<const double> own(std::size_t d) const noexcept { return {&own_[place(d, 0)], length()}; }
    [[nodiscard]] std::span<const double> along(std::size_t d) const noexcept {
        return {&along_[place(d, 0)], length()};
    }
    [[nodiscard]] std::span<const double> beside(std::size_t d) const noexcept {
        return {&beside_[place(d, 0)], length()};
    }

    /// Sum over all pairs of clusters of G_ii' left_i right_i'.
    [[nodiscard]] double product(std::size_t d, const double* left, const double* right) const noexcept {
        const std::span<const double> own_part = own(d);
        const std::span<const double> along_part = along(d);
        double sum = 0.0;
        double left_along = 0.0;
        double right_along = 0.0;
        for (std::size_t i = 0; i < length(); ++i) {
            sum += own_part[i] * left[i] * right[i];
            left_along += along_part[i] * left[i];
            right_along += along_part[i] * right[i];
        }
        double others = left_along * right_along;
        if (has_dominant_) {
            const std::span<const double> beside_part = beside(d);
            double left_beside = 0.0;
            double right_beside = 0.0;
            for (std::size_t i = 0; i < length(); ++i) {
                left_beside += beside_part[i] * left[i];
                right_beside += beside_part[i] * right[i];
            }
            others += left[length() - 1] * right_beside + right[length() - 1] * left_beside;
        }
        return d % 2 == 0 ? sum + others : sum - others;
    }

    /// g(a) g(a') of two clusters is at most the d-th power of this.
    [[nodiscard]] double closeness() const noexcept { return has_dominant_ ? 1.0 : odds_; }

    /// All parts of product(d, v, v) are together at most this times the sum of |weight| v^2, for d >= 2.
    [[nodiscard]] double bound() const noexcept { return bound_; }

  private:
    [[nodiscard]] std::size_t place(std::size_t d, std::size_t i) const noexcept { return d * length() + i; }

    void set(std::size_t i, double size, double total, double dominant) noexcept {
        const double weight = sizes_[i].weight;
        double squared = 1.0;
        double beside = 1.0;
        for (std::size_t d = 0; d <= most; ++d) {
            own_[place(d, i)] = weight * (d % 2 == 0 ? 1.0 - squared : 1.0 + squared);
            along_[place(d, i)] = weight * std::sqrt(squared);
            beside_[place(d, i)] = has_dominant_ ? weight * std::sqrt(beside) : 0.0;
            const auto k = static_cast<double>(d);
            if (size <= k || total - size <= k) {
                squared = beside = 0.0;
                continue;
            }
            const double ratio = (size - k) / (total - size - k);
            squared *= ratio;
            beside = total - dominant <= k ? 0.0 : beside * ratio * ((dominant - k) / (total - dominant - k));
        }
    }

    /// By the Cauchy-Schwarz inequality. g falls with the degree.
    [[nodiscard]] double bound_products() const noexcept {
        double largest = 0.0;
        double along = 0.0;
        double beside = 0.0;
        for (std::size_t i = 0; i < length(); ++i) {
            const double weight = std::fabs(sizes_[i].weight);
            if (weight == 0.0) continue;
            const double squared = along_[place(2, i)] * along_[place(2, i)] / weight;
            largest = std::max(largest, squared / weight);
            along += squared;
            beside += beside_[place(2, i)] * beside_[place(2, i)] / weight;
        }
        return 1.0 + largest + along + 2.0 * std::sqrt(beside);
    }

    const std::vector<WeightedSize>& sizes_;
    bool has_dominant_ = false;
    double odds_ = 1.0;
    double bound_ = 0.0;
    std::vector<double> own_;
    std::vector<double> along_;
    std::vector<double> beside_;
};

/// Adds up V_1, V_2, ...
class DegreeSums {
  public:
    static constexpr std::size_t most = HahnCoefficients::most;

    DegreeSums(const SizeNodes& rows, const SizeNodes& columns, std::uint64_t n_samples)
        : row_nodes_(rows),
          column_nodes_(columns),
          all_(n_samples),
          rows_(rows, n_samples),
          columns_(columns, n_samples),
          limits_(degree_limits(std::max(rows_.closeness(), columns_.closeness()))),
          slopes_(rows, columns),
          coefficients_((most + 1) * columns_.length()),
          along_(coefficients_.size()),
          beside_(coefficients_.size()),
          row_values_(rows_.length()),
          column_values_(columns_.length()) {}

    void add_all(const CancellationCheck& check_cancelled) {
        constexpr std::size_t pairs_between_checks = 20'000;
        std::size_t pairs = 0;
        for (std::size_t i = 0; i < rows_.length(); ++i) {
            add_row(i);
            pairs += columns_.length();
            if (pairs >= pairs_between_checks) {
                check_cancelled();
                pairs = 0;
            }
        }
        add_between_rows();
        slopes_.centre();
        add_slopes();
    }

    [[nodiscard]] InformationVariance variance() const noexcept {
        const auto total = static_cast<double>(all_.samples);
        InformationVariance result{0.0, 0.0, 0.0, 0.0};
        for (std::size_t d = most; d > 0; --d) {
            const auto degree = static_cast<double>(d);
            const double taken = 2.0 * degree * (total - degree + 1.0) / (total * total);
            // Rounding may take odd degrees below zero.
            const double value = std::max(0.0, sums_[d]);
            result.information += value;
            result.covariance += taken * value;
            result.pairwise += taken * taken * value;
        }
        const double scale = 1.0 / (total * total);
        // Besides the coefficients: some products and sums, and the degrees left out.
        const double error = error_ + 16.0 * unit_roundoff * magnitude_ + missed(row_nodes_, row_values_) +
                             missed(column_nodes_, column_values_);
        return {result.information * scale, result.pairwise * scale, result.covariance * scale, error * scale};
    }

  private:
    double* of_degree(std::vector<double>& matrix, std::size_t d) const noexcept {
        return &matrix[d * columns_.length()];
    }

    void add_row(std::size_t i) {
        const WeightedSize& row = row_nodes_.sizes[i];
        const std::size_t degrees = evaluate(i);
        for (std::size_t d = 2; d <= degrees; ++d) {
            const double* const coefficients = of_degree(coefficients_, d);
            const double value = columns_.product(d, coefficients, coefficients);
            const double own = rows_.own(d)[i];
            sums_[d] += own * value;
            row_values_[i] += row.weight == 0.0 ? 0.0 : own / row.weight * value;
            const double along = rows_.along(d)[i];
            const double beside = rows_.beside(d)[i];
            for (std::size_t j = 0; j < columns_.length(); ++j) of_degree(along_, d)[j] += along * coefficients[j];
            if (!rows_.has_dominant()) continue;
            for (std::size_t j = 0; j < columns_.length(); ++j) of_degree(beside_, d)[j] += beside * coefficients[j];
        }
    }

    /// The coefficients of all cells of a row; returns the highest degree.
    std::size_t evaluate(std::size_t i) {
        std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
        const WeightedSize& row = row_nodes_.sizes[i];
        const double bound = rows_.bound() * columns_.bound();
        std::size_t degrees = 0;
        for (std::size_t j = 0; j < columns_.length(); ++j) {
            const WeightedSize& column = column_nodes_.sizes[j];
            const HahnCoefficients cell = hahn_coefficients(row.amount, column.amount, all_, most, limits_);
            slopes_.set(i, j, cell);
            for (std::size_t d = 2; d <= cell.degrees; ++d) of_degree(coefficients_, d)[j] = cell.at[d];
            degrees = std::max(degrees, cell.degrees);
            if (cell.degrees < 2) continue;
            const double weight = std::fabs(row.weight * column.weight);
            const double squares = bound * cell.squares;
            magnitude_ += weight * squares;
            error_ += 2.0 * weight * squares * cell.relative_error;
            error_ +=
                (row.weight_error * std::fabs(column.weight) + std::fabs(row.weight) * column.weight_error) * squares;
            column_values_[j] += row.weight * cell.squares;
        }
        return degrees;
    }

    /// What different rows have in common. After the last row, the coefficients are those of the dominant one.
    void add_between_rows() {
        for (std::size_t d = 2; d <= most; ++d) {
            const double* const along = of_degree(along_, d);
            double sum = columns_.product(d, along, along);
            if (rows_.has_dominant()) {
                sum += 2.0 * columns_.product(d, of_degree(coefficients_, d), of_degree(beside_, d));
            }
            sums_[d] += d % 2 == 0 ? sum : -sum;
        }
    }

    /// V_1. Centring does not increase the mean square of errors.
    void add_slopes() {
        const auto total = static_cast<double>(all_.samples);
        const double scale = total * (total / (total - 1.0));
        CompensatedSum sum;
        double squares = 0.0;
        double errors = 0.0;
        for (std::size_t i = 0; i < rows_.length(); ++i) {
            for (std::size_t j = 0; j < columns_.length(); ++j) {
                const double share = slopes_.row_share(i) * slopes_.column_share(j);
                const double square = slopes_.at(i, j) * slopes_.at(i, j);
                sum.add(share * square);
                squares += std::fabs(share) * square;
                errors += std::fabs(share) * slopes_.error(i, j) * slopes_.error(i, j);
                row_values_[i] += scale * square * slopes_.column_share(j) * share_of(row_nodes_.sizes[i]);
                column_values_[j] += scale * square * slopes_.row_share(i) * share_of(column_nodes_.sizes[j]);
            }
        }
        sums_[1] = scale * sum.value();
        error_ += scale * (2.0 * std::sqrt(squares * errors) + errors);
        magnitude_ += scale * squares;
    }

    [[nodiscard]] double share_of(const WeightedSize& size) const noexcept {
        return static_cast<double>(size.amount.samples) / static_cast<double>(all_.samples);
    }

    const SizeNodes& row_nodes_;
    const SizeNodes& column_nodes_;
    Amount all_;
    Side rows_;
    Side columns_;
    DegreeLimits limits_;
    CentredSlopes slopes_;
    std::array<double, most + 1> sums_{};
    double magnitude_ = 0.0;
    double error_ = 0.0;
    std::vector<double> coefficients_;
    std::vector<double> along_;
    std::vector<double> beside_;
    std::vector<double> row_values_;
    std::vector<double> column_values_;
};

/// Whether all permutations have the same mutual information.
///
/// V_2 is 0 only if every cell has a row or column of 1 or n - 1 samples (or n): only if one of the clusterings is one
/// cluster, singletons, or one sample apart from all others. In the last case, the information depends on the size of
/// the cluster from which the sample is taken.
bool is_constant(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                 std::uint64_t n_samples) noexcept;

/// The variance of what clusterings with these sizes share by chance. Each list is in ascending order of size; both add
/// up to n_samples <= 2^53. `check_cancelled` is called several times a second, and throws to cancel.
/// The same, bit for bit, with rows and columns exchanged; 0 exactly if all permutations are alike.
InformationVariance information_variance(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                                         std::uint64_t n_samples, const CancellationCheck& check_cancelled);

}  // namespace chanceless::chance
