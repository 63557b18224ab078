#pragma once

// Many cluster sizes -> few sizes with weights, which replace all of them in a sum over sizes.
//
// Let f(a) be a sum of h(a, b) over some b. For large n, h depends on the mean alone, and
//
//     h(mu) + mu log mu = mu * integral over v from 0 to 1 of (1 - exp(-mu v)) / -log(1 - v)
//
// is tame wherever Re mu > 0, and not beyond. So f is seen as a function of the odds a / (n - a), and those in
// the right half plane are mapped to the unit disc, t = (odds - centre) / (odds + centre). Odds that differ by a
// factor of 4 at most, around the centre, lie within [-1/3, 1/3]; there, interpolation at Chebyshev points in t
// gains a factor of 3 + sqrt(8) with each node, whatever b and n are. This is what the formula leads to expect
// and what is measured, not proved. (In the logarithm of the size, which comes to mind first, the gain depends
// on b, and 20 nodes may miss by 8e-15.)
//
// So a stretch of many sizes may be exchanged for a few nodes: sum of clusters_i f(a_i) = sum of w_p f(a_p),
// w_p = sum of clusters_i l_p(a_i), with l_p the Lagrange polynomials in t. The nodes are whole numbers, since
// h is known for no others.
//
// Where f grows like a power of the size (small clusters: h like a log a, E[C log C] like a^2), that power is
// taken out before interpolation. It costs nothing, and gains two digits for the square.

#include "chance/hypergeometric.hpp"
#include "counting/spectrum.hpp"

namespace chanceless::chance {

using counting::SizeGroup;

struct WeightedSize {
    Amount amount;
    double weight;
    double weight_error;
    std::uint32_t number = 0;  // of the size, where sizes are numbered
};

/// A run of nodes that replaces a stretch of sizes. Where f has the values f_p at its nodes, interpolation
/// misses about reach * |sum of difference_p f_p|: a divided difference of f in t, times the node polynomial,
/// summed over the clusters. The differences of the highest orders that the nodes allow: all nodes, all but the
/// last, all but the ends. One of them might be zero by chance.
struct Stretch {
    std::size_t first;
    std::array<std::vector<double>, 3> differences;
    double reach;
};

struct SizeNodes {
    std::vector<WeightedSize> sizes;
    std::vector<Stretch> stretches;
};

void keep(std::span<const SizeGroup> groups, SizeNodes& result);

/// Nodes for sizes in ascending order, good for functions that grow like the size to the power of `growth`, at most.
/// Where nodes would save little, the sizes stay as they are.
SizeNodes nodes_of(std::span<const SizeGroup> groups, std::uint64_t n_samples, int growth,
                   const CancellationCheck& check_cancelled);

}  // namespace chanceless::chance
