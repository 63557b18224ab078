#include "chance/expected.hpp"

namespace chanceless::chance {

using numbers::CompensatedProduct, numbers::CompensatedSum, numbers::unit_roundoff;

double missed(const SizeNodes& nodes, const std::vector<double>& sums) noexcept {
    constexpr double safety = 4.0;
    double total = 0.0;
    for (const Stretch& stretch : nodes.stretches) {
        double largest = 0.0;
        for (const std::vector<double>& difference : stretch.differences) {
            CompensatedSum sum;
            for (std::size_t p = 0; p < difference.size(); ++p) sum.add(difference[p] * sums[stretch.first + p]);
            largest = std::max(largest, std::fabs(sum.value()));
        }
        total += safety * stretch.reach * largest;
    }
    return total;
}

bool in_order(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns) noexcept {
    return std::lexicographical_compare(
        rows.begin(), rows.end(), columns.begin(), columns.end(), [](const SizeGroup& left, const SizeGroup& right) {
            return left.size != right.size ? left.size < right.size : left.clusters < right.clusters;
        });
}

namespace {

/// What the nodes of a stretch are given for its sizes.
struct NodeWeights {
    std::vector<CompensatedSum> sums;
    std::vector<double> magnitudes;  // sums of |l_p(a_i)|
    double amplification = 1.0;      // the largest sum over the nodes of |l_p(a)|, the power left out
    double reach = 0.0;

    explicit NodeWeights(std::size_t nodes) : sums(nodes), magnitudes(nodes, 0.0) {}

    /// The parts of l_p(a) are good to 4u, the sum they are divided by to 4u times the amplification; eight
    /// roundings more, four of them for the power.
    [[nodiscard]] double error(std::size_t node) const noexcept {
        return (12.0 + 4.0 * amplification) * unit_roundoff * magnitudes[node];
    }
};

/// sin(x) for |x| <= pi / 2. Not std::sin, whose last digit depends on the library.
double sine(double x) noexcept {
    double sum = 0.0;
    for (int i = 25; i > 1; i -= 2) sum = (1.0 - sum) * x * x / ((i - 1) * i);
    return x * (1.0 - sum);
}

/// Interpolation between the sizes of a stretch, through whole numbers close to Chebyshev points.
class Interpolation {
  public:
    /// Odds further apart would need more nodes than they are worth.
    static constexpr double widest = 4.0;

    /// Of functions that grow like the size to the power of `growth`, at most.
    Interpolation(std::uint64_t lowest, std::uint64_t highest, std::uint64_t n_samples, int growth)
        : total_(static_cast<double>(n_samples)), lowest_(lowest), highest_(highest), growth_(growth) {
        const double high_odds = odds(highest);
        centre_ = std::sqrt(odds(lowest) * high_odds);
        radius_ = (high_odds - centre_) / (high_odds + centre_);
        // t is a linear function of 1 / (a + pole); with a whole number all differences stay exact. The centre is
        // far below 1, for the sizes of a stretch (eight at least) add up to n at most.
        pole_ = std::floor(total_ * centre_ / (1.0 - centre_)) + 1.0;
        slope_ = 2.0 * pole_ / (1.0 - centre_);
        count_ = nodes_needed();
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] const std::vector<std::uint64_t>& nodes() const noexcept { return nodes_; }

    void prepare() {
        place_nodes();
        scale_nodes();
    }

    /// Hands the clusters of one size out to the nodes.
    void distribute(const SizeGroup& group, NodeWeights& weights) const {
        const auto clusters = static_cast<double>(group.clusters);
        const auto place = std::lower_bound(nodes_.begin(), nodes_.end(), group.size);
        if (place != nodes_.end() && *place == group.size) {
            weights.sums[static_cast<std::size_t>(place - nodes_.begin())].add(clusters);
            return;
        }
        const auto size = static_cast<double>(group.size);
        std::array<double, most> shares;
        CompensatedSum sum;
        double magnitude = 0.0;
        for (std::size_t p = 0; p < count_; ++p) shares[p] = scale_[p] / (size - positions_[p]);
        for (std::size_t p = 0; p < count_; ++p) {
            sum.add(shares[p]);
            magnitude += std::fabs(shares[p]);
        }
        const double one = sum.value();
        const double factor = clusters * power(size) / one;
        for (std::size_t p = 0; p < count_; ++p) {
            const double weight = shares[p] * factor / powers_[p];
            weights.sums[p].add(weight);
            weights.magnitudes[p] += std::fabs(weight);
        }
        weights.amplification = std::max(weights.amplification, magnitude / std::fabs(one));
        weights.reach += slope_ / (size + pole_) * std::fabs(factor);
    }

    [[nodiscard]] std::array<std::vector<double>, 3> differences() const {
        std::array<std::vector<double>, 3> result;
        for (std::size_t p = 0; p < count_; ++p) {
            const double difference = scale_[p] / ((positions_[p] + pole_) * powers_[p]);
            const double without_last = difference * distance(p, count_ - 1);
            result[0].push_back(difference);
            result[1].push_back(without_last);
            result[2].push_back(without_last * distance(p, 0));
        }
        return result;
    }

  private:
    static constexpr std::size_t most = 24;

    [[nodiscard]] double odds(std::uint64_t size) const noexcept {
        const auto samples = static_cast<double>(size);
        return samples / (total_ - samples);
    }

    /// The power taken out, of a + pole rather than a: which makes it a power of 1 - t, and keeps what is left tame.
    [[nodiscard]] double power(double size) const noexcept {
        double result = 1.0;
        for (int i = 0; i < growth_; ++i) result *= size + pole_;
        return result;
    }

    /// t at node p, less t at node q.
    [[nodiscard]] double distance(std::size_t p, std::size_t q) const noexcept {
        return slope_ * (positions_[p] - positions_[q]) / ((positions_[p] + pole_) * (positions_[q] + pole_));
    }

    /// On [-r, r] within the unit disc, each node gains a factor of 1/r + sqrt(1/r^2 - 1). 22 nodes for the
    /// widest stretch missed by 2e-17 at most, in 20 000 stretches of all kinds.
    [[nodiscard]] std::size_t nodes_needed() const noexcept {
        const double gain = (1.0 + std::sqrt(1.0 - radius_ * radius_)) / radius_;
        std::size_t count = 2;
        for (double gained = gain * gain; gained < 6.5e16 && count < most; gained *= gain) ++count;
        return count;
    }

    void place_nodes() {
        constexpr double half_pi = 1.5707963267948966;
        const auto count = static_cast<double>(count_);
        // The outermost nodes are the lowest and the highest size themselves.
        const double scale = radius_ / sine(half_pi * (count - 1.0) / count);
        nodes_.resize(count_);
        for (std::size_t p = 0; p < count_; ++p) {
            const double angle = half_pi * (2.0 * static_cast<double>(p) + 1.0 - count) / count;
            const double t = scale * sine(angle);
            const double node_odds = centre_ * (1.0 + t) / (1.0 - t);
            nodes_[p] = static_cast<std::uint64_t>(total_ * (node_odds / (1.0 + node_odds)) + 0.5);
        }
        // Neighbours that rounding made equal are pushed apart, upwards first, then down from the end.
        nodes_.front() = lowest_;
        for (std::size_t p = 1; p < count_; ++p) nodes_[p] = std::max(nodes_[p], nodes_[p - 1] + 1);
        nodes_.back() = highest_;
        for (std::size_t p = count_ - 1; p-- > 0;) nodes_[p] = std::min(nodes_[p], nodes_[p + 1] - 1);
    }

    /// scale_p = product over q of (a_p + pole) / (a_p - a_q). Then l_p(a) = scale_p / (a - a_p), divided by
    /// the sum of these over p (the barycentric formula, with what all differences of t share taken out), and
    /// times power(a) / power(a_p).
    void scale_nodes() {
        const double unit = std::ldexp(1.0, -std::ilogb(static_cast<double>(lowest_)));
        positions_.assign(nodes_.begin(), nodes_.end());
        scale_.resize(count_);
        powers_.resize(count_);
        for (std::size_t p = 0; p < count_; ++p) {
            CompensatedProduct above;
            CompensatedProduct below;
            for (std::size_t q = 0; q < count_; ++q) {
                if (q == p) continue;
                above.multiply((positions_[p] + pole_) * unit);
                below.multiply((positions_[p] - positions_[q]) * unit);
            }
            scale_[p] = above.value() / below.value();
            powers_[p] = power(positions_[p]);
        }
    }

    double total_;
    std::uint64_t lowest_;
    std::uint64_t highest_;
    int growth_;
    double centre_;
    double radius_;
    double pole_;
    double slope_;
    std::size_t count_;
    std::vector<std::uint64_t> nodes_;
    std::vector<double> positions_;
    std::vector<double> scale_;
    std::vector<double> powers_;
};

/// Number of leading sizes with odds of at most `Interpolation::widest` times the first odds.
std::size_t length_of_stretch(std::span<const SizeGroup> groups, std::uint64_t n_samples) noexcept {
    const auto lowest = static_cast<double>(groups.front().size);
    const double highest = Interpolation::widest * lowest /
                           (1.0 + (Interpolation::widest - 1.0) * lowest / static_cast<double>(n_samples));
    const auto end = std::find_if(groups.begin(), groups.end(),
                                  [&](const SizeGroup& group) { return static_cast<double>(group.size) > highest; });
    return std::max<std::size_t>(1, static_cast<std::size_t>(end - groups.begin()));
}

void exchange(std::span<const SizeGroup> groups, Interpolation& interpolation, SizeNodes& result,
              const CancellationCheck& check_cancelled) {
    constexpr std::size_t sizes_between_checks = 100'000;
    interpolation.prepare();
    NodeWeights weights(interpolation.count());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i % sizes_between_checks == 0) check_cancelled();
        interpolation.distribute(groups[i], weights);
    }
    result.stretches.push_back({result.sizes.size(), interpolation.differences(), weights.reach});
    for (std::size_t p = 0; p < interpolation.count(); ++p) {
        result.sizes.push_back({Amount(interpolation.nodes()[p]), weights.sums[p].value(), weights.error(p)});
    }
}

}  // namespace

void keep(std::span<const SizeGroup> groups, SizeNodes& result) {
    for (const SizeGroup& group : groups) {
        result.sizes.push_back({Amount(group.size), static_cast<double>(group.clusters), 0.0});
    }
}

SizeNodes nodes_of(std::span<const SizeGroup> groups, std::uint64_t n_samples, int growth,
                   const CancellationCheck& check_cancelled) {
    constexpr std::size_t few = 8;
    constexpr std::size_t usual = 256;
    SizeNodes result;
    result.sizes.reserve(std::min(groups.size(), usual));
    while (!groups.empty()) {
        const std::span<const SizeGroup> stretch = groups.first(length_of_stretch(groups, n_samples));
        groups = groups.subspan(stretch.size());
        if (stretch.size() < few) {
            keep(stretch, result);
            continue;
        }
        Interpolation interpolation(stretch.front().size, stretch.back().size, n_samples, growth);
        if (2 * stretch.size() > 3 * interpolation.count()) {
            exchange(stretch, interpolation, result, check_cancelled);
        } else {
            keep(stretch, result);
        }
    }
    return result;
}

}  // namespace chanceless::chance
