#include "scores/measured_spectrum.hpp"

namespace chanceless::scores {

using terms::entropy, terms::mean_log, terms::pairwise_adjusted_entropy;

double compute(Term term, const Spectrum& s) {
    switch (term) {
        case Term::row_entropy: return entropy(s.rows, s.n_samples);
        case Term::column_entropy: return entropy(s.columns, s.n_samples);
        case Term::mean_log_row_size: return mean_log(s.rows, s.n_samples);
        case Term::mean_log_column_size: return mean_log(s.columns, s.n_samples);
        case Term::pairwise_adjusted_row_entropy: return pairwise_adjusted_entropy(s.rows, s.n_samples);
        case Term::pairwise_adjusted_column_entropy: return pairwise_adjusted_entropy(s.columns, s.n_samples);
        case Term::joint_entropy: return entropy(s.cells, s.n_samples);
        case Term::mean_log_count: return mean_log(s.cells, s.n_samples);
        case Term::mutual_information: return mutual_information(s);
        case Term::variation_of_information: return variation_of_information(s);
        case Term::pairwise_adjusted_mutual_information: return pairwise_adjusted_mutual_information(s);
        case Term::n_terms: break;
    }
    throw std::invalid_argument("not a term");
}

ExpectedInformation MeasuredSpectrum::expected(const CancellationCheck& check_cancelled) const {
    if (!cache_.known()[expected_bit]) cache_expected(compute_expected(check_cancelled));
    return {cache_.at(expected_place), cache_.at(expected_place + 1), cache_.at(expected_place + 2),
            cache_.at(expected_place + 3) != 0.0};
}

InformationVariance MeasuredSpectrum::variance(const CancellationCheck& check_cancelled) const {
    if (!cache_.known()[variance_bit]) {
        cache_variance(information_variance(spectrum_.rows, spectrum_.columns, spectrum_.n_samples, check_cancelled));
    }
    return {cache_.at(variance_place), cache_.at(variance_place + 1), cache_.at(variance_place + 2),
            cache_.at(variance_place + 3)};
}

void MeasuredSpectrum::cache(const TermSet& wanted, const CancellationCheck& check_cancelled) const {
    for (std::size_t place = 0; place < n_terms; ++place) {
        if (wanted[place]) term(static_cast<Term>(place));
    }
    if (wanted[expected_bit]) expected(check_cancelled);
    if (wanted[variance_bit]) variance(check_cancelled);
}

MeasuredSpectrum MeasuredSpectrum::transposed() const {
    const TermSet known = cached();
    MeasuredSpectrum result({spectrum_.columns, spectrum_.rows, spectrum_.cells, spectrum_.n_samples,
                             spectrum_.column_overlaps, spectrum_.row_overlaps});
    for (std::size_t place = 0; place < n_terms; ++place) {
        if (!known[place]) continue;
        const std::size_t mirror = place_of(mirrored(static_cast<Term>(place)));
        result.cache_.store(mirror, mirror, cache_.at(place));
    }
    if (known[expected_bit]) result.cache_expected(expected(never_cancelled));
    if (known[variance_bit]) result.cache_variance(variance(never_cancelled));
    return result;
}

}  // namespace chanceless::scores
