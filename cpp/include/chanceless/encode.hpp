#pragma once

// Labels -> numbers below some limit: their distance from the lowest where they lie close together, else by hashing.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "chanceless/labels.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/sort.hpp"
#include "chanceless/sparse.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Labels as numbers in the same order; `distances` from the lowest that the numbers stand for, if not these
/// themselves.
struct Numbered {
    Numbers numbers;
    std::vector<std::uint64_t> distances;

    [[nodiscard]] std::uint64_t distance(std::uint64_t number) const noexcept {
        return distances.empty() ? number : distances[number];
    }
};

inline void check_number_of_clusters(std::size_t clusters) {
    if (clusters >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4294967294 distinct labels in one clustering");
    }
}

/// Distinct 64-bit keys, numbered in the order in which they first appear (open addressing).
class KeyNumbers {
  public:
    KeyNumbers() : slots_(initial_slots, empty) {}

    std::uint32_t number_of(std::uint64_t key) {
        std::size_t slot = slot_of(key);
        while (slots_[slot] != empty && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
        if (slots_[slot] == empty) {
            check_number_of_clusters(keys_.size());
            slots_[slot] = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
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

inline Numbers room_for_numbers(std::size_t n_samples, std::uint64_t n_numbers) {
    return {room_for<std::uint32_t>(n_samples), n_samples, n_numbers};
}

/// Whether a place for each distance is worth its memory.
inline bool lie_close(const Range& range, std::size_t n_samples) noexcept {
    return range.width() / 4 <= n_samples + 256 && range.width() < std::numeric_limits<std::uint32_t>::max();
}

/// Numbers that are the distances from the lowest label. Nothing is read twice: labels that somebody changes meanwhile
/// give wrong numbers, but none beyond the limit.
inline Numbered number_close(const Labels& labels, const Range& range, unsigned n_members, const Pause& pause) {
    constexpr std::size_t chunk = std::size_t{1} << 12;
    Numbered result{room_for_numbers(labels.size, range.width() + 1), {}};
    const auto highest = static_cast<std::uint32_t>(range.width());
    in_chunks(n_members, labels.size, chunk, pause, [&](unsigned, std::size_t start, std::size_t stop) {
        std::uint32_t* const numbers = result.numbers.numbers.get() + start;
        std::fill_n(numbers, stop - start, 0U);
        labels.add32(labels, start, stop, range.lowest, std::numeric_limits<std::uint32_t>::max(), 0, numbers);
        for (std::size_t i = 0; i < stop - start; ++i) numbers[i] = std::min(numbers[i], highest);
    });
    return result;
}

/// How many bits a distance from the lowest label may have.
inline unsigned bits_of(const Range& range) noexcept { return static_cast<unsigned>(std::bit_width(range.width())); }

/// The place of each key in ascending order, by its number; and the keys in that order.
inline std::pair<std::vector<std::uint32_t>, std::vector<std::uint64_t>> ranked(KeyNumbers& numbers, const Range& range,
                                                                                const Pause& pause) {
    std::vector<std::uint64_t> sorted = numbers.keys();
    std::vector<std::uint64_t> spare(sorted.size());
    sort_by_digits(std::span(sorted), std::span(spare), bits_of(range), [](std::uint64_t key) { return key; });
    std::vector<std::uint32_t> rank(sorted.size());
    for (std::size_t place = 0; place < sorted.size(); ++place) {
        if (place % 4096 == 4095) pause();
        rank[numbers.number_of(sorted[place])] = static_cast<std::uint32_t>(place);
    }
    return {std::move(rank), std::move(sorted)};
}

/// Calls visit(i, distance) for every sample.
template <class Visit>
void for_each_distance(const Labels& labels, const Range& range, const Pause& pause, const Visit& visit) {
    constexpr std::size_t block = 4096;
    std::uint64_t distances[block];
    for (std::size_t start = 0; start < labels.size; start += block) {
        if (start > 0) pause();
        const std::size_t stop = std::min(labels.size, start + block);
        std::fill_n(distances, stop - start, 0);
        labels.add64(labels, start, stop, range.lowest, ~std::uint64_t{0}, 0, distances);
        for (std::size_t i = start; i < stop; ++i) {
            if (!visit(i, distances[i - start])) return;
        }
    }
}

/// Numbers 0 ... k - 1 for labels that lie far apart, if there are few distinct ones; nothing, if there are many.
inline std::optional<Numbered> number_by_hashing(const Labels& labels, const Range& range, const Pause& pause) {
    constexpr std::size_t few = std::size_t{1} << 14;
    Numbered result{room_for_numbers(labels.size, 0), {}};
    KeyNumbers numbers;
    for_each_distance(labels, range, pause, [&](std::size_t i, std::uint64_t distance) {
        result.numbers.numbers[i] = numbers.number_of(distance);
        return numbers.keys().size() <= few;
    });
    if (numbers.keys().size() > few) return std::nullopt;
    std::vector<std::uint32_t> rank;
    std::tie(rank, result.distances) = ranked(numbers, range, pause);
    for (std::size_t i = 0; i < labels.size; ++i) result.numbers.numbers[i] = rank[result.numbers.numbers[i]];
    result.numbers.n_numbers = result.distances.size();
    return result;
}

/// Numbers 0 ... k - 1 for labels that lie far apart, many of them distinct. `Item` holds a distance and a sample.
template <class Item>
Numbered number_by_sorting(const Labels& labels, const Range& range, const Pause& pause) {
    const Array<Item> items = room_for<Item>(labels.size);
    for_each_distance(labels, range, pause, [&](std::size_t i, std::uint64_t distance) {
        items[i] = {distance, i};
        return true;
    });
    {
        const Array<Item> spare = room_for<Item>(labels.size);
        const auto distance_of = [](const Item& item) { return item.distance; };
        sort_by_digits(std::span(items.get(), labels.size), std::span(spare.get(), labels.size), bits_of(range),
                       distance_of);
    }
    Numbered result{room_for_numbers(labels.size, 0), {}};
    for (std::size_t place = 0; place < labels.size; ++place) {
        if (place % 65536 == 65535) pause();
        if (place == 0 || items[place].distance != items[place - 1].distance) {
            check_number_of_clusters(result.distances.size());
            result.distances.push_back(items[place].distance);
        }
        result.numbers.numbers[items[place].sample] = static_cast<std::uint32_t>(result.distances.size() - 1);
    }
    result.numbers.n_numbers = result.distances.size();
    return result;
}

/// Where both fit, a distance and a sample take eight bytes together.
struct NarrowItem {
    std::uint32_t distance;
    std::uint32_t sample;

    NarrowItem() = default;
    NarrowItem(std::uint64_t d, std::size_t i) noexcept
        : distance(static_cast<std::uint32_t>(d)), sample(static_cast<std::uint32_t>(i)) {}
};

struct WideItem {
    std::uint64_t distance;
    std::uint64_t sample;
};

inline Numbered number(const Labels& labels, const Range& range, unsigned n_members, const Pause& pause) {
    if (lie_close(range, labels.size)) return number_close(labels, range, n_members, pause);
    if (std::optional<Numbered> few = number_by_hashing(labels, range, pause)) return *std::move(few);
    constexpr std::uint64_t narrow = std::numeric_limits<std::uint32_t>::max();
    return range.width() <= narrow && labels.size <= narrow ? number_by_sorting<NarrowItem>(labels, range, pause)
                                                            : number_by_sorting<WideItem>(labels, range, pause);
}

/// codes[i] says which of the (ascending) distinct labels sample i has.
struct Codes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> labels;
};

inline Codes encode(const Labels& labels, const Pause& pause) {
    if (labels.size == 0) return {};
    const Range range = range_of(labels, 1, pause);
    const Numbered numbered = number(labels, range, 1, pause);
    std::vector<std::uint32_t> code_of(numbered.numbers.n_numbers, 0);
    for (std::size_t i = 0; i < labels.size; ++i) code_of[numbered.numbers.numbers[i]] = 1;
    pause();
    Codes result;
    for (std::size_t value = 0; value < code_of.size(); ++value) {
        if (code_of[value] == 0) continue;
        code_of[value] = static_cast<std::uint32_t>(result.labels.size());
        result.labels.push_back(labels.label(range.lowest, numbered.distance(value)));
    }
    pause();
    result.codes.resize(labels.size);
    for (std::size_t i = 0; i < labels.size; ++i) result.codes[i] = code_of[numbered.numbers.numbers[i]];
    return result;
}

}  // namespace chanceless
