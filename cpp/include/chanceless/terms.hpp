#pragma once

// A spectrum and the terms that scores are made of, each computed once and cached.

#include <array>
#include <bitset>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "chanceless/cancellation.hpp"
#include "chanceless/expected.hpp"
#include "chanceless/information.hpp"
#include "chanceless/pairwise.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

enum class Term : unsigned {
    row_entropy,
    column_entropy,
    mean_log_row_size,
    mean_log_column_size,
    pairwise_adjusted_row_entropy,
    pairwise_adjusted_column_entropy,
    joint_entropy,
    mean_log_count,
    mutual_information,
    variation_of_information,
    pairwise_adjusted_mutual_information,
    n_terms,  // not a term: the number of terms
};
constexpr std::size_t place_of(Term term) noexcept { return static_cast<std::size_t>(term); }
constexpr std::size_t n_terms = place_of(Term::n_terms);

/// Terms that change places when rows and columns do; all others are symmetric.
inline constexpr std::array<std::pair<Term, Term>, 3> transposed_terms{{
    {Term::row_entropy, Term::column_entropy},
    {Term::mean_log_row_size, Term::mean_log_column_size},
    {Term::pairwise_adjusted_row_entropy, Term::pairwise_adjusted_column_entropy},
}};

/// A bit for each term, the last one for the expected information.
using TermSet = std::bitset<n_terms + 1>;
constexpr std::size_t expected_bit = n_terms;

inline double compute(Term term, const Spectrum& s) {
    switch (term) {
        case Term::row_entropy:
            return entropy(s.rows, s.n_samples);
        case Term::column_entropy:
            return entropy(s.columns, s.n_samples);
        case Term::mean_log_row_size:
            return mean_log(s.rows, s.n_samples);
        case Term::mean_log_column_size:
            return mean_log(s.columns, s.n_samples);
        case Term::pairwise_adjusted_row_entropy:
            return pairwise_adjusted_entropy(s.rows, s.n_samples);
        case Term::pairwise_adjusted_column_entropy:
            return pairwise_adjusted_entropy(s.columns, s.n_samples);
        case Term::joint_entropy:
            return entropy(s.cells, s.n_samples);
        case Term::mean_log_count:
            return mean_log(s.cells, s.n_samples);
        case Term::mutual_information:
            return mutual_information(s);
        case Term::variation_of_information:
            return variation_of_information(s);
        case Term::pairwise_adjusted_mutual_information:
            return pairwise_adjusted_mutual_information(s);
        case Term::n_terms:
            break;
    }
    throw std::invalid_argument("not a term");
}

/// A spectrum with a cache of its terms. Not thread-safe: only const functions may be called concurrently.
class MeasuredSpectrum {
  public:
    MeasuredSpectrum() = default;
    explicit MeasuredSpectrum(Spectrum spectrum) noexcept : spectrum_(std::move(spectrum)) {}

    [[nodiscard]] const Spectrum& spectrum() const noexcept { return spectrum_; }
    [[nodiscard]] TermSet cached() const noexcept { return cached_; }

    double term(Term term) {
        const std::size_t place = place_of(term);
        if (!cached_[place]) {
            values_[place] = compute(term, spectrum_);
            cached_.set(place);
        }
        return values_[place];
    }

    const ExpectedInformation& expected(const CancellationCheck& check_cancelled) {
        if (!cached_[expected_bit]) cache_expected(compute_expected(check_cancelled));
        return expected_;
    }
    /// Computes without the cache, for callers that hold no lock meanwhile.
    [[nodiscard]] ExpectedInformation compute_expected(const CancellationCheck& check_cancelled) const {
        return expected_information(spectrum_.rows, spectrum_.columns, spectrum_.n_samples, check_cancelled);
    }
    void cache_expected(const ExpectedInformation& expected) noexcept {
        expected_ = expected;
        cached_.set(expected_bit);
    }

    void cache(const TermSet& wanted, const CancellationCheck& check_cancelled) {
        for (std::size_t place = 0; place < n_terms; ++place) {
            if (wanted[place]) term(static_cast<Term>(place));
        }
        if (wanted[expected_bit]) expected(check_cancelled);
    }

    /// Copy with rows and columns exchanged, cached terms included.
    [[nodiscard]] MeasuredSpectrum transposed() const {
        MeasuredSpectrum result = *this;
        std::swap(result.spectrum_.rows, result.spectrum_.columns);
        for (const auto& [row_term, column_term] : transposed_terms) {
            const std::size_t row_place = place_of(row_term);
            const std::size_t column_place = place_of(column_term);
            std::swap(result.values_[row_place], result.values_[column_place]);
            result.cached_[row_place] = cached_[column_place];
            result.cached_[column_place] = cached_[row_place];
        }
        return result;
    }

  private:
    Spectrum spectrum_;
    std::array<double, n_terms> values_{};
    ExpectedInformation expected_{};
    TermSet cached_;
};

}  // namespace chanceless
