#pragma once

// Entropies and mutual information, in nats.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/int128.hpp"
#include "counting/spectrum.hpp"
#include "numbers/log_sum.hpp"

namespace chanceless::terms {

using base::int128, base::uint128;
using counting::CellGroup, counting::SizeGroup, counting::Spectrum;
using numbers::correctly_rounded, numbers::Log, numbers::LogTerm;

inline LogTerm x_log_x(const SizeGroup& group) noexcept {
    return {static_cast<int128>(uint128{group.size} * group.clusters), group.size};
}

inline LogTerm x_log_x(const CellGroup& group) noexcept {
    return {static_cast<int128>(uint128{group.count} * group.cells), group.count};
}

/// Adds factor * (sum of x log x over the groups). Terms stay in ascending order of their values, as groups are.
template <class Group>
void add_terms(std::vector<LogTerm>& terms, int factor, const std::vector<Group>& groups) {
    const auto n_before = static_cast<std::ptrdiff_t>(terms.size());
    terms.reserve(terms.size() + groups.size());
    for (const Group& group : groups) {
        const LogTerm term = x_log_x(group);
        terms.push_back({factor * term.weight, term.value});
    }
    std::inplace_merge(terms.begin(), terms.begin() + n_before, terms.end(),
                       [](const LogTerm& left, const LogTerm& right) { return left.value < right.value; });
}

/// Adds up terms of equal values, so that weights that cancel leave no trace.
inline void add_up_terms(std::vector<LogTerm>& terms) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size();) {
        LogTerm merged = terms[i];
        for (++i; i < terms.size() && terms[i].value == merged.value; ++i) merged.weight += terms[i].weight;
        if (merged.weight != 0 && merged.value > 1) terms[kept++] = merged;
    }
    terms.resize(kept);
}

inline double mean_of_terms(std::vector<LogTerm>& terms, std::uint64_t n_samples) {
    add_up_terms(terms);
    return correctly_rounded<Log>(terms, n_samples, 1);
}

/// The mean, over samples, of the logarithm of the size of its cluster or cell: (sum of a log a) / n.
template <class Group>
double mean_log(const std::vector<Group>& groups, std::uint64_t n_samples) {
    std::vector<LogTerm> terms;
    add_terms(terms, 1, groups);
    return mean_of_terms(terms, n_samples);
}

/// H = (n log n - sum of a log a) / n.
template <class Group>
double entropy(const std::vector<Group>& groups, std::uint64_t n_samples) {
    std::vector<LogTerm> terms{{static_cast<int128>(n_samples), n_samples}};
    add_terms(terms, -1, groups);
    return mean_of_terms(terms, n_samples);
}

/// I = (n log n + sum of x log x - sum of a log a - sum of b log b) / n.
inline double mutual_information(const Spectrum& spectrum) {
    std::vector<LogTerm> terms{{static_cast<int128>(spectrum.n_samples), spectrum.n_samples}};
    add_terms(terms, 1, spectrum.cells);
    add_terms(terms, -1, spectrum.rows);
    add_terms(terms, -1, spectrum.columns);
    return mean_of_terms(terms, spectrum.n_samples);
}

/// H(A|B) + H(B|A) = (sum of a log a + sum of b log b - 2 sum of x log x) / n.
inline double variation_of_information(const Spectrum& spectrum) {
    std::vector<LogTerm> terms;
    add_terms(terms, 1, spectrum.rows);
    add_terms(terms, 1, spectrum.columns);
    add_terms(terms, -2, spectrum.cells);
    return mean_of_terms(terms, spectrum.n_samples);
}

}  // namespace chanceless::terms
