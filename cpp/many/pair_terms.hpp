#pragma once

// The terms of two clusterings of many: what depends on one of them is computed once, the rest from their table,
// without its spectrum where that is not needed. All are the same as those of the spectrum, to the last bit.

#include <atomic>
#include <memory>

#include "scores/scores.hpp"

namespace chanceless::many {

using chance::Amount, chance::cell_entropy, chance::cell_information, chance::CellMemo, chance::expected_information,
    chance::ExpectedInformation, chance::independent_log_count, chance::nodes_of, chance::SizeNodes,
    chance::WeightedSize;
using counting::group_sizes, counting::number_of_clusters, counting::SizeGroup, counting::Spectrum, counting::summarise;
using numbers::Bounded, numbers::Fixed, numbers::Fraction, numbers::Log, numbers::log_error, numbers::round_sum,
    numbers::Rounded;
using scores::compute, scores::Term, scores::Terms;
using terms::all_pairs, terms::entropy, terms::mean_log, terms::pairs_within, terms::PairsOfSamples,
    terms::pairwise_adjusted_entropy;

// x log x of small whole numbers in fixed point, so that sums over many cells need no logarithm and no product.

/// A number from 0 to 2^64 in units of 2^-128.
struct LogUnits {
    uint128 fraction = 0;
    std::uint64_t whole = 0;

    LogUnits() noexcept = default;
    explicit LogUnits(const Fixed<2>& number) noexcept
        : fraction((uint128{number.limb(1)} << 64) | number.limb(0)), whole(number.limb(2)) {}

    LogUnits& operator+=(const LogUnits& other) noexcept {
        fraction += other.fraction;
        whole += other.whole + static_cast<std::uint64_t>(fraction < other.fraction);
        return *this;
    }

    [[nodiscard]] Fixed<2> number() const noexcept {
        return Fixed<2>(Fraction<2>{low_half(fraction), high_half(fraction)}) +
               static_cast<int128>(whole) * Fixed<2>::power_of_two(128);
    }
};

/// x log x for x below `size` by lookup, for others by a logarithm; off by x times `log_error<2>` at most.
class LogCache {
  public:
    explicit LogCache(std::size_t size) : known_(size) {
        for (std::size_t x = 2; x < size; ++x) known_[x] = compute(x);
    }

    [[nodiscard]] LogUnits at(std::uint64_t x) const noexcept { return x < known_.size() ? known_[x] : compute(x); }

  private:
    static LogUnits compute(std::uint64_t x) noexcept {
        return x < 2 ? LogUnits() : LogUnits(static_cast<int128>(x) * Log::at<2>(x));
    }

    std::vector<LogUnits> known_;
};

// The expected information of all pairs of some sizes, each computed when it is first asked for.

/// As `CellMemo`, for nodes of one number of samples whose sizes are known ahead: numbers in the order of sizes need
/// less memory than keys, and no pair of sizes takes the place of another. Several threads may use it.
class NodeCache {
  public:
    /// Numbers the sizes of all nodes.
    explicit NodeCache(const std::vector<SizeNodes*>& all_nodes) {
        std::vector<std::uint64_t> sizes;
        for (const SizeNodes* nodes : all_nodes) {
            for (const WeightedSize& node : nodes->sizes) sizes.push_back(node.amount.samples);
        }
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        if (sizes.size() > most_sizes) {
            memo_.emplace(18);
            return;
        }
        for (SizeNodes* nodes : all_nodes) {
            for (WeightedSize& node : nodes->sizes) {
                const auto found = std::lower_bound(sizes.begin(), sizes.end(), node.amount.samples);
                node.number = static_cast<std::uint32_t>(found - sizes.begin());
            }
        }
        const std::size_t n_pairs = sizes.size() * (sizes.size() + 1) / 2;
        information_ = std::make_unique<Entry[]>(n_pairs);
        entropies_ = std::make_unique<Entry[]>(n_pairs);
    }

    [[nodiscard]] Bounded information(const WeightedSize& row, const WeightedSize& column, const Amount& n) noexcept {
        if (memo_) return memo_->information(row, column, n);
        return remembered(information_.get(), row, column, n, cell_information);
    }

    [[nodiscard]] Bounded entropy(const WeightedSize& row, const WeightedSize& column, const Amount& n) noexcept {
        if (memo_) return memo_->entropy(row, column, n);
        return remembered(entropies_.get(), row, column, n, cell_entropy);
    }

  private:
    static constexpr std::size_t most_sizes = 1000;  // 8 MB for each of the two functions

    /// Zero until the value is known; a value that is zero is computed again, which takes no time. All threads store
    /// the same numbers, the value last.
    struct Entry {
        std::atomic<double> value;
        std::atomic<double> bound;
    };

    template <class Compute>
    static Bounded remembered(Entry* entries, const WeightedSize& row, const WeightedSize& column, const Amount& n,
                              const Compute& compute) noexcept {
        const std::size_t low = std::min(row.number, column.number);
        const std::size_t high = std::max(row.number, column.number);
        Entry& entry = entries[high * (high + 1) / 2 + low];
        const double value = entry.value.load(std::memory_order_acquire);
        if (value != 0.0) return {value, entry.bound.load(std::memory_order_relaxed)};
        const Bounded computed = compute(row.amount, column.amount, n);
        entry.bound.store(computed.bound, std::memory_order_relaxed);
        entry.value.store(computed.value, std::memory_order_release);
        return computed;
    }

    std::unique_ptr<Entry[]> information_;
    std::unique_ptr<Entry[]> entropies_;
    std::optional<CellMemo> memo_;  // where sizes are too many
};

/// What all pairs with a clustering need of its sizes.
struct ClusteringTerms {
    std::vector<SizeGroup> groups;
    std::uint64_t n_clusters;
    double entropy_of_sizes;
    double mean_log_size;
    double pairwise_adjusted;
    uint128 pairs;
    Fixed<2> size_logs;  // the sum of a log a
    std::array<SizeNodes, 2> nodes_by_growth;

    ClusteringTerms(std::span<const std::uint64_t> sizes, std::uint64_t n_samples, const LogCache& logs,
                    const CancellationCheck& check_cancelled)
        : groups(group_sizes(sizes)),
          n_clusters(number_of_clusters(groups)),
          entropy_of_sizes(terms::entropy(groups, n_samples)),
          mean_log_size(mean_log(groups, n_samples)),
          pairwise_adjusted(pairwise_adjusted_entropy(groups, n_samples)),
          pairs(pairs_within(groups)),
          nodes_by_growth{nodes_of(groups, n_samples, 1, check_cancelled),
                          nodes_of(groups, n_samples, 2, check_cancelled)} {
        LogUnits sum;
        for (const std::uint64_t size : sizes) sum += logs.at(size);
        size_logs = sum.number();
    }

    [[nodiscard]] double entropy() const noexcept { return entropy_of_sizes; }
    [[nodiscard]] const SizeNodes& nodes(int growth) const noexcept {
        return nodes_by_growth[static_cast<std::size_t>(growth - 1)];
    }
};

/// What all pairs share.
struct PairsContext {
    std::uint64_t n_samples;
    LogCache logs;
    Fixed<2> total_logs;  // n log n

    PairsContext(std::uint64_t n, std::size_t n_known_logs)
        : n_samples(n), logs(n_known_logs), total_logs(logs.at(n).number()) {}
};

/// The terms of two clusterings of the same samples, all of which are in the table.
template <class Table>
class PairTerms final : public Terms {
  public:
    PairTerms(const Table& table, const ClusteringTerms& rows, const ClusteringTerms& columns,
              const PairsContext& context, NodeCache& memo, const CancellationCheck& check_cancelled) noexcept
        : table_(table),
          rows_(rows),
          columns_(columns),
          context_(context),
          memo_(memo),
          check_cancelled_(check_cancelled) {}

    [[nodiscard]] double term(Term which) const override {
        switch (which) {
            case Term::row_entropy: return rows_.entropy_of_sizes;
            case Term::column_entropy: return columns_.entropy_of_sizes;
            case Term::mean_log_row_size: return rows_.mean_log_size;
            case Term::mean_log_column_size: return columns_.mean_log_size;
            case Term::pairwise_adjusted_row_entropy: return rows_.pairwise_adjusted;
            case Term::pairwise_adjusted_column_entropy: return columns_.pairwise_adjusted;
            case Term::mean_log_count: return rounded(cell_logs(), 1, which);
            case Term::mutual_information: return rounded(context_.total_logs + cell_logs() - size_logs(), 4, which);
            case Term::variation_of_information: return rounded(size_logs() - cell_logs() - cell_logs(), 4, which);
            default: return compute(which, spectrum());
        }
    }

    [[nodiscard]] ExpectedInformation expected() const override {
        if (!expected_) {
            const auto difference = [&] {
                const Rounded exact = round(size_logs() - context_.total_logs, 3);
                return exact.certain ? exact.value
                                     : independent_log_count(rows_.groups, columns_.groups, context_.n_samples);
            };
            expected_ = expected_information(rows_, columns_, context_.n_samples, difference, memo_, check_cancelled_);
        }
        return *expected_;
    }

    [[nodiscard]] bool is_identical() const noexcept override {
        if (rows_.n_clusters != columns_.n_clusters) return false;
        std::uint64_t n_cells = 0;
        table_.for_each_cell(0, [&](std::size_t, std::size_t, std::uint64_t count) {
            n_cells += static_cast<std::uint64_t>(count != 0);
        });
        return n_cells == rows_.n_clusters;
    }

    [[nodiscard]] PairsOfSamples pairs() const noexcept override {
        uint128 squares = 0;
        table_.for_each_cell(0,
                             [&](std::size_t, std::size_t, std::uint64_t count) { squares += uint128{count} * count; });
        return {(squares - context_.n_samples) >> 1, rows_.pairs, columns_.pairs, all_pairs(context_.n_samples)};
    }

  private:
    [[nodiscard]] Fixed<2> size_logs() const noexcept { return rows_.size_logs + columns_.size_logs; }

    /// The sum of x log x over the cells.
    [[nodiscard]] Fixed<2> cell_logs() const noexcept {
        if (!cell_logs_) {
            LogUnits sum;
            table_.for_each_cell(
                0, [&](std::size_t, std::size_t, std::uint64_t count) { sum += context_.logs.at(count); });
            cell_logs_ = sum.number();
        }
        return *cell_logs_;
    }

    /// A sum over n, with `n_sums` sums of x log x in it, each with values that add up to n.
    [[nodiscard]] Rounded round(const Fixed<2>& sum, int n_sums) const noexcept {
        const double error = n_sums * static_cast<double>(context_.n_samples) * log_error<2>;
        return round_sum(sum, error, context_.n_samples, 1);
    }

    /// The same as a term; where it is not certain, zeros included, from the spectrum.
    [[nodiscard]] double rounded(const Fixed<2>& sum, int n_sums, Term which) const {
        const Rounded result = round(sum, n_sums);
        return result.certain ? result.value : compute(which, spectrum());
    }

    [[nodiscard]] const Spectrum& spectrum() const {
        if (!spectrum_) spectrum_ = summarise(table_, {1, check_cancelled_});
        return *spectrum_;
    }

    const Table& table_;
    const ClusteringTerms& rows_;
    const ClusteringTerms& columns_;
    const PairsContext& context_;
    NodeCache& memo_;
    const CancellationCheck& check_cancelled_;
    mutable std::optional<Fixed<2>> cell_logs_;
    mutable std::optional<ExpectedInformation> expected_;
    mutable std::optional<Spectrum> spectrum_;
};

}  // namespace chanceless::many
