#pragma once

// What a permutation test compares: three sums over the cells of a table, as integers.
//
//     information   sum of x log x: orders mutual information and every score that grows with it
//     pairs         sum of x (x - 1) / 2: orders the Rand family
//     pairwise      sum of x (n - a - b + x) D(x) - (a - x)(b - x) D(x + 1), which is n^3 / 2 times s_p (pairwise.hpp)
//
// x is the count of a cell, a and b are the sizes of its row and column; D(x) = x log x - (x - 1) log(x - 1). Empty
// cells add nothing. Random tables have the sizes of the observed one, so that all else in these scores is fixed.
//
// Ties are exact: the logarithm of a count is always the same integer, so that equal tables have equal sums, and
// `slack` bounds what rounding can do to two tables whose sums are equal for another reason ({4, 1, 1, 1, 1} and {2, 2,
// 2, 2} both have 8 log 2). A table counts as extreme if its sum is at least observed - slack. Sums that differ by less
// than slack and are not equal count as ties too: that can only enlarge p, and by no more than the probability of a
// difference below slack, which is less than 1e-7 standard deviations. Where few samples lie outside one huge cluster,
// this may be most of a small p: exact tests ask for more digits (`most_narrow`).

#include "base/compiler.hpp"
#include "chance/cumulants.hpp"
#include "terms/pairwise.hpp"
#include "terms/sample_pairs.hpp"

namespace chanceless::certainty {

using chance::Statistic;
using counting::CellGroup, counting::number_of_clusters, counting::Spectrum;
using numbers::Fixed, numbers::Log, numbers::LogStep;
using terms::gains, terms::losses, terms::pairs_within;

/// The largest count that a cell can have.
inline std::uint64_t largest_count(const Spectrum& spectrum) noexcept {
    if (spectrum.rows.empty() || spectrum.columns.empty()) return 0;
    return std::min(spectrum.rows.back().size, spectrum.columns.back().size);
}

/// The most cells that can be non-empty.
inline int128 most_cells(const Spectrum& spectrum) noexcept {
    const uint128 all = uint128{number_of_clusters(spectrum.rows)} * number_of_clusters(spectrum.columns);
    return static_cast<int128>(std::min<uint128>(all, spectrum.n_samples));
}

/// A function of counts: tabulated as far as wanted, computed beyond.
template <class Function>
class CountTable {
  public:
    using Value = decltype(Function::at(0));

    explicit CountTable(std::uint64_t size) {
        values_.reserve(size);
        for (std::uint64_t count = 0; count < size; ++count) values_.push_back(Function::at(count));
    }
    Value operator[](std::uint64_t count) const noexcept {
        if (count < values_.size()) [[likely]]
            return values_[count];
        return computed(count);
    }

  private:
    /// Not inline: loops over cells are to be short.
    CHANCELESS_NEVER_INLINE static Value computed(std::uint64_t count) noexcept { return Function::at(count); }

    std::vector<Value> values_;
};

/// x log x, rounded down to a multiple of 2^-64. Off by less than 2 units; sums stay below 2^59 * 2^64.
struct CountLogCount {
    static int128 at(std::uint64_t count) noexcept {
        if (count < 2) return 0;
        // The error of the logarithm, times the count, is below 2^-16 units.
        if (count < std::uint64_t{1} << 31) return units<2>(count);
        return units<3>(count);
    }

  private:
    template <std::size_t F>
    static int128 units(std::uint64_t count) noexcept {
        return (static_cast<int128>(count) * Log::at<F>(count)).in_units();
    }
};

class InformationStatistic {
  public:
    using Value = int128;

    InformationStatistic(const Spectrum& spectrum, std::uint64_t tabulated)
        : terms_(std::min(tabulated, largest_count(spectrum) + 1)), slack_(2 * most_cells(spectrum)) {}

    [[nodiscard]] Value cell(std::uint64_t count, std::uint64_t /*row_size*/,
                             std::uint64_t /*column_size*/) const noexcept {
        return terms_[count];
    }
    [[nodiscard]] Value observed(const Spectrum& spectrum) const noexcept {
        Value sum = 0;
        for (const CellGroup& group : spectrum.cells) sum += static_cast<int128>(group.cells) * terms_[group.count];
        return sum;
    }
    [[nodiscard]] Value slack() const noexcept { return slack_; }
    [[nodiscard]] static double to_double(Value value) noexcept { return std::ldexp(static_cast<double>(value), -64); }

  private:
    CountTable<CountLogCount> terms_;
    Value slack_;
};

class PairsStatistic {
  public:
    using Value = int128;

    PairsStatistic(const Spectrum& /*spectrum*/, std::uint64_t /*tabulated*/) noexcept {}

    [[nodiscard]] static Value cell(std::uint64_t count, std::uint64_t /*row_size*/,
                                    std::uint64_t /*column_size*/) noexcept {
        return static_cast<int128>((uint128{count} * (count - 1)) >> 1);
    }
    [[nodiscard]] static Value observed(const Spectrum& spectrum) noexcept {
        return static_cast<int128>(pairs_within(spectrum.cells));
    }
    [[nodiscard]] static Value slack() noexcept { return 0; }
    [[nodiscard]] static double to_double(Value value) noexcept { return static_cast<double>(value); }
};

/// D(x) in units of 2^-57, below 2^62 for counts up to 2^31; off by less than 2 units.
struct NarrowStep {
    using Value = int128;
    using Weight = std::int64_t;
    static constexpr std::uint64_t most_samples = std::uint64_t{1} << 31;

    static std::int64_t at(std::uint64_t count) noexcept {
        return static_cast<std::int64_t>(LogStep::at<2>(count).in_units() >> 7);
    }
    static Value slack(int128 squared) noexcept { return 8 * squared; }
    static double to_double(Value value) noexcept { return std::ldexp(static_cast<double>(value), -57); }
};

/// D(x) with 192 bits behind the point, for any count; off by less than 2^72 units.
struct WideStep {
    using Value = Fixed<3>;
    using Weight = int128;

    static Value at(std::uint64_t count) noexcept { return LogStep::at<3>(count); }
    static Value slack(int128 squared) noexcept { return squared * Value::power_of_two(74); }
    static double to_double(const Value& value) noexcept { return value.divided(1, 0); }
};

/// Losses and gains (pairwise.hpp) sum to n^2 at most, each: sums stay below 2^62 * 2^62 units of `NarrowStep`, and
/// those of two tables differ from the truth by 4 n^2 times the error of a step at most.
template <class Step>
class PairwiseStatistic {
  public:
    using Value = typename Step::Value;

    PairwiseStatistic(const Spectrum& spectrum, std::uint64_t tabulated)
        : n_samples_(spectrum.n_samples), steps_(std::min(tabulated, largest_count(spectrum) + 2)) {}

    [[nodiscard]] Value cell(std::uint64_t count, std::uint64_t row_size, std::uint64_t column_size) const noexcept {
        using Weight = typename Step::Weight;
        if (count == 0) return Value{};
        const auto x = static_cast<Weight>(count);
        const auto row_only = static_cast<Weight>(row_size - count);
        const auto column_only = static_cast<Weight>(column_size - count);
        const auto neither = static_cast<Weight>(n_samples_) - row_only - column_only - x;
        return Value(x * neither * Value(steps_[count])) - Value(row_only * column_only * Value(steps_[count + 1]));
    }
    [[nodiscard]] Value observed(const Spectrum& spectrum) const noexcept {
        Value sum{};
        for (const CellGroup& group : spectrum.cells) {
            sum += losses(group, n_samples_) * steps_[group.count];
            sum -= gains(group) * steps_[group.count + 1];
        }
        return sum;
    }
    [[nodiscard]] Value slack() const noexcept {
        return Step::slack(static_cast<int128>(uint128{n_samples_} * n_samples_));
    }
    [[nodiscard]] static double to_double(const Value& value) noexcept { return Step::to_double(value); }

  private:
    std::uint64_t n_samples_;
    CountTable<Step> steps_;
};

/// Calls work(statistic) with the class of a statistic; functions of counts below `tabulated` are tabulated, and more
/// than `most_narrow` samples have steps of more digits.
template <class Work>
auto with_statistic(Statistic which, const Spectrum& spectrum, std::uint64_t tabulated, const Work& work,
                    std::uint64_t most_narrow = NarrowStep::most_samples) {
    if (which == Statistic::information) return work(InformationStatistic(spectrum, tabulated));
    if (which == Statistic::pairs) return work(PairsStatistic(spectrum, tabulated));
    if (spectrum.n_samples <= most_narrow) return work(PairwiseStatistic<NarrowStep>(spectrum, tabulated));
    return work(PairwiseStatistic<WideStep>(spectrum, tabulated));
}

}  // namespace chanceless::certainty
