#pragma once

// A spectrum and the terms that scores are made of, each computed once and cached.

#include <atomic>
#include <bitset>

#include "chance/variance.hpp"
#include "terms/pairwise.hpp"

namespace chanceless::scores {

using chance::expected_information, chance::ExpectedInformation, chance::information_variance,
    chance::InformationVariance;
using counting::Spectrum;
using terms::mutual_information, terms::pairwise_adjusted_mutual_information, terms::variation_of_information;

enum class Term : unsigned {
    // First those of rows and of columns, by turns.
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

/// The term that a term becomes when rows and columns change places.
constexpr Term mirrored(Term term) noexcept {
    return term < Term::joint_entropy ? static_cast<Term>(place_of(term) ^ 1U) : term;
}

/// A bit for each term, one for the expected information, and one for the variance.
constexpr std::size_t expected_bit = n_terms;
constexpr std::size_t variance_bit = n_terms + 1;
using TermSet = std::bitset<n_terms + 2>;

double compute(Term term, const Spectrum& s);

/// Numbers that are computed on demand and kept, by several threads at once. All threads compute the same number, so
/// that none waits for another: the last one that stores it changes nothing.
template <std::size_t n_numbers>
class NumberCache {
  public:
    using Known = std::bitset<32>;

    NumberCache() noexcept = default;
    NumberCache(const NumberCache& other) noexcept { *this = other; }
    NumberCache& operator=(const NumberCache& other) noexcept {
        const std::uint32_t known = other.known_.load(std::memory_order_acquire);
        for (std::size_t place = 0; place < n_numbers; ++place) {
            numbers_[place].store(other.at(place), std::memory_order_relaxed);
        }
        known_.store(known, std::memory_order_release);
        return *this;
    }
    ~NumberCache() = default;

    [[nodiscard]] Known known() const noexcept { return Known(known_.load(std::memory_order_acquire)); }
    [[nodiscard]] double at(std::size_t place) const noexcept {
        return numbers_[place].load(std::memory_order_relaxed);
    }

    /// Stores numbers at successive places; each thread that sees the bit sees all of them.
    template <class... Numbers>
    void store(std::size_t bit, std::size_t place, Numbers... numbers) noexcept {
        std::size_t next = place;
        (numbers_[next++].store(numbers, std::memory_order_relaxed), ...);
        known_.fetch_or(std::uint32_t{1} << bit, std::memory_order_release);
    }

  private:
    std::array<std::atomic<double>, n_numbers> numbers_{};
    std::atomic<std::uint32_t> known_{0};
};

/// A spectrum with a cache of its terms. Threads may share it, except while it is assigned to or moved from.
class MeasuredSpectrum {
  public:
    MeasuredSpectrum() = default;
    explicit MeasuredSpectrum(Spectrum spectrum) noexcept : spectrum_(std::move(spectrum)) {}

    [[nodiscard]] const Spectrum& spectrum() const noexcept { return spectrum_; }
    [[nodiscard]] TermSet cached() const noexcept { return TermSet(cache_.known().to_ulong()); }

    double term(Term term) const {
        const std::size_t place = place_of(term);
        if (!cache_.known()[place]) cache_.store(place, place, compute(term, spectrum_));
        return cache_.at(place);
    }

    ExpectedInformation expected(const CancellationCheck& check_cancelled) const;
    /// Computes without the cache.
    [[nodiscard]] ExpectedInformation compute_expected(const CancellationCheck& check_cancelled) const {
        return expected_information(spectrum_.rows, spectrum_.columns, spectrum_.n_samples, check_cancelled);
    }
    void cache_expected(const ExpectedInformation& expected) const noexcept {
        cache_.store(expected_bit, expected_place, expected.information, expected.log_count, expected.error,
                     expected.interpolated ? 1.0 : 0.0);
    }

    InformationVariance variance(const CancellationCheck& check_cancelled) const;
    void cache_variance(const InformationVariance& variance) const noexcept {
        cache_.store(variance_bit, variance_place, variance.information, variance.pairwise, variance.covariance,
                     variance.error);
    }

    void cache(const TermSet& wanted, const CancellationCheck& check_cancelled) const;

    /// Copy with rows and columns exchanged, cached terms included.
    [[nodiscard]] MeasuredSpectrum transposed() const;

  private:
    static constexpr std::size_t expected_place = n_terms;
    static constexpr std::size_t variance_place = n_terms + 4;

    Spectrum spectrum_;
    mutable NumberCache<variance_place + 4> cache_;
};

}  // namespace chanceless::scores
