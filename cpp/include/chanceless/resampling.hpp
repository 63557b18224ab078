#pragma once

// Permutation tests by random tables: how many of them are at least as extreme as the observed one.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/null_statistic.hpp"
#include "chanceless/random_stream.hpp"
#include "chanceless/random_tables.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

struct DrawOptions {
    std::uint64_t n_draws;
    std::uint64_t seed;
    unsigned n_threads;
    Sampler sampler = Sampler::cheaper;
};

/// Counts up to this are tabulated; a table takes a millisecond at most.
inline constexpr std::uint64_t tabulated_for_draws = 4096;

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
                RandomStream random(options.seed, block);
                sampler.restart();
                const auto n_draws = static_cast<unsigned>(std::min<std::uint64_t>(64, options.n_draws - 64 * block));
                take(block, n_draws, [&] { return sampler.draw(statistic, random, check); });
            }
        });
    });
}

/// The statistic of random tables, as doubles: sum of x log x in nats, number of pairs, n^3 / 2 times s_p.
inline std::vector<double> draw_statistics(const Spectrum& spectrum, Statistic which, const DrawOptions& options,
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

struct Hits {
    std::uint64_t hits;
    std::uint64_t draws;
};

/// The hits in the order of the draws, up to the one that makes `stop_hits`; a bit for each draw of a block.
inline Hits count_hits(const std::vector<std::uint64_t>& blocks, std::uint64_t n_draws, std::uint64_t stop_hits) {
    std::uint64_t hits = 0;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (std::uint64_t bits = blocks[block]; bits != 0; bits &= bits - 1) {
            if (++hits == stop_hits) return {hits, 64 * block + static_cast<unsigned>(std::countr_zero(bits)) + 1};
        }
    }
    return {hits, n_draws};
}

/// Draws tables until `stop_hits` of them are at least as extreme as the observed one (Besag & Clifford 1991), and
/// n_draws at most; never stops early if stop_hits is 0.
///
/// p = hits / draws if it stopped at `stop_hits`, else (hits + 1) / (draws + 1): both are valid.
inline Hits resample(const Spectrum& spectrum, Statistic which, std::uint64_t stop_hits, const DrawOptions& options,
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

}  // namespace chanceless
