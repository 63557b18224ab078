#pragma once

// Expected mutual information of two clusterings whose sizes are kept and whose samples are shuffled.
//
//     n EMI = sum over rows and columns of h(a_i, b_j)           = J - L,
//     J = sum over rows and columns of E[C log C],   L = sum of a log a + sum of b log b - n log n,
//
// in time that depends neither on n nor, beyond one pass over the distinct sizes, on the number of clusters.
//
// Adjusted mutual information is I - EMI = (sum of x log x - J) / n. Few large clusters have an EMI far below
// J / n, many small ones a J / n far below EMI; L says which. Whichever is smaller is summed, so that the difference
// keeps its digits, and the other is it plus |L| / n.

#include <atomic>
#include <memory>

#include "chance/size_nodes.hpp"
#include "terms/information.hpp"

namespace chanceless::chance {

using counting::SizeGroup;
using numbers::Bounded, numbers::CompensatedSum, numbers::unit_roundoff;
using terms::entropy, terms::independent_log_count;

// The expected information of two sizes, remembered: calls ask for the same pairs of sizes again and again, and to
// compute one takes as long as a hundred lookups.

/// `cell_information` and `cell_entropy` with a place for each hash of (n, a, b), which holds the pair that was asked
/// for last. Both are pure functions, and symmetric in a and b to the last bit: results do not depend on what is known.
///
/// Threads share a memo, and none waits for another. The version of an entry is odd while it is written, and changes
/// when it is: then nobody else writes it, and readers compute for themselves. (An entry that is being written when a
/// process forks stays unused in the child.)
class CellMemo {
  public:
    explicit CellMemo(unsigned bits) : entries_(std::make_unique<Entry[]>(std::size_t{1} << bits)), shift_(64 - bits) {}

    /// The memo of single calls.
    static CellMemo& of_process() {
        static CellMemo memo(12);
        return memo;
    }

    /// h(a, b) of two sizes; their weights do not matter.
    [[nodiscard]] Bounded information(const WeightedSize& row, const WeightedSize& column, const Amount& n) noexcept {
        return remembered<0>(row.amount, column.amount, n, cell_information);
    }

    /// E[C log C].
    [[nodiscard]] Bounded entropy(const WeightedSize& row, const WeightedSize& column, const Amount& n) noexcept {
        return remembered<1>(row.amount, column.amount, n, cell_entropy);
    }

  private:
    /// No key is zero, since no table has n = 0: a new entry is nobody's.
    struct Key {
        std::uint64_t sizes;  // the smaller one in the upper half
        std::uint32_t total;  // twice n, and which function
    };

    struct alignas(32) Entry {
        std::atomic<std::uint64_t> sizes;
        std::atomic<std::uint32_t> total;
        std::atomic<std::uint32_t> version;
        std::atomic<double> value;
        std::atomic<double> bound;
    };

    template <std::uint32_t which, class Compute>
    Bounded remembered(const Amount& a, const Amount& b, const Amount& n, const Compute& compute) noexcept {
        if (n.samples >= std::uint64_t{1} << 31) return compute(a, b, n);
        const auto [low, high] = std::minmax(a.samples, b.samples);
        const Key key{low << 32 | high, static_cast<std::uint32_t>(2 * n.samples) | which};
        Entry& entry = entry_of(key);
        // Loads that acquire and stores that release order the parts of an entry; on x86-64 they are plain moves.
        std::uint32_t version = entry.version.load(std::memory_order_acquire);
        if (entry.sizes.load(std::memory_order_acquire) == key.sizes &&
            entry.total.load(std::memory_order_acquire) == key.total) {
            const Bounded known{entry.value.load(std::memory_order_acquire),
                                entry.bound.load(std::memory_order_acquire)};
            if (version % 2 == 0 && entry.version.load(std::memory_order_relaxed) == version) return known;
        }
        const Bounded computed = compute(a, b, n);
        if (version % 2 == 0 && entry.version.compare_exchange_strong(version, version + 1)) {
            entry.sizes.store(key.sizes, std::memory_order_release);
            entry.total.store(key.total, std::memory_order_release);
            entry.value.store(computed.value, std::memory_order_release);
            entry.bound.store(computed.bound, std::memory_order_release);
            entry.version.store(version + 2, std::memory_order_release);
        }
        return computed;
    }

    [[nodiscard]] Entry& entry_of(const Key& key) const noexcept {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
        return entries_[((key.sizes ^ key.total * odd) * odd) >> shift_];
    }

    std::unique_ptr<Entry[]> entries_;
    unsigned shift_;
};

/// EMI and J / n (the expected mean, over samples, of the logarithm of the count of its cell) in nats, and by how
/// much the smaller of the two may be off.
///
/// Of the bound, what the sums and series leave out is proved, and so is rounding, to first order (except
/// one small allowance, see `MomentSeries`). What interpolation misses is estimated from the values at the
/// nodes, not proved. Errors as measured are some ten times smaller.
struct ExpectedInformation {
    double information;
    double log_count;
    double error;
    bool interpolated;
};

/// Sums over pairs of nodes of h(a, b), or of E[C log C]: of cell_value(row, column, n).
struct PairSums {
    std::vector<double> rows;     // sum over columns of weight * value, for each row
    std::vector<double> columns;  // and the other way round
    double total = 0.0;
    double magnitude = 0.0;  // as the total, with absolute weights
    double error = 0.0;      // what the errors of the values and of the weights add up to
};

template <class CellValue>
PairSums sum_over_pairs(const SizeNodes& rows, const SizeNodes& columns, std::uint64_t n_samples,
                        const CellValue& cell_value, const CancellationCheck& check_cancelled) {
    constexpr std::size_t pairs_between_checks = 100'000;
    const Amount all(n_samples);
    PairSums sums;
    sums.rows.reserve(rows.sizes.size());
    sums.columns.assign(columns.sizes.size(), 0.0);
    CompensatedSum total;
    std::size_t pairs = 0;
    for (const WeightedSize& row : rows.sizes) {
        CompensatedSum row_sum;
        double magnitude = 0.0;
        double error = 0.0;
        for (std::size_t j = 0; j < columns.sizes.size(); ++j) {
            const WeightedSize& column = columns.sizes[j];
            const auto [value, bound] = cell_value(row, column, all);
            const double weighted = column.weight * value;
            row_sum.add(weighted);
            sums.columns[j] += row.weight * value;
            magnitude += std::fabs(weighted);
            error += std::fabs(weighted) * bound + column.weight_error * value;
        }
        sums.rows.push_back(row_sum.value());
        total.add(row.weight * row_sum.value());
        sums.magnitude += std::fabs(row.weight) * magnitude;
        sums.error += std::fabs(row.weight) * error + row.weight_error * magnitude;
        pairs += columns.sizes.size();
        if (pairs >= pairs_between_checks) {
            check_cancelled();
            pairs = 0;
        }
    }
    sums.total = total.value();
    return sums;
}

/// About what interpolation between these nodes misses, given the sums at each of them.
///
/// The divided differences are one to three orders behind. But f is analytic in the unit disc, and the nodes lie
/// within a third of it: from order to order they grow by less than 1 / (1 - 1/3), in the long run.
double missed(const SizeNodes& nodes, const std::vector<double>& sums) noexcept;

/// (1/n) times the sum over all cells of some value, and a bound on its error.
struct CellMean {
    double value;
    double error;
    bool interpolated;
};

template <class CellValue>
CellMean mean_of_cells(const SizeNodes& rows, const SizeNodes& columns, std::uint64_t n_samples,
                       const CellValue& cell_value, const CancellationCheck& check_cancelled) {
    const PairSums sums = sum_over_pairs(rows, columns, n_samples, cell_value, check_cancelled);
    // Two products and two compensated sums, the division by n, and room for the rounding of the bound.
    const double error =
        sums.error + 8.0 * unit_roundoff * sums.magnitude + missed(rows, sums.rows) + missed(columns, sums.columns);
    const auto total = static_cast<double>(n_samples);
    return {sums.total / total, error / total, !rows.stretches.empty() || !columns.stretches.empty()};
}

/// Whether rows come first in an order of size lists: sums over the sizes of both sides are then the same, bit for bit,
/// with rows and columns exchanged.
bool in_order(const std::vector<SizeGroup>& rows, const std::vector<SizeGroup>& columns) noexcept;

inline bool is_one_cluster(const std::vector<SizeGroup>& groups) noexcept {
    return groups.size() == 1 && groups[0].clusters == 1;
}

inline bool are_singletons(const std::vector<SizeGroup>& groups) noexcept {
    return groups.size() == 1 && groups[0].size == 1;
}

/// The sizes of one clustering, in ascending order, and what the expected information needs of them. `nodes(growth)`
/// are those for values that grow like the sizes to the power of `growth`, at most.
struct ClusterSizes {
    const std::vector<SizeGroup>& groups;
    std::uint64_t n_samples;
    const CancellationCheck& check_cancelled;

    [[nodiscard]] double entropy() const { return terms::entropy(groups, n_samples); }
    [[nodiscard]] SizeNodes nodes(int growth) const { return nodes_of(groups, n_samples, growth, check_cancelled); }
};

/// `difference` is L / n, see `independent_log_count`.
template <class Sizes, class Memo>
ExpectedInformation expected_of_ordered(const Sizes& rows, const Sizes& columns, std::uint64_t n_samples,
                                        double difference, Memo& memo, const CancellationCheck& check_cancelled) {
    if (difference >= 0.0) {
        const auto information = [&](const auto&... pair) { return memo.information(pair...); };
        const CellMean mean = mean_of_cells(rows.nodes(1), columns.nodes(1), n_samples, information, check_cancelled);
        return {mean.value, mean.value + difference, mean.error, mean.interpolated};
    }
    const auto entropy = [&](const auto&... pair) { return memo.entropy(pair...); };
    const CellMean mean = mean_of_cells(rows.nodes(2), columns.nodes(2), n_samples, entropy, check_cancelled);
    return {mean.value - difference, mean.value, mean.error, mean.interpolated};
}

/// What clusterings with these sizes are expected to share by chance; both add up to n_samples <= 2^53. `difference()`
/// is L / n. `check_cancelled` is called several times a second, and throws to cancel.
/// The same, bit for bit, with rows and columns exchanged.
template <class Sizes, class Difference, class Memo>
ExpectedInformation expected_information(const Sizes& rows, const Sizes& columns, std::uint64_t n_samples,
                                         const Difference& difference, Memo& memo,
                                         const CancellationCheck& check_cancelled) {
    if (rows.groups.empty()) return {0.0, 0.0, 0.0, false};
    // Against one cluster no shuffle tells anything; against singletons each tells all there is to tell, the very
    // double of the entropy.
    if (is_one_cluster(rows.groups) || is_one_cluster(columns.groups)) return {0.0, difference(), 0.0, false};
    if (are_singletons(rows.groups)) return {columns.entropy(), 0.0, 0.0, false};
    if (are_singletons(columns.groups)) return {rows.entropy(), 0.0, 0.0, false};
    const bool ordered = in_order(rows.groups, columns.groups);
    return expected_of_ordered(ordered ? rows : columns, ordered ? columns : rows, n_samples, difference(), memo,
                               check_cancelled);
}

inline ExpectedInformation expected_information(const std::vector<SizeGroup>& rows,
                                                const std::vector<SizeGroup>& columns, std::uint64_t n_samples,
                                                const CancellationCheck& check_cancelled) {
    const auto difference = [&] { return independent_log_count(rows, columns, n_samples); };
    return expected_information(ClusterSizes{rows, n_samples, check_cancelled},
                                ClusterSizes{columns, n_samples, check_cancelled}, n_samples, difference,
                                CellMemo::of_process(), check_cancelled);
}

}  // namespace chanceless::chance
