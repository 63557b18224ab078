#include "certainty/splitting.hpp"

#include <atomic>

namespace chanceless::certainty {

using numbers::exp_of_double, numbers::log_of_double;

namespace {

/// The levels of a pilot run: from each to the next, a share of 0.3 is kept if ties allow. The last one is below the
/// target; none if the target is near.
template <class Population, class Value>
std::vector<Value> choose_levels(Population& population, const Value& target, RandomStream& random,
                                 PeriodicCheck& check) {
    std::vector<Value> levels;
    population.start(random, check);
    while (levels.size() < Splitting::most_levels) {
        std::vector<Value> sorted = population.values();
        std::sort(sorted.begin(), sorted.end());
        auto level =
            sorted.begin() + static_cast<std::ptrdiff_t>((1.0 - Splitting::keep) * static_cast<double>(sorted.size()));
        if (!(sorted.front() < *level)) level = std::upper_bound(sorted.begin(), sorted.end(), *level);
        if (level == sorted.end() || !(*level < target)) break;
        levels.push_back(*level);
        population.keep_above(*level, random);
        population.swap_above(*level, random, check);
    }
    return levels;
}

/// The shares that a run keeps at each level and, last, at the target; 0 from where no labelling is left.
template <class Population, class Value>
std::vector<double> kept_shares(Population& population, const std::vector<Value>& levels, const Value& target,
                                RandomStream& random, PeriodicCheck& check) {
    std::vector<double> shares(levels.size() + 1, 0.0);
    population.start(random, check);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        shares[i] = population.keep_above(levels[i], random);
        if (shares[i] == 0.0) return shares;
        population.swap_above(levels[i], random, check);
    }
    shares.back() = population.keep_above(target, random);
    return shares;
}

using Runs = std::array<std::vector<double>, Splitting::n_runs>;

/// The product of the first `n_shares` shares of a run.
double log_product(const std::vector<double>& shares, std::size_t n_shares) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_shares; ++i) {
        if (shares[i] == 0.0) return -std::numeric_limits<double>::infinity();
        sum += log_of_double(shares[i]);
    }
    return sum;
}

/// The relative error of the mean if all labellings were independent: a share s has the variance s (1 - s) / n.
double least_error(const Runs& runs, std::size_t n_shares) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_shares; ++i) {
        double share = 0.0;
        for (const std::vector<double>& run : runs) share += run[i] / Splitting::n_runs;
        if (share > 0.0) sum += (1.0 - share) / share;
    }
    return std::sqrt(sum / (Splitting::n_runs * Splitting::n_labellings));
}

/// The mean over all runs of the product of their first `n_shares` shares. Its error is that of independent labellings
/// at least: the spread of a few runs can be too small by luck.
SplittingResult mean_product(const Runs& runs, std::size_t n_shares) noexcept {
    constexpr double quantile = 2.1314495455597742;  // 97.5 % of the t distribution with 15 degrees of freedom
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double highest = -infinity;
    for (const std::vector<double>& run : runs) highest = std::max(highest, log_product(run, n_shares));
    if (highest == -infinity) return {-infinity, infinity, -infinity, 0.0, 0, runs[0].size() - 1};
    double sum = 0.0, squares = 0.0;
    unsigned n_arrived = 0;
    for (const std::vector<double>& run : runs) {
        const double ratio = exp_of_double(log_product(run, n_shares) - highest);
        sum += ratio;
        squares += ratio * ratio;
        n_arrived += ratio > 0.0 ? 1 : 0;
    }
    const double mean = sum / Splitting::n_runs;
    const double variance = std::max(0.0, squares / Splitting::n_runs - mean * mean) / (Splitting::n_runs - 1);
    const double log_mean = std::min(0.0, highest + log_of_double(mean));
    const double error = std::max(std::sqrt(variance) / mean, least_error(runs, n_shares));
    return {
        log_mean,          error, log_mean - quantile * error, std::min(0.0, log_mean + quantile * error), n_arrived,
        runs[0].size() - 1};
}

/// The result for the target or, if no run arrived there, an upper bound: that of the last level that one did reach.
SplittingResult summarise_runs(const Runs& runs) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::size_t n_shares = runs[0].size();
    const SplittingResult result = mean_product(runs, n_shares);
    if (result.n_arrived > 0) return result;
    SplittingResult last = result;
    while (last.n_arrived == 0) last = mean_product(runs, --n_shares);
    return {-infinity, infinity, -infinity, last.log_high, 0, result.n_levels};
}

template <class Statistic>
Runs run_all(const Spectrum& spectrum, const TableSizes& sizes, const Statistic& statistic, std::uint64_t seed,
             unsigned n_threads, const CancellationCheck& check_cancelled,
             const std::function<void(unsigned)>& report) {
    using Population = SwapPopulation<Statistic>;
    constexpr std::uint64_t first_stream = std::uint64_t{1} << 63;  // random tables have those before
    const std::uint64_t fitting = std::max<std::uint64_t>(1, Splitting::most_bytes / (Population::bytes(sizes) + 1));
    const Crew crew(std::min<std::uint64_t>({n_threads, Splitting::n_runs, fitting}), check_cancelled);
    const auto target = statistic.observed(spectrum) - statistic.slack();
    std::vector<typename Statistic::Value> levels;
    {
        Population pilot(sizes, statistic);
        RandomStream random(seed, first_stream);
        PeriodicCheck check(check_cancelled);
        levels = choose_levels(pilot, target, random, check);
    }
    Runs runs;
    std::atomic<std::size_t> next{0};
    std::atomic<unsigned> finished{1};
    report(finished);
    crew.together([&](unsigned worker, const CancellationCheck& worker_check) {
        Population population(sizes, statistic);
        PeriodicCheck check(worker_check);
        for (std::size_t run = next++; run < runs.size(); run = next++) {
            RandomStream random(seed, first_stream + 1 + run);
            runs[run] = kept_shares(population, levels, target, random, check);
            const unsigned n_finished = ++finished;
            if (worker == 0) report(n_finished);
        }
    });
    return runs;
}

}  // namespace

SplittingResult split(const Spectrum& spectrum, Statistic which, std::uint64_t seed, unsigned n_threads,
                      const CancellationCheck& check_cancelled, const std::function<void(unsigned)>& report) {
    if (spectrum.n_samples > Splitting::most_samples) throw std::overflow_error("too many samples");
    const TableSizes sizes(spectrum);
    if (std::uint64_t{sizes.rows.size()} * sizes.columns.size() > Splitting::most_cells)
        throw std::overflow_error("too many cells");
    return with_statistic(which, spectrum, spectrum.n_samples + 2, [&](const auto& statistic) {
        return summarise_runs(run_all(spectrum, sizes, statistic, seed, n_threads, check_cancelled, report));
    });
}

}  // namespace chanceless::certainty
