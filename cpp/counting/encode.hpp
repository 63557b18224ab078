#pragma once

// Labels -> codes: offsets from the lowest label where labels lie close together, else by hashing or sorting.

#include "base/hash.hpp"
#include "base/sort.hpp"
#include "counting/bucket_writer.hpp"
#include "counting/labels.hpp"

namespace chanceless::counting {

// Labels that lie far apart -> codes in their order: by hashing where they are few, else by sorting in buckets that fit
// into the cache.

/// One code below `n_codes` for each sample; not every code need occur.
struct CodeArray {
    Array<std::uint32_t> of_sample;
    std::size_t n_samples = 0;
    std::uint64_t n_codes = 0;
};

/// Codes in the order of the labels, and the offset of each code from the lowest label; without `offsets`, the codes
/// are the offsets.
struct Encoded {
    CodeArray codes;
    std::vector<std::uint64_t> offsets;

    [[nodiscard]] std::uint64_t offset(std::uint64_t code) const noexcept {
        return offsets.empty() ? code : offsets[code];
    }
};

void check_n_labels(std::size_t n_labels);

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
        return displacement_of(slots_.size(), [this](std::size_t slot) {
            return slots_[slot] == empty ? std::nullopt : std::optional<std::uint64_t>(slot_of(keys_[slots_[slot]]));
        });
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

/// Codes 0 ... k - 1 for labels that lie far apart, in `range`.
Encoded encode_far(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled,
                   const HashSeed& seed = process_seed());

/// Whether an array with an entry for each offset is worth its memory.
inline bool lie_close(const Range& range, std::size_t n_samples) noexcept {
    return range.width() / 4 <= n_samples + 256 && range.width() < std::numeric_limits<std::uint32_t>::max();
}

/// The code of each sample, and the label of each code, ascending.
struct LabelCodes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> labels;
};

LabelCodes encode(const Labels& labels, const CancellationCheck& check_cancelled,
                  const HashSeed& seed = process_seed());

}  // namespace chanceless::counting
