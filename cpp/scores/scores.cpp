#include "scores/scores.hpp"

#include "numbers/exact_ratio.hpp"

namespace chanceless::scores {

using numbers::product, numbers::ratio, numbers::whole, numbers::Whole;

double mean(double left, double right, Average average) noexcept {
    switch (average) {
        case Average::geometric: return std::sqrt(left * right);
        case Average::min: return std::min(left, right);
        case Average::max: return std::max(left, right);
        case Average::reference: return left;
        default: return (left + right) / 2;
    }
}

namespace {

/// The part of an entropy that is explained. At most 1 (proved for each pair of terms that is passed here); rounding
/// may add one unit in the last place.
double share(double information, double entropy, double if_zero) noexcept {
    return entropy > 0.0 ? std::min(information / entropy, 1.0) : if_zero;
}

}  // namespace

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

namespace {

/// I - E[I] over mean(H(A), H(B)) - E[I].
double adjusted_mutual_info(const Terms& terms, Average average) {
    if (average != Average::none && terms.is_identical()) return 1.0;
    const BeyondChance beyond = beyond_chance(terms);
    if (average == Average::none) return beyond.information;
    return share(beyond.information, mean_beyond_chance(terms, beyond.rows, beyond.columns, average), 0.0);
}

/// s_p(A, B) over the mean of s_p(A, A) and s_p(B, B).
double pairwise_adjusted_mutual_info(const Terms& terms, Average average) {
    if (average != Average::none && terms.is_identical()) return 1.0;
    const double information = terms.term(Term::pairwise_adjusted_mutual_information);
    if (average == Average::none) return information;
    const double rows = terms.term(Term::pairwise_adjusted_row_entropy);
    const double columns = terms.term(Term::pairwise_adjusted_column_entropy);
    return share(information, mean(rows, columns, average), 0.0);
}

/// I over the mean of H(A) and H(B).
double normalized_mutual_info(const Terms& terms, Average average) {
    if (average != Average::none && terms.is_identical()) return 1.0;
    const double information = terms.term(Term::mutual_information);
    if (average == Average::none) return information;
    return share(information, mean(terms.term(Term::row_entropy), terms.term(Term::column_entropy), average), 0.0);
}

/// The pairs that are together in both or apart in both, over all pairs.
double rand(const Terms& terms) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    return ratio(whole(pairs.all + 2 * pairs.cells - pairs.rows - pairs.columns), whole(pairs.all));
}

/// cells - rows columns / pairs over (rows + columns) / 2 - rows columns / pairs, as whole numbers.
double adjusted_rand(const Terms& terms) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    const Whole by_chance = product(pairs.rows, pairs.columns);
    const Whole numerator = product(pairs.cells, pairs.all) - by_chance;
    const Whole denominator = product(pairs.rows + pairs.columns, pairs.all) - by_chance - by_chance;
    return ratio(numerator + numerator, denominator);
}

/// The pairs together in both over the geometric mean of the pairs together in each.
double fowlkes_mallows(const Terms& terms) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    if (pairs.cells == 0) return 0.0;
    return std::sqrt(ratio(product(pairs.cells, pairs.cells), product(pairs.rows, pairs.columns)));
}

/// The pairs together in both over those together in one clustering; 0 if there are none.
double shared_pairs(const Terms& terms, uint128 PairsOfSamples::* in_one) {
    if (terms.is_identical()) return 1.0;
    const PairsOfSamples pairs = terms.pairs();
    return pairs.*in_one == 0 ? 0.0 : ratio(whole(pairs.cells), whole(pairs.*in_one));
}

/// The pairs together in both, or in one only, as a share of the pairs together in each, those of both added up.
double pair_f(const Terms& terms, bool of_error) {
    if (terms.is_identical()) return of_error ? 0.0 : 1.0;
    const PairsOfSamples pairs = terms.pairs();
    const uint128 sum = pairs.rows + pairs.columns;
    return ratio(whole(of_error ? sum - 2 * pairs.cells : 2 * pairs.cells), whole(sum));
}

}  // namespace

double v_measure(const Terms& terms, double beta) {
    if (terms.is_identical()) return 1.0;
    const double weight = 1.0 / (1.0 + beta);
    const double entropy = weight * terms.term(Term::row_entropy) + (1.0 - weight) * terms.term(Term::column_entropy);
    return share(terms.term(Term::mutual_information), entropy, 1.0);
}

double compute(Score score, const Terms& terms, Average average) {
    switch (score) {
        case Score::adjusted_mutual_info: return adjusted_mutual_info(terms, average);
        case Score::pairwise_adjusted_mutual_info: return pairwise_adjusted_mutual_info(terms, average);
        case Score::adjusted_rand: return adjusted_rand(terms);
        case Score::normalized_mutual_info: return normalized_mutual_info(terms, average);
        case Score::homogeneity: return share(terms.term(Term::mutual_information), terms.term(Term::row_entropy), 1.0);
        case Score::completeness:
            return share(terms.term(Term::mutual_information), terms.term(Term::column_entropy), 1.0);
        case Score::v_measure: return v_measure(terms, 1.0);
        case Score::rand: return rand(terms);
        case Score::fowlkes_mallows: return fowlkes_mallows(terms);
        case Score::mutual_info: return terms.term(Term::mutual_information);
        case Score::variation_of_information: return terms.term(Term::variation_of_information);
        case Score::adjusted_mutual_info_nats: return adjusted_mutual_info(terms, Average::none);
        case Score::pairwise_adjusted_mutual_info_nats: return pairwise_adjusted_mutual_info(terms, Average::none);
        case Score::pair_precision: return shared_pairs(terms, &PairsOfSamples::columns);
        case Score::pair_recall: return shared_pairs(terms, &PairsOfSamples::rows);
        case Score::pair_f: return pair_f(terms, false);
        case Score::adapted_rand_error: return pair_f(terms, true);
    }
    throw std::invalid_argument("not a score");
}

}  // namespace chanceless::scores
