#pragma once

// Every score as a formula: terms in, a double out. All means and all 0 / 0 are decided here.
//
// Identical partitions score 1.0, trivial ones (one cluster; all singletons; no samples) too. Any other 0 / 0 is 0.0.
//
// `Terms` have term(), expected(), is_identical() and pairs(): of a spectrum, or of two clusterings of many.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/cancellation.hpp"
#include "chance/expected.hpp"
#include "counting/spectrum.hpp"
#include "numbers/exact_ratio.hpp"
#include "scores/measured_spectrum.hpp"
#include "terms/sample_pairs.hpp"

namespace chanceless::scores {

using base::CancellationCheck;
using chance::ExpectedInformation;
using counting::is_identical;
using numbers::product, numbers::ratio, numbers::Whole, numbers::whole;
using terms::pairs_of_samples, terms::PairsOfSamples, terms::variation_of_information;

enum class Score : unsigned {
    adjusted_mutual_info,
    pairwise_adjusted_mutual_info,
    adjusted_rand,
    normalized_mutual_info,
    homogeneity,
    completeness,
    v_measure,
    rand,
    fowlkes_mallows,
    mutual_info,
    variation_of_information,
    adjusted_mutual_info_nats,
    pairwise_adjusted_mutual_info_nats,
};
inline constexpr std::array<std::string_view, 13> score_names{
    "adjusted_mutual_info",
    "pairwise_adjusted_mutual_info",
    "adjusted_rand",
    "normalized_mutual_info",
    "homogeneity",
    "completeness",
    "v_measure",
    "rand",
    "fowlkes_mallows",
    "mutual_info",
    "variation_of_information",
    "adjusted_mutual_info_nats",
    "pairwise_adjusted_mutual_info_nats",
};

/// How to average two entropies; `none` does not divide by them.
enum class Average : unsigned { arithmetic, geometric, min, max, reference, none };
inline constexpr std::array<std::string_view, 6> average_names{"arithmetic", "geometric", "min",
                                                               "max",        "reference", "none"};

/// The enumerator of a name.
template <class Named, std::size_t n>
std::optional<Named> find_name(const std::array<std::string_view, n>& names, std::string_view name) noexcept {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Named>(found - names.begin());
}

/// The terms of a spectrum.
struct SpectrumTerms {
    const MeasuredSpectrum& measured;
    const CancellationCheck& check_cancelled;

    [[nodiscard]] double term(Term which) const { return measured.term(which); }
    [[nodiscard]] ExpectedInformation expected() const { return measured.expected(check_cancelled); }
    [[nodiscard]] bool is_identical() const noexcept { return counting::is_identical(measured.spectrum()); }
    [[nodiscard]] PairsOfSamples pairs() const noexcept { return pairs_of_samples(measured.spectrum()); }
};

/// The same with the two clusterings exchanged.
template <class Terms>
struct Mirrored {
    const Terms& terms;

    [[nodiscard]] double term(Term which) const { return terms.term(mirrored(which)); }
    [[nodiscard]] ExpectedInformation expected() const { return terms.expected(); }
    [[nodiscard]] bool is_identical() const noexcept { return terms.is_identical(); }
    [[nodiscard]] PairsOfSamples pairs() const noexcept {
        const PairsOfSamples pairs = terms.pairs();
        return {pairs.cells, pairs.columns, pairs.rows, pairs.all};
    }
};
template <class Terms>
Mirrored(const Terms&) -> Mirrored<Terms>;

/// The mean of two entropies by any method but `none`.
inline double mean(double left, double right, Average average) noexcept {
    switch (average) {
        case Average::geometric:
            return std::sqrt(left * right);
        case Average::min:
            return std::min(left, right);
        case Average::max:
            return std::max(left, right);
        case Average::reference:
            return left;
        default:
            return (left + right) / 2;
    }
}

/// The part of an entropy that is explained. At most 1 (proved for each pair of terms that is passed here); rounding
/// may add one unit in the last place.
inline double share(double information, double entropy, double if_zero) noexcept {
    return entropy > 0.0 ? std::min(information / entropy, 1.0) : if_zero;
}

/// I - E[I], H(A) - E[I] and H(B) - E[I], and a bound on the error of each.
struct BeyondChance {
    double information;
    double rows;
    double columns;
    double error;
};

/// Differences of the smallest possible numbers. With mean logarithms over samples,
/// I = log n + <log x> - <log a> - <log b>. A permutation changes <log x> only, so that I - E[I] = <log x> - E<log x>,
/// H(A) - E[I] = <log b> - E<log x>, H(B) - E[I] = <log a> - E<log x>: small numbers where clusters are small, and E[I]
/// is not.
template <class Terms>
BeyondChance beyond_chance(const Terms& terms) {
    const ExpectedInformation expected = terms.expected();
    const bool by_entropies = expected.information <= expected.log_count;
    const double chance = by_entropies ? expected.information : expected.log_count;
    const double total = terms.term(by_entropies ? Term::mutual_information : Term::mean_log_count);
    const double rows = terms.term(by_entropies ? Term::row_entropy : Term::mean_log_column_size);
    const double columns = terms.term(by_entropies ? Term::column_entropy : Term::mean_log_row_size);
    double information = total - chance;
    // Some tables are the same under every permutation (one sample apart from the others, against equal sizes): a
    // difference within the error is zero, not a rounding error with a sign.
    if (std::fabs(information) <= expected.error + 0x1p-52 * std::max(total, chance)) information = 0.0;
    const double largest = std::max({total, rows, columns, chance});
    return {information, rows - chance, columns - chance, expected.error + 0x1p-52 * largest};
}

/// mean(H(A), H(B)) - E[I] from the differences `rows` = H(A) - E[I] and `columns` = H(B) - E[I].
///
/// It is the mean of the differences, but not for the geometric mean: that of H and H' is their arithmetic mean less
/// (sqrt(H) - sqrt(H'))^2 / 2.
template <class Terms>
double mean_beyond_chance(const Terms& terms, double rows, double columns, Average average) {
    if (average != Average::geometric) return mean(rows, columns, average);
    const double row_entropy = terms.term(Term::row_entropy);
    const double column_entropy = terms.term(Term::column_entropy);
    if (std::min(row_entropy, column_entropy) == 0.0) return 0.0;  // one cluster: E[I] is 0 as well
    const double roots = std::sqrt(row_entropy) + std::sqrt(column_entropy);
    // The library's power: a compiler that knew the exponent would multiply, which rounds differently now and then.
    const volatile double two = 2.0;
    return (rows + columns) / 2 - std::pow((rows - columns) / roots, two) / 2;
}

/// I - E[I] over mean(H(A), H(B)) - E[I].
template <class Terms>
double adjusted_mutual_info(const Terms& terms, Average average) {
    if (average != Average::none && terms.is_identical()) return 1.0;
    const BeyondChance beyond = beyond_chance(terms);
    if (average == Average::none) return beyond.information;
    return share(beyond.information, mean_beyond_chance(terms, beyond.rows, beyond.columns, average), 0.0);
}

/// s_p(A, B) over the mean of s_p(A, A) and s_p(B, B).
template <class Terms>
double pairwise_adjusted_mutual_info(const Terms& terms, Average average) {
    if (average != Average::none && terms.is_identical()) return 1.0;
    const double information = terms.term(Term::pairwise_adjusted_mutual_information);
    if (average == Average::none) return information;
    const double rows = terms.term(Term::pairwise_adjusted_row_entropy);
    const double columns = terms.term(Term::pairwise_adjusted_column_entropy);
    return share(information, mean(rows, columns, average), 0.0);
}

/// I over the mean of H(A) and H(B).
template <class Terms>
double normalized_mutual_info(const Terms& terms, Average average) {
    if (average != Average::none && terms.is_identical()) return 1.0;
    const double information = terms.term(Term::mutual_information);
    if (average == Average::none) return information;
    return share(information, mean(terms.term(Term::row_entropy), terms.term(Term::column_entropy), average), 0.0);
}

/// (1 + beta) h c / (beta h + c), with h = I / H(A) and c = I / H(B): I over a weighted mean of the entropies.
template <class Terms>
double v_measure(const Terms& terms, double beta) {
    if (terms.is_identical()) return 1.0;
    const double weight = 1.0 / (1.0 + beta);
    const double entropy = weight * terms.term(Term::row_entropy) + (1.0 - weight) * terms.term(Term::column_entropy);
    return share(terms.term(Term::mutual_information), entropy, 1.0);
}

/// The pairs that are together in both or apart in both, over all pairs.
template <class Terms>
double rand(const Terms& terms) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    return ratio(whole(pairs.all + 2 * pairs.cells - pairs.rows - pairs.columns), whole(pairs.all));
}

/// cells - rows columns / pairs over (rows + columns) / 2 - rows columns / pairs, as whole numbers.
template <class Terms>
double adjusted_rand(const Terms& terms) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    const Whole by_chance = product(pairs.rows, pairs.columns);
    const Whole numerator = product(pairs.cells, pairs.all) - by_chance;
    const Whole denominator = product(pairs.rows + pairs.columns, pairs.all) - by_chance - by_chance;
    return ratio(numerator + numerator, denominator);
}

/// The pairs together in both over the geometric mean of the pairs together in each.
template <class Terms>
double fowlkes_mallows(const Terms& terms) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    if (pairs.cells == 0) return 0.0;
    return std::sqrt(ratio(product(pairs.cells, pairs.cells), product(pairs.rows, pairs.columns)));
}

/// Any score; `average` counts for those that have a mean.
template <class Terms>
double compute(Score score, const Terms& terms, Average average) {
    switch (score) {
        case Score::adjusted_mutual_info:
            return adjusted_mutual_info(terms, average);
        case Score::pairwise_adjusted_mutual_info:
            return pairwise_adjusted_mutual_info(terms, average);
        case Score::adjusted_rand:
            return adjusted_rand(terms);
        case Score::normalized_mutual_info:
            return normalized_mutual_info(terms, average);
        case Score::homogeneity:
            return share(terms.term(Term::mutual_information), terms.term(Term::row_entropy), 1.0);
        case Score::completeness:
            return share(terms.term(Term::mutual_information), terms.term(Term::column_entropy), 1.0);
        case Score::v_measure:
            return v_measure(terms, 1.0);
        case Score::rand:
            return rand(terms);
        case Score::fowlkes_mallows:
            return fowlkes_mallows(terms);
        case Score::mutual_info:
            return terms.term(Term::mutual_information);
        case Score::variation_of_information:
            return terms.term(Term::variation_of_information);
        case Score::adjusted_mutual_info_nats:
            return adjusted_mutual_info(terms, Average::none);
        case Score::pairwise_adjusted_mutual_info_nats:
            return pairwise_adjusted_mutual_info(terms, Average::none);
    }
    throw std::invalid_argument("not a score");
}

}  // namespace chanceless::scores
