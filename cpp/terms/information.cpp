#include "terms/information.hpp"

#include "terms/pairwise.hpp"

namespace chanceless::terms {

using counting::CellGroup;
using numbers::correctly_rounded, numbers::Log, numbers::LogTerm, numbers::ValueTimesLog;

namespace {

LogTerm x_log_x(const SizeGroup& group) noexcept {
    return {static_cast<int128>(uint128{group.size} * group.clusters), group.size};
}

LogTerm x_log_x(const CellGroup& group) noexcept {
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
void add_up_terms(std::vector<LogTerm>& terms) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size();) {
        LogTerm merged = terms[i];
        for (++i; i < terms.size() && terms[i].value == merged.value; ++i) merged.weight += terms[i].weight;
        if (merged.weight != 0 && merged.value > 1) terms[kept++] = merged;
    }
    terms.resize(kept);
}

double mean_of_terms(std::vector<LogTerm>& terms, std::uint64_t n_samples) {
    add_up_terms(terms);
    return correctly_rounded<Log>(terms, n_samples, 1);
}

}  // namespace

template <class Group>
double mean_log(const std::vector<Group>& groups, std::uint64_t n_samples) {
    std::vector<LogTerm> terms;
    add_terms(terms, 1, groups);
    return mean_of_terms(terms, n_samples);
}

template <class Group>
double entropy(const std::vector<Group>& groups, std::uint64_t n_samples) {
    std::vector<LogTerm> terms{{static_cast<int128>(n_samples), n_samples}};
    add_terms(terms, -1, groups);
    return mean_of_terms(terms, n_samples);
}

double mutual_information(const Spectrum& spectrum) {
    std::vector<LogTerm> terms{{static_cast<int128>(spectrum.n_samples), spectrum.n_samples}};
    add_terms(terms, 1, spectrum.cells);
    add_terms(terms, -1, spectrum.rows);
    add_terms(terms, -1, spectrum.columns);
    return mean_of_terms(terms, spectrum.n_samples);
}

double independent_log_count(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns,
                             std::uint64_t n_samples) {
    std::vector<LogTerm> terms{{-static_cast<int128>(n_samples), n_samples}};
    add_terms(terms, 1, rows);
    add_terms(terms, 1, columns);
    return mean_of_terms(terms, n_samples);
}

double variation_of_information(const Spectrum& spectrum) {
    std::vector<LogTerm> terms;
    add_terms(terms, 1, spectrum.rows);
    add_terms(terms, 1, spectrum.columns);
    add_terms(terms, -2, spectrum.cells);
    return mean_of_terms(terms, spectrum.n_samples);
}

template double mean_log(const std::vector<SizeGroup>&, std::uint64_t);
template double mean_log(const std::vector<CellGroup>&, std::uint64_t);
template double entropy(const std::vector<SizeGroup>&, std::uint64_t);
template double entropy(const std::vector<CellGroup>&, std::uint64_t);

namespace {

/// A sum of weight * D(x), with D(x) = x log x - (x - 1) log(x - 1), as a sum of weight * x log x.
///
/// Weights of D(x) and of D(x + 1) meet at x log x, which is computed once. The losses add up to n^2 at most, the gains
/// do: weights of x log x stay below 4 n^2 <= 2^108, and the whole sum below 4 n^2 (1 + log n) < 2^114.
class StepSum {
  public:
    /// For so many different x.
    explicit StepSum(std::size_t n_steps) { terms_.reserve(2 * n_steps); }

    /// Adds weight * D(x); x must not descend.
    void add(int128 weight, std::uint64_t x) {
        if (x != x_) finish_step();
        x_ = x;
        weight_ += weight;
    }

    /// (2 / n^3) times the sum.
    [[nodiscard]] double mean(std::uint64_t n_samples) {
        finish_step();
        std::erase_if(terms_, [](const LogTerm& term) { return term.weight == 0 || term.value <= 1; });
        return correctly_rounded<ValueTimesLog>(terms_, n_samples, 3);
    }

  private:
    void finish_step() {
        add_term(-2 * weight_, x_ - 1);
        add_term(2 * weight_, x_);
        weight_ = 0;
    }

    void add_term(int128 weight, std::uint64_t value) {
        if (terms_.empty() || terms_.back().value != value) terms_.push_back({0, value});
        terms_.back().weight += weight;
    }

    std::vector<LogTerm> terms_;
    int128 weight_ = 0;
    std::uint64_t x_ = 1;  // D(1) = 0
};

}  // namespace

double pairwise_adjusted_mutual_information(const Spectrum& spectrum) {
    StepSum sum(2 * spectrum.cells.size());
    for (const CellGroup& group : spectrum.cells) {
        sum.add(losses(group, spectrum.n_samples), group.count);
        sum.add(-gains(group), group.count + 1);
    }
    return sum.mean(spectrum.n_samples);
}

double pairwise_adjusted_entropy(const std::vector<SizeGroup>& groups, std::uint64_t n_samples) {
    StepSum sum(groups.size());
    for (const SizeGroup& group : groups) {
        sum.add(static_cast<int128>(uint128{group.clusters} * group.size * (n_samples - group.size)), group.size);
    }
    return sum.mean(n_samples);
}

}  // namespace chanceless::terms
