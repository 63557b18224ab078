#pragma once

// Labels that are strings of bytes -> codes in order of first appearance.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/compiler.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/hash.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// A string in two words, as in Arrow's string views: its size and its bytes if they fit, else the address of its
/// bytes, which must outlive it. Most labels fit; then equal words are equal strings.
class Text {
  public:
    /// The most bytes that fit. The words are those of little-endian processors; others store no bytes.
    static constexpr std::size_t most_inside = std::endian::native == std::endian::little ? 12 : 0;

    explicit Text(std::string_view text) noexcept {
        const std::size_t n = text.size();
        if (n > most_inside) {
            first_ = (std::uint64_t{n} << 4) | is_outside;
            second_ = reinterpret_cast<std::uintptr_t>(text.data());
        } else if (n >= 8) {
            // The last four bytes overlap with the first eight; what the shift leaves is behind them.
            set_bytes(n, word_at(text.data()), half_at(text.data() + n - 4) >> (8 * (12 - n)));
        } else if (n >= 4) {
            const std::uint64_t behind = half_at(text.data() + n - 4) >> (8 * (8 - n));
            set_bytes(n, half_at(text.data()) | (behind << 32), 0);
        } else if (n > 0) {
            const std::size_t middle = n / 2;
            const std::size_t last = n - 1;
            set_bytes(
                n, byte_at(text, 0) | (byte_at(text, middle) << (8 * middle)) | (byte_at(text, last) << (8 * last)), 0);
        }
    }

    /// A string of at most `most_inside` bytes from the two words of a string view. Bytes behind it should be 0, but
    /// are not relied on.
    static Text from_words(std::uint64_t first, std::uint64_t second) noexcept {
        Text text;
        const auto n = static_cast<std::uint32_t>(first);
        text.first_ = first & masks[n].first;
        text.second_ = second & masks[n].second;
        return text;
    }

    /// The bytes; they may be those of this object.
    [[nodiscard]] std::string_view view() const noexcept {
        if (is_inside()) return {reinterpret_cast<const char*>(this) + 4, static_cast<std::size_t>(first_ & 15U)};
        return {outside(), static_cast<std::size_t>(first_ >> 4)};
    }

    [[nodiscard]] std::uint64_t hash(const HashSeed& seed) const noexcept {
        return is_inside() ? seed.hash(first_, second_) : seed.hash(view());
    }

    bool operator==(const Text& other) const noexcept {
        if (first_ != other.first_) return false;
        return second_ == other.second_ || (!is_inside() && same_bytes(other));
    }

  private:
    struct Masks {
        std::uint64_t first;
        std::uint64_t second;
    };
    static constexpr std::uint64_t is_outside = 15;  // no size of a string that fits has these four bits
    static constexpr std::array<Masks, 13> masks = [] {
        std::array<Masks, 13> all{};
        for (unsigned n = 0; n <= 12; ++n) {
            all[n].first = n >= 4 ? ~std::uint64_t{0} : (std::uint64_t{1} << (32 + 8 * n)) - 1;
            all[n].second = n == 12 ? ~std::uint64_t{0} : n <= 4 ? 0 : (std::uint64_t{1} << (8 * (n - 4))) - 1;
        }
        return all;
    }();

    Text() noexcept = default;

    /// Words from the size, the first eight bytes and the last four.
    void set_bytes(std::size_t n, std::uint64_t eight, std::uint64_t four) noexcept {
        first_ = n | (eight << 32);
        second_ = (eight >> 32) | (four << 32);
    }

    static std::uint64_t word_at(const char* bytes) noexcept {
        std::uint64_t word;
        std::memcpy(&word, bytes, sizeof(word));
        return word;
    }

    static std::uint64_t half_at(const char* bytes) noexcept {
        std::uint32_t half;
        std::memcpy(&half, bytes, sizeof(half));
        return half;
    }

    static std::uint64_t byte_at(std::string_view text, std::size_t place) noexcept {
        return static_cast<unsigned char>(text[place]);
    }

    [[nodiscard]] bool is_inside() const noexcept { return (first_ & is_outside) != is_outside; }
    [[nodiscard]] const char* outside() const noexcept {
        return reinterpret_cast<const char*>(static_cast<std::uintptr_t>(second_));
    }

    /// Compares strings of one size. Most are short: a call of memcmp would take longer than the comparison itself.
    [[nodiscard]] bool same_bytes(const Text& other) const noexcept {
        const auto n = static_cast<std::size_t>(first_ >> 4);
        const char* left = outside();
        const char* right = other.outside();
        if (n < 8 || n > 32) return std::memcmp(left, right, n) == 0;
        for (std::size_t i = 0; i + 8 < n; i += 8) {
            if (word_at(left + i) != word_at(right + i)) return false;
        }
        return word_at(left + n - 8) == word_at(right + n - 8);
    }

    std::uint64_t first_ = 0;   // the size and four bytes, or the size * 16 + 15
    std::uint64_t second_ = 0;  // eight more bytes, or the address
};

/// Codes of distinct strings (a hash table, open addressing). Bytes that do not fit in a `Text` are not copied and must
/// outlive it.
class TextDictionary {
  public:
    explicit TextDictionary(const HashSeed& seed = process_seed())
        : seed_(seed), slots_(initial_slots, Slot{0, empty}) {}

    std::uint32_t code_of(const Text& text, std::size_t position) {
        const std::uint64_t hash = text.hash(seed_);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t slot = hash & (slots_.size() - 1);
        for (; slots_[slot].code != empty; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot].tag == tag && texts_[slots_[slot].code] == text) return slots_[slot].code;
        }
        return add({tag, static_cast<std::uint32_t>(texts_.size())}, slot, text, position);
    }

    /// Points to a copy of a string, so that its first bytes need not outlive the dictionary.
    void replace(std::uint32_t code, const Text& copy) noexcept { texts_[code] = copy; }

    /// The string of each code.
    [[nodiscard]] const std::vector<Text>& texts() const& noexcept { return texts_; }
    [[nodiscard]] std::vector<Text> texts() && noexcept { return std::move(texts_); }

    /// The position of the first sample of each code.
    [[nodiscard]] const std::vector<std::uint64_t>& positions() const& noexcept { return positions_; }
    [[nodiscard]] std::vector<std::uint64_t> positions() && noexcept { return std::move(positions_); }

    /// How many slots all strings are away from their first choice, in sum.
    [[nodiscard]] std::size_t displacement() const noexcept {
        std::size_t sum = 0;
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
            if (slots_[slot].code != empty) sum += (slot - texts_[slots_[slot].code].hash(seed_)) & (slots_.size() - 1);
        }
        return sum;
    }

  private:
    struct Slot {
        std::uint32_t tag;
        std::uint32_t code;
    };
    static constexpr std::size_t initial_slots = 2048;  // more than labels usually need, so that collisions are rare
    static constexpr std::uint32_t empty = 0xFFFFFFFFU;

    CHANCELESS_NEVER_INLINE std::uint32_t add(const Slot& entry, std::size_t slot, const Text& text,
                                              std::size_t position) {
        check_n_labels(texts_.size());
        slots_[slot] = entry;
        texts_.push_back(text);
        positions_.push_back(position);
        if (2 * texts_.size() > slots_.size()) grow();
        return entry.code;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{0, empty});
        for (std::size_t code = 0; code < texts_.size(); ++code) {
            const std::uint64_t hash = texts_[code].hash(seed_);
            std::size_t slot = hash & (slots_.size() - 1);
            while (slots_[slot].code != empty) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(code)};
        }
    }

    HashSeed seed_;
    std::vector<Slot> slots_;
    std::vector<Text> texts_;
    std::vector<std::uint64_t> positions_;
};

/// The code of a sample without a string.
constexpr std::uint32_t no_text = 0xFFFFFFFFU;

/// A code for each sample, uninitialised at first.
using TextCodeVector = std::vector<std::uint32_t, LargePageAllocator<std::uint32_t>>;

/// The code of each sample, and the string and the position of the first sample of each code.
struct TextCodes {
    TextCodeVector codes;
    std::vector<Text> texts;
    std::vector<std::uint64_t> positions;
};

/// Encodes n strings; read(start, stop, visit) calls visit(i, text) for the samples from start to stop that have one.
/// There is a part of the samples for each worker, which any of them may encode; then the codes of all parts are
/// merged.
template <class Read>
TextCodes encode_text(std::size_t n, const CancellationCheck& check_cancelled, const Read& read,
                      const HashSeed& seed = process_seed()) {
    constexpr std::size_t samples_a_thread = std::size_t{1} << 16;
    constexpr std::size_t block = 4096;
    const Crew crew(n / samples_a_thread, check_cancelled);
    const std::size_t share = n / crew.size() + 1;
    TextCodes result;
    result.codes.resize(n);
    std::uint32_t* const codes = result.codes.data();
    const auto for_parts = [&](std::size_t first_part, const auto& work) {
        std::atomic<std::size_t> next{first_part};
        crew.together([&](unsigned, const CancellationCheck& worker_check) {
            for (std::size_t part = next++; part < crew.size(); part = next++) work(part, worker_check);
        });
    };
    const auto in_part = [&](std::size_t part, const CancellationCheck& worker_check, const auto& work) {
        const std::size_t last = std::min(n, (part + 1) * share);
        for (std::size_t start = std::min(n, part * share); start < last; start += block) {
            worker_check();
            work(start, std::min(last, start + block));
        }
    };
    std::vector<TextDictionary> parts(crew.size(), TextDictionary(seed));
    for_parts(0, [&](std::size_t part, const CancellationCheck& worker_check) {
        TextDictionary own(seed);  // not in `parts`, where workers would share cache lines
        in_part(part, worker_check, [&](std::size_t start, std::size_t stop) {
            std::fill(codes + start, codes + stop, no_text);
            read(start, stop, [&](std::size_t i, const Text& text) { codes[i] = own.code_of(text, i); });
        });
        parts[part] = std::move(own);
    });
    TextDictionary& merged = parts[0];  // its codes come first and stay the same
    std::vector<std::vector<std::uint32_t>> new_codes(crew.size());
    for (std::size_t part = 1; part < crew.size(); ++part) {
        const TextDictionary& own = parts[part];
        for (std::size_t code = 0; code < own.texts().size(); ++code) {
            new_codes[part].push_back(merged.code_of(own.texts()[code], own.positions()[code]));
        }
    }
    for_parts(1, [&](std::size_t part, const CancellationCheck& worker_check) {
        in_part(part, worker_check, [&](std::size_t start, std::size_t stop) {
            for (std::size_t i = start; i < stop; ++i) {
                if (codes[i] != no_text) codes[i] = new_codes[part][codes[i]];
            }
        });
    });
    result.texts = std::move(merged).texts();
    result.positions = std::move(merged).positions();
    return result;
}

}  // namespace chanceless
