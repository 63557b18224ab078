#pragma once

// The expected information of all pairs of some sizes, each computed when it is first asked for.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chanceless/cell_memo.hpp"
#include "chanceless/compensated.hpp"
#include "chanceless/hypergeometric.hpp"
#include "chanceless/size_nodes.hpp"

namespace chanceless {

/// As `CellMemo`, for nodes of one number of samples whose sizes are known ahead: numbers in the order of sizes need
/// less memory than keys, and no pair of sizes takes the place of another. Several threads may use it.
class NodeTable {
  public:
    /// Numbers the sizes of all nodes.
    explicit NodeTable(const std::vector<SizeNodes*>& all_nodes) {
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

}  // namespace chanceless
