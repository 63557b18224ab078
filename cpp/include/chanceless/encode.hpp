#pragma once

// Labels -> codes: offsets from the lowest label where labels lie close together, else by hashing or sorting.

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

#include "chanceless/cancellation.hpp"
#include "chanceless/hash.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/sort.hpp"
#include "chanceless/sparse.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Codes in the order of the labels, and the offset of each code from the lowest label; without `offsets`, the codes
/// are the offsets.
struct Encoded {
    CodeArray codes;
    std::vector<std::uint64_t> offsets;

    [[nodiscard]] std::uint64_t offset(std::uint64_t code) const noexcept {
        return offsets.empty() ? code : offsets[code];
    }
};

inline void check_n_labels(std::size_t n_labels) {
    if (n_labels >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4294967294 distinct labels in one clustering");
    }
}

/// Codes of distinct 64-bit keys, ascending in order of first appearance (a hash table, open addressing).
class KeyDictionary {
  public:
    explicit KeyDictionary(const HashSeed& seed = process_seed()) : seed_(seed), slots_(initial_slots, empty) {}

    std::uint32_t code_of(std::uint64_t key) {
        std::size_t slot = slot_of(key);
        while (slots_[slot] != empty && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
        if (slots_[slot] == empty) {
            check_n_labels(keys_.size());
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

    /// How many slots all keys are away from their first choice, in sum.
    [[nodiscard]] std::size_t displacement() const noexcept {
        std::size_t sum = 0;
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
            if (slots_[slot] != empty) sum += (slot - slot_of(keys_[slots_[slot]])) & (slots_.size() - 1);
        }
        return sum;
    }

  private:
    static constexpr std::size_t initial_slots = 64;
    static constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
        return static_cast<std::size_t>(seed_.hash(key) >> unused_bits_);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), empty);
        --unused_bits_;
        for (std::size_t code = 0; code < keys_.size(); ++code) {
            std::size_t slot = slot_of(keys_[code]);
            while (slots_[slot] != empty) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(code);
        }
    }

    HashSeed seed_;
    unsigned unused_bits_ = 64 - std::bit_width(initial_slots - 1);  // of a hash, right of the bits that are the slot
    std::vector<std::uint32_t> slots_;
    std::vector<std::uint64_t> keys_;
};

inline CodeArray uninitialised_codes(std::size_t n_samples, std::uint64_t n_codes) {
    return {uninitialised<std::uint32_t>(n_samples), n_samples, n_codes};
}

/// Whether an array with an entry for each offset is worth its memory.
inline bool lie_close(const Range& range, std::size_t n_samples) noexcept {
    return range.width() / 4 <= n_samples + 256 && range.width() < std::numeric_limits<std::uint32_t>::max();
}

/// Codes that are offsets from the lowest label. Each label is read once: if another thread changes labels meanwhile,
/// codes are wrong, but never out of range.
inline Encoded encode_by_offset(const Labels& labels, const Range& range, unsigned n_workers,
                                const CancellationCheck& check_cancelled) {
    constexpr std::size_t chunk = std::size_t{1} << 12;
    Encoded result{uninitialised_codes(labels.size, range.width() + 1), {}};
    const auto highest = static_cast<std::uint32_t>(range.width());
    in_chunks(n_workers, labels.size, chunk, check_cancelled, [&](unsigned, std::size_t start, std::size_t stop) {
        std::uint32_t* const codes = result.codes.of_sample.get() + start;
        std::fill_n(codes, stop - start, 0U);
        labels.add32(labels, start, stop, range.lowest, std::numeric_limits<std::uint32_t>::max(), 0, codes);
        for (std::size_t i = 0; i < stop - start; ++i) codes[i] = std::min(codes[i], highest);
    });
    return result;
}

/// Number of bits of the largest offset.
inline unsigned bits_of(const Range& range) noexcept { return static_cast<unsigned>(std::bit_width(range.width())); }

/// The rank of each code when keys are in ascending order, and the keys in that order.
inline std::pair<std::vector<std::uint32_t>, std::vector<std::uint64_t>> ranked(
    KeyDictionary& dictionary, const Range& range, const CancellationCheck& check_cancelled) {
    std::vector<std::uint64_t> sorted = dictionary.keys();
    std::vector<std::uint64_t> spare(sorted.size());
    sort_by_digits(std::span(sorted), std::span(spare), bits_of(range), [](std::uint64_t key) { return key; });
    std::vector<std::uint32_t> rank(sorted.size());
    for (std::size_t place = 0; place < sorted.size(); ++place) {
        if (place % 4096 == 4095) check_cancelled();
        rank[dictionary.code_of(sorted[place])] = static_cast<std::uint32_t>(place);
    }
    return {std::move(rank), std::move(sorted)};
}

/// Calls visit(i, offset) for every sample, until it returns false.
template <class Visit>
void for_each_offset(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled,
                     const Visit& visit) {
    constexpr std::size_t block = 4096;
    std::uint64_t offsets[block];
    for (std::size_t start = 0; start < labels.size; start += block) {
        if (start > 0) check_cancelled();
        const std::size_t stop = std::min(labels.size, start + block);
        std::fill_n(offsets, stop - start, 0);
        labels.add64(labels, start, stop, range.lowest, ~std::uint64_t{0}, 0, offsets);
        for (std::size_t i = start; i < stop; ++i) {
            if (!visit(i, offsets[i - start])) return;
        }
    }
}

/// Codes 0 ... k - 1 for labels that lie far apart; nullopt if many of them are distinct.
inline std::optional<Encoded> encode_by_hashing(const Labels& labels, const Range& range,
                                                const CancellationCheck& check_cancelled, const HashSeed& seed) {
    constexpr std::size_t few = std::size_t{1} << 14;
    Encoded result{uninitialised_codes(labels.size, 0), {}};
    KeyDictionary dictionary(seed);
    for_each_offset(labels, range, check_cancelled, [&](std::size_t i, std::uint64_t offset) {
        result.codes.of_sample[i] = dictionary.code_of(offset);
        return dictionary.keys().size() <= few;
    });
    if (dictionary.keys().size() > few) return std::nullopt;
    std::vector<std::uint32_t> rank;
    std::tie(rank, result.offsets) = ranked(dictionary, range, check_cancelled);
    for (std::size_t i = 0; i < labels.size; ++i) result.codes.of_sample[i] = rank[result.codes.of_sample[i]];
    result.codes.n_codes = result.offsets.size();
    return result;
}

/// Codes 0 ... k - 1 for labels that lie far apart, many of them distinct. `Item` holds an offset and a sample.
template <class Item>
Encoded encode_by_sorting(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled) {
    const Array<Item> items = uninitialised<Item>(labels.size);
    for_each_offset(labels, range, check_cancelled, [&](std::size_t i, std::uint64_t offset) {
        items[i] = {offset, i};
        return true;
    });
    {
        const Array<Item> spare = uninitialised<Item>(labels.size);
        const auto offset_of = [](const Item& item) { return item.offset; };
        sort_by_digits(std::span(items.get(), labels.size), std::span(spare.get(), labels.size), bits_of(range),
                       offset_of);
    }
    Encoded result{uninitialised_codes(labels.size, 0), {}};
    for (std::size_t place = 0; place < labels.size; ++place) {
        if (place % 65536 == 65535) check_cancelled();
        if (place == 0 || items[place].offset != items[place - 1].offset) {
            check_n_labels(result.offsets.size());
            result.offsets.push_back(items[place].offset);
        }
        result.codes.of_sample[items[place].sample] = static_cast<std::uint32_t>(result.offsets.size() - 1);
    }
    result.codes.n_codes = result.offsets.size();
    return result;
}

/// An offset and a sample in eight bytes, where both fit.
struct NarrowItem {
    std::uint32_t offset;
    std::uint32_t sample;

    NarrowItem() = default;
    NarrowItem(std::uint64_t d, std::size_t i) noexcept
        : offset(static_cast<std::uint32_t>(d)), sample(static_cast<std::uint32_t>(i)) {}
};

struct WideItem {
    std::uint64_t offset;
    std::uint64_t sample;
};

/// Encodes labels that lie in `range`; not every code need occur.
inline Encoded encode_in_range(const Labels& labels, const Range& range, unsigned n_workers,
                               const CancellationCheck& check_cancelled, const HashSeed& seed = process_seed()) {
    if (lie_close(range, labels.size)) return encode_by_offset(labels, range, n_workers, check_cancelled);
    if (std::optional<Encoded> few = encode_by_hashing(labels, range, check_cancelled, seed)) return *std::move(few);
    constexpr std::uint64_t narrow = std::numeric_limits<std::uint32_t>::max();
    return range.width() <= narrow && labels.size <= narrow
               ? encode_by_sorting<NarrowItem>(labels, range, check_cancelled)
               : encode_by_sorting<WideItem>(labels, range, check_cancelled);
}

/// The code of each sample, and the label of each code, ascending.
struct LabelCodes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> labels;
};

inline LabelCodes encode(const Labels& labels, const CancellationCheck& check_cancelled,
                         const HashSeed& seed = process_seed()) {
    if (labels.size == 0) return {};
    const Range range = range_of(labels, 1, check_cancelled);
    const Encoded encoded = encode_in_range(labels, range, 1, check_cancelled, seed);
    std::vector<std::uint32_t> new_code(encoded.codes.n_codes, 0);
    for (std::size_t i = 0; i < labels.size; ++i) new_code[encoded.codes.of_sample[i]] = 1;
    check_cancelled();
    LabelCodes result;
    for (std::size_t code = 0; code < new_code.size(); ++code) {
        if (new_code[code] == 0) continue;
        new_code[code] = static_cast<std::uint32_t>(result.labels.size());
        result.labels.push_back(labels.label(range.lowest, encoded.offset(code)));
    }
    check_cancelled();
    result.codes.resize(labels.size);
    for (std::size_t i = 0; i < labels.size; ++i) result.codes[i] = new_code[encoded.codes.of_sample[i]];
    return result;
}

}  // namespace chanceless
