#pragma once

// Entropies and mutual information, in nats.

#include "counting/spectrum.hpp"
#include "numbers/log_sum.hpp"

namespace chanceless::terms {

using counting::SizeGroup, counting::Spectrum;

/// The mean, over samples, of the logarithm of the size of its cluster or cell: (sum of a log a) / n.
template <class Group>
double mean_log(const std::vector<Group>& groups, std::uint64_t n_samples);

/// H = (n log n - sum of a log a) / n.
template <class Group>
double entropy(const std::vector<Group>& groups, std::uint64_t n_samples);

/// I = (n log n + sum of x log x - sum of a log a - sum of b log b) / n.
double mutual_information(const Spectrum& spectrum);

/// L / n = log n - H(A) - H(B), the mean logarithm of the counts that independent clusterings would have.
double independent_log_count(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                             std::uint64_t n_samples);

/// H(A|B) + H(B|A) = (sum of a log a + sum of b log b - 2 sum of x log x) / n.
double variation_of_information(const Spectrum& spectrum);

}  // namespace chanceless::terms
