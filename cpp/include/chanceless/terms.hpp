#pragma once

// A spectrum and the terms that scores are made of, each computed once, when it is first asked for.

#include <array>
#include <bitset>
#include <cstddef>
#include <optional>
#include <utility>

#include "chanceless/expected.hpp"
#include "chanceless/information.hpp"
#include "chanceless/pairwise.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/threads.hpp"

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
};
constexpr std::size_t n_terms = 11;
/// Bits 0 ... n_terms - 1 are the terms above, the last one is the expected information.
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
            break;
    }
    return pairwise_adjusted_mutual_information(s);
}

class MeasuredSpectrum {
  public:
    MeasuredSpectrum() = default;
    explicit MeasuredSpectrum(Spectrum spectrum) noexcept : spectrum_(std::move(spectrum)) {}

    [[nodiscard]] const Spectrum& spectrum() const noexcept { return spectrum_; }
    [[nodiscard]] TermSet known() const noexcept { return known_; }

    double term(Term term) {
        const auto place = static_cast<std::size_t>(term);
        if (!known_[place]) {
            values_[place] = compute(term, spectrum_);
            known_.set(place);
        }
        return values_[place];
    }

    const ExpectedInformation& expected(const Pause& pause) {
        if (!known_[expected_bit]) know_expected(compute_expected(pause));
        return expected_;
    }
    /// For callers that compute it in a place of their own, such as without a lock.
    [[nodiscard]] ExpectedInformation compute_expected(const Pause& pause) const {
        return expected_information(spectrum_.rows, spectrum_.columns, spectrum_.n_samples, pause);
    }
    void know_expected(const ExpectedInformation& expected) noexcept {
        expected_ = expected;
        known_.set(expected_bit);
    }

    void know(const TermSet& wanted, const Pause& pause) {
        for (std::size_t place = 0; place < n_terms; ++place) {
            if (wanted[place]) term(static_cast<Term>(place));
        }
        if (wanted[expected_bit]) expected(pause);
    }

    /// The same with rows and columns exchanged; what is known of one is known of the other.
    [[nodiscard]] MeasuredSpectrum transposed() const {
        MeasuredSpectrum result = *this;
        std::swap(result.spectrum_.rows, result.spectrum_.columns);
        for (std::size_t row_term = 0; row_term < static_cast<std::size_t>(Term::joint_entropy); row_term += 2) {
            std::swap(result.values_[row_term], result.values_[row_term + 1]);
            result.known_[row_term] = known_[row_term + 1];
            result.known_[row_term + 1] = known_[row_term];
        }
        return result;
    }

  private:
    Spectrum spectrum_;
    std::array<double, n_terms> values_{};
    ExpectedInformation expected_{};
    TermSet known_;
};

}  // namespace chanceless
