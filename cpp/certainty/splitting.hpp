#pragma once

// Permutation tests for small p, by splitting: the probability of a high statistic is the product of probabilities that
// are not small, each of which is estimated from a population of labellings.
//
// A population starts as random labellings. At each level, those below it are replaced by copies of the others, and all
// make random swaps of two samples that do not lead below the level: this leaves the distribution above the level as
// it is. The product of the shares that were kept is an unbiased estimate, however well the swaps mix, if the levels do
// not depend on it. So a pilot run chooses the levels, and independent runs use them.

#include "certainty/null_statistic.hpp"
#include "certainty/random_tables.hpp"

namespace chanceless::certainty {

using chance::Statistic;
using counting::Spectrum;

struct Splitting {
    static constexpr std::size_t n_labellings = 300;  // p = 1e-10 has an error of 11 %
    static constexpr double keep = 0.3;               // share of the pilot's labellings above the next level
    static constexpr unsigned n_runs = 16;
    static constexpr std::size_t most_levels = 64;  // p = 1e-33
    static constexpr std::uint64_t most_samples = 1'000'000;
    static constexpr std::uint64_t most_cells = std::uint64_t{1} << 26;
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

    static std::uint64_t n_swaps(std::uint64_t n_samples) noexcept {
        return std::max<std::uint64_t>(n_samples / 2, 200);
    }
};

/// If no run arrived, log_p is -infinity, and only log_high says something: p is at most that.
struct SplittingResult {
    double log_p;
    double standard_error;  // of log_p
    double log_low;         // 95 % interval
    double log_high;
    unsigned n_arrived;
    std::size_t n_levels;
};

/// Labellings of the samples by the columns; samples are in the order of the rows.
template <class Statistic>
class SwapPopulation {
  public:
    using Value = typename Statistic::Value;

    SwapPopulation(const TableSizes& sizes, const Statistic& statistic)
        : statistic_(&statistic), n_samples_(sizes.n_samples), rows_(sizes.rows), columns_(sizes.columns) {
        if (columns_.size() > rows_.size()) std::swap(rows_, columns_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            row_of_.insert(row_of_.end(), rows_[i], static_cast<std::uint32_t>(i));
        }
        labels_ = uninitialised<Label>(Splitting::n_labellings * n_samples_);
        counts_ = zeros<std::uint32_t>(rows_.size() * columns_.size());
        values_.resize(Splitting::n_labellings);
    }

    /// The bytes that an object takes.
    static std::uint64_t bytes(const TableSizes& sizes) noexcept {
        return (Splitting::n_labellings * sizeof(Label) + sizeof(std::uint32_t)) * sizes.n_samples +
               sizes.rows.size() * sizes.columns.size() * sizeof(std::uint32_t);
    }

    [[nodiscard]] const std::vector<Value>& values() const noexcept { return values_; }

    /// Starts anew with random labellings.
    void start(RandomStream& random, PeriodicCheck& check) {
        std::vector<Label> labels;
        labels.reserve(n_samples_);
        for (std::size_t j = 0; j < columns_.size(); ++j)
            labels.insert(labels.end(), columns_[j], static_cast<Label>(j));
        for (std::size_t number = 0; number < values_.size(); ++number) {
            for (std::uint64_t left = n_samples_; left > 1; --left)
                std::swap(labels[left - 1], labels[random.below(left)]);
            std::copy(labels.begin(), labels.end(), labelling(number));
            count(labelling(number));
            values_[number] = sum_and_clear(labelling(number));
            check.after(4 * n_samples_);
        }
    }

    /// Replaces labellings below the level by copies of the others, as evenly as can be; returns the share of the
    /// others.
    double keep_above(const Value& level, RandomStream& random) {
        std::vector<std::size_t> kept;
        std::vector<std::size_t> lost;
        for (std::size_t i = 0; i < values_.size(); ++i) (values_[i] < level ? lost : kept).push_back(i);
        for (std::size_t left = kept.size(); left > 1; --left) std::swap(kept[left - 1], kept[random.below(left)]);
        for (std::size_t i = 0; i < lost.size() && !kept.empty(); ++i) {
            const std::size_t original = kept[i % kept.size()];
            std::copy_n(labelling(original), n_samples_, labelling(lost[i]));
            values_[lost[i]] = values_[original];
        }
        return static_cast<double>(kept.size()) / static_cast<double>(values_.size());
    }

    /// Swaps in all labellings, none of which falls below the level.
    void swap_above(const Value& level, RandomStream& random, PeriodicCheck& check) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            count(labelling(i));
            values_[i] = swap(labelling(i), values_[i], level, random);
            clear(labelling(i));
            check.after(16 * n_samples_);
        }
    }

    /// Whether the values are those of the labellings, counted anew.
    bool values_hold() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            count(labelling(i));
            const Value value = sum_and_clear(labelling(i));
            if (value < values_[i] || values_[i] < value) return false;
        }
        return true;
    }

  private:
    using Label = std::uint16_t;  // columns are the side with fewer clusters: 2^13 at most

    Label* labelling(std::size_t number) noexcept { return labels_.get() + number * n_samples_; }
    std::uint32_t& cell(std::size_t row, std::size_t column) noexcept {
        return counts_[row * columns_.size() + column];
    }
    [[nodiscard]] Value term(std::uint64_t count, std::size_t row, std::size_t column) const noexcept {
        return statistic_->cell(count, rows_[row], columns_[column]);
    }

    void count(const Label* labels) noexcept {
        for (std::uint64_t s = 0; s < n_samples_; ++s) ++cell(row_of_[s], labels[s]);
    }
    void clear(const Label* labels) noexcept {
        for (std::uint64_t s = 0; s < n_samples_; ++s) cell(row_of_[s], labels[s]) = 0;
    }
    Value sum_and_clear(const Label* labels) noexcept {
        Value sum{};
        for (std::uint64_t s = 0; s < n_samples_; ++s) {
            const std::uint32_t count = std::exchange(cell(row_of_[s], labels[s]), 0);
            if (count > 0) sum += term(count, row_of_[s], labels[s]);
        }
        return sum;
    }

    Value swap(Label* labels, Value value, const Value& level, RandomStream& random) noexcept {
        RandomStream stream = random;
        const std::uint64_t n_swaps = Splitting::n_swaps(n_samples_);
        for (std::uint64_t done = 0; done < n_swaps; ++done) {
            // Some samples are a little more likely than others, by n / 2^32. It does not matter: a swap is as likely
            // as its reverse.
            const std::uint64_t bits = stream.next();
            const std::uint64_t first = (bits >> 32) * n_samples_ >> 32;
            const std::uint64_t second = (bits & 0xFFFFFFFF) * n_samples_ >> 32;
            const std::size_t row = row_of_[first], other_row = row_of_[second];
            const std::size_t column = labels[first], other_column = labels[second];
            if (row == other_row || column == other_column) continue;
            std::uint32_t& from = cell(row, column);
            std::uint32_t& other_from = cell(other_row, other_column);
            std::uint32_t& to = cell(row, other_column);
            std::uint32_t& other_to = cell(other_row, column);
            const Value changed =
                value + (term(from - 1, row, column) - term(from, row, column)) +
                (term(other_from - 1, other_row, other_column) - term(other_from, other_row, other_column)) +
                (term(to + 1, row, other_column) - term(to, row, other_column)) +
                (term(other_to + 1, other_row, column) - term(other_to, other_row, column));
            if (changed < level) continue;
            value = changed;
            --from, --other_from, ++to, ++other_to;
            std::swap(labels[first], labels[second]);
        }
        random = stream;
        return value;
    }

    const Statistic* statistic_;
    std::uint64_t n_samples_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint64_t> columns_;
    std::vector<std::uint32_t> row_of_;
    Array<Label> labels_;
    Array<std::uint32_t> counts_;
    std::vector<Value> values_;
};

/// Throws std::overflow_error where there are too many samples or cells. Calls report(n) in the calling thread when n
/// runs are finished, the pilot among them.
SplittingResult split(
    const Spectrum& spectrum, Statistic which, std::uint64_t seed, unsigned n_threads,
    const CancellationCheck& check_cancelled, const std::function<void(unsigned)>& report = [](unsigned) {});

}  // namespace chanceless::certainty
