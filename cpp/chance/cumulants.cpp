#include "chance/cumulants.hpp"

#include "chance/pearson_tail.hpp"

namespace chanceless::chance {

using numbers::atanh_tail, numbers::DoubleDouble, numbers::exp_of_double, numbers::half_log_two_pi,
    numbers::log_of_double, numbers::stirling_series;
using terms::pairs_within;

namespace {

/// With doubles at some nodes; with double-doubles at all sizes, if that is not precise and does not take many seconds.
/// (The weights of nodes are doubles: more digits elsewhere would not help.)
template <class MakeParts>
ThirdCumulant third_cumulant_of_ordered(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                                        std::uint64_t n_samples, const MakeParts& make_parts,
                                        const CancellationCheck& check_cancelled) {
    constexpr std::size_t most_pairs = 100'000;
    constexpr int growth = 3;
    const auto evaluate = [&]<class Number>(double roundoff, const SizeNodes& row_nodes,
                                            const SizeNodes& column_nodes) {
        const auto parts = make_parts(row_nodes, column_nodes);
        return third_cumulant_with<Number>(roundoff, row_nodes, column_nodes, n_samples, parts, check_cancelled);
    };
    const ThirdCumulant result =
        evaluate.template operator()<double>(unit_roundoff, nodes_of(rows, n_samples, growth, check_cancelled),
                                             nodes_of(columns, n_samples, growth, check_cancelled));
    if (result.is_precise(n_samples) || rows.size() > most_pairs / columns.size()) return result;
    return evaluate.template operator()<DoubleDouble>(DoubleDouble::roundoff, all_sizes(rows), all_sizes(columns));
}

}  // namespace

ThirdCumulant third_cumulant(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                             std::uint64_t n_samples, Statistic statistic, const CancellationCheck& check_cancelled,
                             std::size_t degrees) {
    if (rows.empty() || is_constant(rows, columns, n_samples)) return {};
    const std::vector<SizeGroup>& first = in_order(rows, columns) ? rows : columns;
    const std::vector<SizeGroup>& second = &first == &rows ? columns : rows;
    const auto evaluate = [&](const auto& make_parts) {
        return third_cumulant_of_ordered(first, second, n_samples, make_parts, check_cancelled);
    };
    if (statistic == Statistic::pairs) {
        return evaluate([&](const SizeNodes& /*rows*/, const SizeNodes& /*columns*/) { return PairParts(n_samples); });
    }
    return evaluate([&](const SizeNodes& row_nodes, const SizeNodes& column_nodes) {
        return InformationParts(row_nodes, column_nodes, n_samples, statistic == Statistic::pairwise, degrees,
                                check_cancelled);
    });
}

namespace {

/// (log(1 + y) - y) / y^2 for y > -1.
double log_curvature(double y) noexcept {
    const double half = 1.0 / (2.0 + y);
    const double s = y * half;
    // log(1 + y) = 2 atanh(s), and 2 s - y = -s y.
    if (s * s <= 1.0 / 16) return half * (2.0 * half * s * atanh_tail(s * s) - 1.0);
    return (log_of_double(1.0 + y) - y) / (y * y);
}

/// log(1 + y) for y > -1.
double log_of_sum(double y) noexcept { return y + y * y * log_curvature(y); }

/// (exp(v) - 1 - v) / v^2 for v < 700.
double exp_curvature(double v) noexcept {
    if (std::fabs(v) > 1.0) return ((exp_of_double(v) - 1.0) - v) / (v * v);
    double sum = 0.0;
    for (int i = 20; i >= 2; --i) sum = (1.0 + sum) * (i > 2 ? v : 1.0) / i;
    return sum;
}

/// What log(Gamma(k)) has beyond (k - 1/2) log k - k + log(2 pi) / 2, for k > 0.
double stirling_excess(double k) noexcept {
    constexpr double large = 32.0;
    double excess = 0.0;
    for (; k < large; k += 1.0) excess += (k + 0.5) * log_of_sum(1.0 / k) - 1.0;
    return excess + stirling_series(k);
}

/// Integrates over r > 0 by the trapezoidal rule in t, where r = width * exp(t - exp(-t)).
class HalfLineRule {
  public:
    struct Node {
        double place;
        double weight;
    };
    static constexpr std::size_t finest = 32;  // steps for each unit of t

    static const HalfLineRule& instance() {
        static const HalfLineRule rule;
        return rule;
    }

    /// Halves the step until the last change, squared, is negligible: the error is about squared by each halving. The
    /// integrand falls from 1 to 0.
    template <class Integrand>
    [[nodiscard]] double integrate(double width, const Integrand& integrand) const {
        double before = 0.0;
        for (std::size_t stride = finest / 4;; stride /= 2) {
            double sum = 0.0;
            for (std::size_t i = 0; i < nodes_.size(); i += stride) {
                const double term = nodes_[i].weight * integrand(width * nodes_[i].place);
                sum += term;
                if (nodes_[i].place > 1.0 && term <= 0x1p-60 * sum) break;
            }
            sum *= width * static_cast<double>(stride);
            if (stride == 1 || std::fabs(sum - before) <= 0x1p-34 * sum) return sum;
            before = sum;
        }
    }

  private:
    HalfLineRule() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const double t = first + static_cast<double>(i) / finest;
            const double inverse = exp_of_double(-t);
            const double place = exp_of_double(t - inverse);
            nodes_[i] = {place, place * (1.0 + inverse) / finest};
        }
    }

    static constexpr double first = -3.75;
    static constexpr double last = 7.0;
    std::array<Node, static_cast<std::size_t>((last - first) * finest) + 1> nodes_;
};

/// log P(Z > z) for z >= 0, within the support.
double log_upper_tail(double z, double skewness) noexcept {
    const double half = skewness / 2.0;
    double width = 1.0 / (z + 1.0 / (1.0 + std::fabs(half)));
    if (half > 0.0) width *= 1.0 + half * width * log_curvature(half * width);
    const double integral = HalfLineRule::instance().integrate(width, [&](double r) {
        const double curvature = exp_curvature(half * r);
        return exp_of_double(-r * (r * curvature + z * (1.0 + half * r * curvature)));
    });
    const double excess = half == 0.0 ? 0.0 : stirling_excess(1.0 / (half * half));
    return z * z * log_curvature(half * z) + (log_of_double(integral) - half_log_two_pi - excess);
}

}  // namespace

double log_pearson_tail(double z, double skewness) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (std::isnan(z) || std::isnan(skewness)) return z + skewness;
    if (std::isinf(z)) return z > 0.0 ? -infinity : 0.0;
    if (1.0 + z * skewness / 2.0 <= 0.0) return skewness > 0.0 ? 0.0 : -infinity;
    if (z >= 0.0) return log_upper_tail(z, skewness);
    return log_of_sum(-exp_of_double(log_upper_tail(-z, -skewness)));
}

bool moments_hold(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                  std::uint64_t n_samples) noexcept {
    if (n_samples < 80) return false;
    const uint128 n = n_samples;
    const uint128 outside_rows = n - rows.back().size;
    const uint128 outside_columns = n - columns.back().size;
    if (std::min(outside_rows, outside_columns) < 30) return false;
    if (outside_rows * outside_columns < 12 * n) return false;
    const uint128 row_pairs = pairs_within(rows);
    const uint128 column_pairs = pairs_within(columns);
    // row_pairs * column_pairs >= 5 * all pairs, where the product may exceed 128 bits
    const uint128 wanted = 5 * (n * (n - 1) / 2);
    return column_pairs > 0 && row_pairs >= (wanted + column_pairs - 1) / column_pairs;
}

}  // namespace chanceless::chance
