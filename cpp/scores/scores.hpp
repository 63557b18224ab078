#pragma once

// Every score as a formula: terms in, a double out. The formulas, all means and all 0 / 0 are in scores.cpp.
//
// Identical partitions score 1.0, trivial ones (one cluster; all singletons; no samples) too. Any other 0 / 0 is 0.0.

#include <string_view>

#include "scores/measured_spectrum.hpp"
#include "terms/sample_pairs.hpp"

namespace chanceless::scores {

using chance::ExpectedInformation;
using terms::PairsOfSamples;

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
    pair_precision,
    pair_recall,
    pair_f,
    adapted_rand_error,
};
inline constexpr std::array<std::string_view, 17> score_names{
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
    "pair_precision",
    "pair_recall",
    "pair_f",
    "adapted_rand_error",
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

/// What scores are made of: the terms of a spectrum, or of two clusterings of many.
class Terms {
  public:
    Terms() = default;
    Terms(const Terms&) = delete;
    Terms& operator=(const Terms&) = delete;

    [[nodiscard]] virtual double term(Term which) const = 0;
    [[nodiscard]] virtual ExpectedInformation expected() const = 0;
    [[nodiscard]] virtual bool is_identical() const noexcept = 0;
    [[nodiscard]] virtual PairsOfSamples pairs() const noexcept = 0;

  protected:
    ~Terms() = default;
};

/// The terms of a spectrum.
class SpectrumTerms final : public Terms {
  public:
    SpectrumTerms(const MeasuredSpectrum& measured, const CancellationCheck& check_cancelled) noexcept
        : measured_(measured), check_cancelled_(check_cancelled) {}

    [[nodiscard]] double term(Term which) const override { return measured_.term(which); }
    [[nodiscard]] ExpectedInformation expected() const override { return measured_.expected(check_cancelled_); }
    [[nodiscard]] bool is_identical() const noexcept override { return counting::is_identical(measured_.spectrum()); }
    [[nodiscard]] PairsOfSamples pairs() const noexcept override {
        return terms::pairs_of_samples(measured_.spectrum());
    }

  private:
    const MeasuredSpectrum& measured_;
    const CancellationCheck& check_cancelled_;
};

/// The same with the two clusterings exchanged.
class MirroredTerms final : public Terms {
  public:
    explicit MirroredTerms(const Terms& terms) noexcept : terms_(terms) {}

    [[nodiscard]] double term(Term which) const override { return terms_.term(mirrored(which)); }
    [[nodiscard]] ExpectedInformation expected() const override { return terms_.expected(); }
    [[nodiscard]] bool is_identical() const noexcept override { return terms_.is_identical(); }
    [[nodiscard]] PairsOfSamples pairs() const noexcept override {
        const PairsOfSamples pairs = terms_.pairs();
        return {pairs.cells, pairs.columns, pairs.rows, pairs.all};
    }

  private:
    const Terms& terms_;
};

/// The mean of two entropies by any method but `none`.
double mean(double left, double right, Average average) noexcept;

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
BeyondChance beyond_chance(const Terms& terms);

/// mean(H(A), H(B)) - E[I] from the differences `rows` = H(A) - E[I] and `columns` = H(B) - E[I].
///
/// It is the mean of the differences, but not for the geometric mean: that of H and H' is their arithmetic mean less
/// (sqrt(H) - sqrt(H'))^2 / 2.
double mean_beyond_chance(const Terms& terms, double rows, double columns, Average average);

/// (1 + beta) h c / (beta h + c), with h = I / H(A) and c = I / H(B): I over a weighted mean of the entropies.
double v_measure(const Terms& terms, double beta);

/// Any score; `average` counts for those that have a mean.
double compute(Score score, const Terms& terms, Average average);

}  // namespace chanceless::scores
