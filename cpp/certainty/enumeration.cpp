#include "certainty/enumeration.hpp"

namespace chanceless::certainty {

namespace {

/// The number of ways to distribute `size` samples over `columns` columns, C(size + columns - 1, size); infinite
/// from 1e300 on.
double ways_to_distribute(std::uint64_t size, std::uint64_t columns) noexcept {
    const std::uint64_t fewer = std::min(size, columns - 1);
    const double more = static_cast<double>(size) + static_cast<double>(columns - 1) - static_cast<double>(fewer);
    double ways = 1.0;
    for (std::uint64_t i = 1; i <= fewer && ways < 1e300; ++i) {
        ways *= (more + static_cast<double>(i)) / static_cast<double>(i);
    }
    return ways < 1e300 ? ways : std::numeric_limits<double>::infinity();
}

}  // namespace

double table_bound(const std::vector<SizeGroup>& rows, std::uint64_t columns) noexcept {
    double bound = 1.0;
    for (const SizeGroup& group : rows) {
        const double ways = ways_to_distribute(group.size, columns);
        const std::uint64_t clusters = group.clusters - (&group == &rows.back() ? 1 : 0);
        for (std::uint64_t i = 0; i < clusters && ways > 1.0 && bound < 1e300; ++i) bound *= ways;
    }
    return bound < 1e300 ? bound : std::numeric_limits<double>::infinity();
}

double table_bound(const Spectrum& spectrum) noexcept {
    if (spectrum.n_samples == 0) return 1.0;
    return std::min(table_bound(spectrum.rows, number_of_clusters(spectrum.columns)),
                    table_bound(spectrum.columns, number_of_clusters(spectrum.rows)));
}

bool can_be_exact(const Spectrum& spectrum) noexcept {
    return is_two_by_two(spectrum) || table_bound(spectrum) <= most_tables;
}

ExactProbability exact_probability(const Spectrum& spectrum, Statistic which,
                                   const CancellationCheck& check_cancelled) {
    constexpr std::uint64_t tabulated = 4096;
    constexpr double most_enumerated_pairs = 4096.0;  // 2 x 2 tables: beyond, their tails are summed
    constexpr std::uint64_t most_narrow = 1 << 15;    // slack is 6e-8 there, and grows with the square
    const double bound = table_bound(spectrum);
    if (bound == 1.0) return {0.0, -log_of_double(2.0), 1.0};
    if (!can_be_exact(spectrum)) throw std::overflow_error("too many tables");
    const auto work = [&](const auto& statistic) {
        if (is_two_by_two(spectrum) && bound > most_enumerated_pairs)
            return two_by_two_probability(spectrum, statistic, check_cancelled);
        return TableEnumeration(spectrum, statistic, check_cancelled).run();
    };
    return with_statistic(which, spectrum, tabulated, work, most_narrow);
}

}  // namespace chanceless::certainty
