#pragma once

// Integer labels of any width -> codes 0 ... k - 1, in the order of the labels.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace chanceless {

/// Labels as their distance from the lowest one. Unsigned arithmetic, since highest - lowest of int64 labels
/// may leave int64.
template <std::unsigned_integral U>
struct Offsets {
    std::span<const U> labels;
    U lowest = 0;
    std::uint64_t lowest_as_64_bits = 0;
    std::uint64_t highest = 0;

    /// Never above `highest`, even if somebody changes the labels while they are counted: volatile, so that what is
    /// compared is what is returned.
    [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
        const U label = static_cast<const volatile U*>(labels.data())[i];
        return std::min<std::uint64_t>(static_cast<U>(label - lowest), highest);
    }
    [[nodiscard]] std::size_t size() const noexcept { return labels.size(); }
    [[nodiscard]] std::uint64_t label(std::uint64_t offset) const noexcept { return lowest_as_64_bits + offset; }
};

template <std::integral T>
struct Range {
    T lowest;
    T highest;

    [[nodiscard]] bool holds(const Range& other) const noexcept {
        return lowest <= other.lowest && other.highest <= highest;
    }
};

/// The range of some labels, at least one. Every fourth label is compared with every fourth: a comparison need not wait
/// for the one before it.
template <std::integral T>
Range<T> range_of(std::span<const T> labels) noexcept {
    constexpr std::size_t lanes = 4;
    const T first = labels[0];
    std::array<T, lanes> lowest{first, first, first, first};
    std::array<T, lanes> highest = lowest;
    std::size_t i = 0;
    for (; i + lanes <= labels.size(); i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            lowest[lane] = std::min(lowest[lane], labels[i + lane]);
            highest[lane] = std::max(highest[lane], labels[i + lane]);
        }
    }
    for (; i < labels.size(); ++i) {
        lowest[0] = std::min(lowest[0], labels[i]);
        highest[0] = std::max(highest[0], labels[i]);
    }
    return {*std::min_element(lowest.begin(), lowest.end()), *std::max_element(highest.begin(), highest.end())};
}

template <std::integral T>
Offsets<std::make_unsigned_t<T>> offsets_of(std::span<const T> labels, const Range<T>& range) noexcept {
    using U = std::make_unsigned_t<T>;
    Offsets<U> result;
    result.labels = {reinterpret_cast<const U*>(labels.data()), labels.size()};
    result.lowest = static_cast<U>(range.lowest);
    result.lowest_as_64_bits = static_cast<std::uint64_t>(range.lowest);
    result.highest = static_cast<U>(static_cast<U>(range.highest) - static_cast<U>(range.lowest));
    return result;
}

template <std::integral T>
Offsets<std::make_unsigned_t<T>> offsets_of(std::span<const T> labels) noexcept {
    if (labels.empty()) return {};
    return offsets_of(labels, range_of(labels));
}

/// Works through the samples in blocks; `checkpoint` is called in between, so that the caller may give up by throwing.
template <class Checkpoint, class Work>
void in_blocks(std::size_t n_samples, const Checkpoint& checkpoint, const Work& work) {
    constexpr std::size_t block = std::size_t{1} << 13;
    for (std::size_t start = 0; start < n_samples; start += block) {
        if (start > 0) checkpoint();
        work(start, std::min(n_samples, start + block));
    }
}

/// codes[i] says which of the (ascending) distinct offsets sample i has.
struct Codes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> offsets;
};

inline void check_number_of_clusters(std::size_t clusters) {
    if (clusters > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4294967295 distinct labels in one clustering");
    }
}

/// Where the labels lie close together: one entry for each value they could have.
template <std::unsigned_integral U, class Checkpoint>
Codes encode_narrow(const Offsets<U>& labels, const Checkpoint& checkpoint) {
    std::vector<std::uint32_t> code_of(labels.highest + 1, 0);
    in_blocks(labels.size(), checkpoint, [&](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i) code_of[labels[i]] = 1;
    });
    Codes result;
    for (std::uint64_t offset = 0; offset <= labels.highest; ++offset) {
        if (code_of[offset] == 0) continue;
        code_of[offset] = static_cast<std::uint32_t>(result.offsets.size());
        result.offsets.push_back(offset);
    }
    check_number_of_clusters(result.offsets.size());
    result.codes.resize(labels.size());
    in_blocks(labels.size(), checkpoint, [&](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i) result.codes[i] = code_of[labels[i]];
    });
    return result;
}

/// Distinct 64-bit keys, numbered in the order in which they first appear (open addressing).
class KeyNumbers {
  public:
    KeyNumbers() : slots_(initial_slots, empty) {}

    std::uint32_t number_of(std::uint64_t key) {
        std::size_t slot = slot_of(key);
        while (slots_[slot] != empty && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
        if (slots_[slot] == empty) {
            slots_[slot] = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
            check_number_of_clusters(keys_.size());
            if (2 * keys_.size() > slots_.size()) {
                grow();
                return static_cast<std::uint32_t>(keys_.size() - 1);
            }
        }
        return slots_[slot];
    }

    [[nodiscard]] const std::vector<std::uint64_t>& keys() const noexcept { return keys_; }

  private:
    static constexpr std::size_t initial_slots = 64;
    static constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();

    /// The finaliser of splitmix64: every bit of the key decides.
    [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
        key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9U;
        key = (key ^ (key >> 27)) * 0x94D049BB133111EBU;
        return static_cast<std::size_t>(key ^ (key >> 31)) & (slots_.size() - 1);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), empty);
        for (std::size_t number = 0; number < keys_.size(); ++number) {
            std::size_t slot = slot_of(keys_[number]);
            while (slots_[slot] != empty) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(number);
        }
    }

    std::vector<std::uint32_t> slots_;
    std::vector<std::uint64_t> keys_;
};

/// Where the labels lie far apart: by hashing.
template <std::unsigned_integral U, class Checkpoint>
Codes encode_wide(const Offsets<U>& labels, const Checkpoint& checkpoint) {
    KeyNumbers numbers;
    Codes result;
    result.codes.resize(labels.size());
    in_blocks(labels.size(), checkpoint, [&](std::size_t start, std::size_t stop) {
        for (std::size_t i = start; i < stop; ++i) result.codes[i] = numbers.number_of(labels[i]);
    });
    const std::vector<std::uint64_t>& keys = numbers.keys();
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t left, std::uint32_t right) { return keys[left] < keys[right]; });
    checkpoint();
    std::vector<std::uint32_t> rank(keys.size());
    result.offsets.resize(keys.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        rank[order[place]] = static_cast<std::uint32_t>(place);
        result.offsets[place] = keys[order[place]];
    }
    checkpoint();
    for (std::uint32_t& code : result.codes) code = rank[code];
    return result;
}

template <std::unsigned_integral U, class Checkpoint>
Codes encode(const Offsets<U>& labels, const Checkpoint& checkpoint) {
    if (labels.size() == 0) return {};
    const bool narrow = labels.highest / 4 <= labels.size() + 256;
    return narrow ? encode_narrow(labels, checkpoint) : encode_wide(labels, checkpoint);
}

}  // namespace chanceless
