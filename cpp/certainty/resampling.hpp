#pragma once

// Permutation tests by random tables: how many of them are at least as extreme as the observed one.

#include "certainty/null_statistic.hpp"
#include "certainty/random_tables.hpp"

namespace chanceless::certainty {

using chance::Statistic;
using counting::Spectrum;

struct DrawOptions {
    std::uint64_t n_draws;
    std::uint64_t seed;
    unsigned n_threads;
    Sampler sampler = Sampler::cheaper;
    std::uint64_t first_block = 0;  // of 64 draws: those before were drawn by another call
};

/// The statistic of random tables, as doubles: sum of x log x in nats, number of pairs, n^3 / 2 times s_p.
std::vector<double> draw_statistics(const Spectrum& spectrum, Statistic which, const DrawOptions& options,
                                    const CancellationCheck& check_cancelled);

struct Hits {
    std::uint64_t hits;
    std::uint64_t draws;
};

/// Draws tables until `stop_hits` of them are at least as extreme as the observed one (Besag & Clifford 1991), and
/// n_draws at most; never stops early if stop_hits is 0.
///
/// p = hits / draws if it stopped at `stop_hits`, else (hits + 1) / (draws + 1): both are valid.
Hits resample(const Spectrum& spectrum, Statistic which, std::uint64_t stop_hits, const DrawOptions& options,
              const CancellationCheck& check_cancelled);

// The interval of Clopper & Pearson for a probability, from the number of hits in independent draws.

struct ShareInterval {
    double low;
    double high;
};

ShareInterval clopper_pearson(std::uint64_t hits, std::uint64_t draws, double level) noexcept;

}  // namespace chanceless::certainty
