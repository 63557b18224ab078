#include "chance/variance.hpp"

#include <tuple>

namespace chanceless::chance {

using numbers::Fixed, numbers::log_of;

namespace {

bool have_equal_sizes(const std::vector<SizeGroup>& groups) noexcept { return groups.size() == 1; }

/// One sample by itself, and all others together.
bool is_one_apart(const std::vector<SizeGroup>& groups, std::uint64_t n_samples) noexcept {
    return groups.size() == 2 && groups[0] == SizeGroup{1, 1} && groups[1] == SizeGroup{n_samples - 1, 1};
}

InformationVariance variance_of_ordered(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                                        std::uint64_t n_samples, const CancellationCheck& check_cancelled) {
    const SizeNodes row_nodes = nodes_of(rows, n_samples, 2, check_cancelled);
    const SizeNodes column_nodes = nodes_of(columns, n_samples, 2, check_cancelled);
    DegreeSums sums(row_nodes, column_nodes, n_samples);
    sums.add_all(check_cancelled);
    return sums.variance();
}

}  // namespace

bool is_constant(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                 std::uint64_t n_samples) noexcept {
    return is_one_cluster(rows) || is_one_cluster(columns) || are_singletons(rows) || are_singletons(columns) ||
           (is_one_apart(rows, n_samples) && have_equal_sizes(columns)) ||
           (is_one_apart(columns, n_samples) && have_equal_sizes(rows));
}

InformationVariance information_variance(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                                         std::uint64_t n_samples, const CancellationCheck& check_cancelled) {
    if (rows.empty() || is_constant(rows, columns, n_samples)) return {0.0, 0.0, 0.0, 0.0};
    return in_order(rows, columns) ? variance_of_ordered(rows, columns, n_samples, check_cancelled)
                                   : variance_of_ordered(columns, rows, n_samples, check_cancelled);
}

namespace {

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
void drop_negligible(const DegreeLimits& limits, HahnCoefficients& result) noexcept {
    const auto square = [&](std::size_t d) { return result.at[d] * result.at[d]; };
    result.squares = 0.0;
    for (std::size_t d = 2; d <= result.degrees; ++d) result.squares += square(d);
    while (result.degrees > 2 && square(result.degrees) <= limits[result.degrees] * result.squares) --result.degrees;
}

void expand_large_mean(const Amount& a, const Amount& b, const Amount& n, const LogParts& log_mean, std::size_t degrees,
                       const DegreeLimits& limits, HahnCoefficients& result) noexcept {
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

void expand_small_mean(const Amount& a, const Amount& b, const Amount& n, const LogParts& log_mean, std::size_t degrees,
                       const DegreeLimits& limits, HahnCoefficients& result) noexcept {
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

}  // namespace

DegreeLimits degree_limits(double closeness) noexcept {
    DegreeLimits limits;
    double limit = 0x1p-116;
    for (double& each : limits) {
        each = std::min(limit, 0x1p-57);
        limit *= 2.0 / (closeness * closeness);
    }
    return limits;
}

HahnCoefficients hahn_coefficients(const Amount& a, const Amount& b, const Amount& n, std::size_t degrees,
                                   const DegreeLimits& limits) noexcept {
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

}  // namespace chanceless::chance
