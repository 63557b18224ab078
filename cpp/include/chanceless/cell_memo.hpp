#pragma once

// The expected information of two sizes, remembered: calls ask for the same pairs of sizes again and again, and to
// compute one takes as long as a hundred lookups.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "chanceless/compensated.hpp"
#include "chanceless/hypergeometric.hpp"
#include "chanceless/size_nodes.hpp"

namespace chanceless {

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

}  // namespace chanceless
