#include "certainty/resampling.hpp"

#include <atomic>

namespace chanceless::certainty {

using numbers::exp_of_double;

namespace {

/// Counts up to this are tabulated; a table takes a millisecond at most.
constexpr std::uint64_t tabulated_for_draws = 4096;

/// Draws in blocks of 64, each with its own random stream: what is drawn does not depend on the number of threads.
/// Calls take(block, n_draws, draw) for each block, in any order, in several threads; draw() returns the statistic of
/// the next table. Blocks that start after is_done() holds are left out.
template <class Statistic, class Take, class IsDone>
void draw_blocks(const Statistic& statistic, const TableSizes& sizes, const DrawOptions& options,
                 const CancellationCheck& check_cancelled, const Take& take, const IsDone& is_done) {
    const std::size_t n_blocks = static_cast<std::size_t>((options.n_draws + 63) / 64);
    const Crew crew(std::min({n_blocks, std::size_t{options.n_threads}, most_threads(sizes)}), check_cancelled);
    std::atomic<std::size_t> next{0};
    crew.together([&](unsigned, const CancellationCheck& worker_check) {
        PeriodicCheck check(worker_check);
        with_sampler(options.sampler, sizes, [&](auto&& sampler) {
            while (!is_done()) {  // asked before a block is taken: what is taken is finished
                const std::size_t block = next++;
                if (block >= n_blocks) break;
                RandomStream random(options.seed, options.first_block + block);
                sampler.restart();
                const auto n_draws = static_cast<unsigned>(std::min<std::uint64_t>(64, options.n_draws - 64 * block));
                take(block, n_draws, [&] { return sampler.draw(statistic, random, check); });
            }
        });
    });
}

/// The hits in the order of the draws, up to the one that makes `stop_hits`; a bit for each draw of a block.
Hits count_hits(const std::vector<std::uint64_t>& blocks, std::uint64_t n_draws, std::uint64_t stop_hits) {
    std::uint64_t hits = 0;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (std::uint64_t bits = blocks[block]; bits != 0; bits &= bits - 1) {
            if (++hits == stop_hits) return {hits, 64 * block + static_cast<unsigned>(std::countr_zero(bits)) + 1};
        }
    }
    return {hits, n_draws};
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method; it converges fast for
/// p < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double p) noexcept {
    constexpr double tiny = 1e-300;
    const auto away_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
    double c = 1.0;
    double d = 1.0 / away_from_zero(1.0 - (a + b) * p / (a + 1.0));
    double result = d;
    for (double m = 1.0; m < 1e7; m += 1.0) {
        const double even = m * (b - m) * p / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        result *= c * d;
        const double odd = -(a + m) * (a + b + m) * p / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        result *= c * d;
        if (std::fabs(c * d - 1.0) < 0x1p-52) break;
    }
    return result;
}

/// The probability of exactly `hits` hits, each of probability p = 1 - q.
double binomial_probability(std::uint64_t hits, std::uint64_t draws, double p, double q) noexcept {
    const auto n = static_cast<double>(draws);
    const auto k = static_cast<double>(hits);
    const double distance = k * q - (n - k) * p;  // k - n p
    const double divergence = cell_divergence(k, n * p, distance) + cell_divergence(n - k, n * q, -distance);
    return exp_of_double(factorial_rest(draws) - factorial_rest(hits) - factorial_rest(draws - hits) - divergence);
}

/// The probability of `hits` hits or more, 0 < hits <= draws: the incomplete beta function I_p(hits, draws - hits + 1).
double probability_of_at_least(std::uint64_t hits, std::uint64_t draws, double p, double q) noexcept {
    const auto a = static_cast<double>(hits);
    const auto b = static_cast<double>(draws - hits) + 1.0;
    if (p < (a + 1.0) / (a + b + 2.0)) return binomial_probability(hits, draws, p, q) * q * beta_fraction(a, b, p);
    // The complement: b misses or more.
    return 1.0 - binomial_probability(hits - 1, draws, p, q) * p * beta_fraction(b, a, q);
}

/// The p for which rising(p) = value, to all digits.
template <class Rising>
double solve(double value, const Rising& rising) noexcept {
    double low = 0.0;
    double high = 1.0;
    while (high - low > 0x1p-52 * high) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        (rising(middle) < value ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace

std::vector<double> draw_statistics(const Spectrum& spectrum, Statistic which, const DrawOptions& options,
                                    const CancellationCheck& check_cancelled) {
    const TableSizes sizes(spectrum);
    std::vector<double> result(options.n_draws);
    with_statistic(which, spectrum, tabulated_for_draws, [&](const auto& statistic) {
        const auto take = [&](std::size_t block, unsigned n_draws, const auto& draw) {
            for (unsigned i = 0; i < n_draws; ++i) result[64 * block + i] = statistic.to_double(draw());
        };
        draw_blocks(statistic, sizes, options, check_cancelled, take, [] { return false; });
    });
    return result;
}

Hits resample(const Spectrum& spectrum, Statistic which, std::uint64_t stop_hits, const DrawOptions& options,
              const CancellationCheck& check_cancelled) {
    const TableSizes sizes(spectrum);
    std::vector<std::uint64_t> blocks((options.n_draws + 63) / 64, 0);
    std::atomic<std::uint64_t> hits_so_far{0};
    with_statistic(which, spectrum, tabulated_for_draws, [&](const auto& statistic) {
        const auto threshold = statistic.observed(spectrum) - statistic.slack();
        const auto take = [&](std::size_t block, unsigned n_draws, const auto& draw) {
            std::uint64_t hits = 0;
            for (unsigned i = 0; i < n_draws; ++i) {
                if (draw() < threshold) continue;
                blocks[block] |= std::uint64_t{1} << i;
                if (++hits == stop_hits) break;
            }
            hits_so_far += hits;
        };
        // Blocks start in order, and all that started are finished: the hit that stops is in one of them.
        draw_blocks(statistic, sizes, options, check_cancelled, take,
                    [&] { return stop_hits > 0 && hits_so_far >= stop_hits; });
    });
    return count_hits(blocks, options.n_draws, stop_hits);
}

ShareInterval clopper_pearson(std::uint64_t hits, std::uint64_t draws, double level) noexcept {
    const double tail = 0.5 * (1.0 - level);
    ShareInterval result{0.0, 1.0};
    if (hits > 0) {
        result.low = solve(tail, [&](double p) { return probability_of_at_least(hits, draws, p, 1.0 - p); });
    }
    if (hits < draws) {
        // hits or fewer: draws - hits misses or more, the less likely the larger p
        result.high = solve(-tail, [&](double p) { return -probability_of_at_least(draws - hits, draws, 1.0 - p, p); });
    }
    return result;
}

}  // namespace chanceless::certainty
