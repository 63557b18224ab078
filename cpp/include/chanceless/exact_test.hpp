#pragma once

// Exact permutation tests: by enumeration where the tables are few, and of every 2 x 2 table.

#include <stdexcept>

#include "chanceless/cancellation.hpp"
#include "chanceless/elementary.hpp"
#include "chanceless/null_statistic.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/table_enumeration.hpp"
#include "chanceless/two_by_two.hpp"

namespace chanceless {

/// No more tables are enumerated.
inline constexpr double most_tables = 1e6;

inline bool can_be_exact(const Spectrum& spectrum) noexcept {
    return is_two_by_two(spectrum) || table_bound(spectrum) <= most_tables;
}

inline ExactProbability exact_probability(const Spectrum& spectrum, Statistic which,
                                          const CancellationCheck& check_cancelled) {
    constexpr std::uint64_t tabulated = 4096;
    constexpr double most_enumerated_pairs = 4096.0;  // 2 x 2 tables: beyond, their tails are summed
    const double bound = table_bound(spectrum);
    if (bound == 1.0) return {0.0, -log_of_double(2.0), 1.0};
    if (!can_be_exact(spectrum)) throw std::overflow_error("too many tables");
    return with_statistic(which, spectrum, tabulated, [&](const auto& statistic) {
        if (is_two_by_two(spectrum) && bound > most_enumerated_pairs)
            return two_by_two_probability(spectrum, statistic, check_cancelled);
        return TableEnumeration(spectrum, statistic, check_cancelled).run();
    });
}

}  // namespace chanceless
