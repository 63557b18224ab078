#pragma once

// Labels that are strings of bytes -> codes.

#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

#include "counting/encode.hpp"

namespace chanceless::counting {

/// A string in two words, as in Arrow's string views: its size and its bytes if they fit, else the address of its
/// bytes, which must outlive it. Most labels fit; then equal words are equal strings.
class Text {
  public:
    /// The most bytes that fit. The words are those of little-endian processors; others store no bytes.
    static constexpr std::size_t most_inside = std::endian::native == std::endian::little ? 12 : 0;

    CHANCELESS_ALWAYS_INLINE explicit Text(std::string_view text) noexcept {
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
            set_bytes(n,
                      byte_at(text.data()) | (byte_at(text.data() + middle) << (8 * middle)) |
                          (byte_at(text.data() + last) << (8 * last)),
                      0);
        }
    }

    /// A string of at most `most_inside` bytes from the two words of a string view. Bytes behind it should be 0, but
    /// are not relied on.
    CHANCELESS_ALWAYS_INLINE static Text from_words(std::uint64_t first, std::uint64_t second) noexcept {
        Text text;
        const auto n = static_cast<std::uint32_t>(first);
        text.first_ = first & first_masks[n];
        text.second_ = second & second_masks[n];
        return text;
    }

    /// The bytes; they may be those of this object.
    [[nodiscard]] std::string_view view() const noexcept {
        if (is_inside()) return {reinterpret_cast<const char*>(this) + 4, static_cast<std::size_t>(first_ & 15U)};
        return {outside(), static_cast<std::size_t>(first_ >> 4)};
    }

    /// Whether the words are the string: equal words are then equal strings.
    [[nodiscard]] bool is_inside() const noexcept { return (first_ & is_outside) != is_outside; }
    [[nodiscard]] bool has_same_words(const Text& other) const noexcept {
        return first_ == other.first_ && second_ == other.second_;
    }

    [[nodiscard]] CHANCELESS_ALWAYS_INLINE std::uint64_t hash(const HashSeed& seed) const noexcept {
        return is_inside() ? seed.hash(first_, second_) : seed.hash(view());
    }

    CHANCELESS_ALWAYS_INLINE bool operator==(const Text& other) const noexcept {
        if (first_ != other.first_) return false;
        return second_ == other.second_ || (!is_inside() && same_bytes(other));
    }

  private:
    static constexpr std::uint64_t is_outside = 15;  // no size of a string that fits has these four bits
    using Masks = std::array<std::uint64_t, 13>;  // by the size of a string; two arrays, so that each word stays alone
    static constexpr Masks first_masks = [] {
        Masks masks{};
        for (unsigned n = 0; n <= 12; ++n)
            masks[n] = n >= 4 ? ~std::uint64_t{0} : (std::uint64_t{1} << (32 + 8 * n)) - 1;
        return masks;
    }();
    static constexpr Masks second_masks = [] {
        Masks masks{};
        for (unsigned n = 5; n < 12; ++n) masks[n] = (std::uint64_t{1} << (8 * (n - 4))) - 1;
        masks[12] = ~std::uint64_t{0};
        return masks;
    }();

    Text() noexcept = default;

    /// Words from the size, the first eight bytes and the last four.
    void set_bytes(std::size_t n, std::uint64_t eight, std::uint64_t four) noexcept {
        first_ = n | (eight << 32);
        second_ = (eight >> 32) | (four << 32);
    }

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

/// Codes of distinct strings, from 0 on as they are met (a hash table, open addressing). Bytes that do not fit in a
/// `Text` are not copied and must outlive it.
class TextDictionary {
  public:
    explicit TextDictionary(const HashSeed& seed = process_seed())
        : seed_(seed), slots_(initial_slots, Slot{0, empty}), mask_(initial_slots - 1) {}

    CHANCELESS_ALWAYS_INLINE std::uint32_t code_of(Text text, std::size_t position) {
        if (text.is_inside()) [[likely]] {
            const std::uint32_t code = slots_[text.hash(seed_) & mask_].code;
            if (code != empty && texts_[code].has_same_words(text)) [[likely]]
                return code;
        }
        return find_or_add(text, position);
    }

    [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }

    /// Points to a copy of a string, so that its first bytes need not outlive the dictionary.
    void replace(std::uint32_t code, const Text& copy) noexcept { texts_[code] = copy; }

    /// The string of each code.
    [[nodiscard]] const std::vector<Text>& texts() const& noexcept { return texts_; }
    [[nodiscard]] std::vector<Text> texts() && noexcept { return std::move(texts_); }

    /// The position of the first sample of each code that was met.
    [[nodiscard]] const std::vector<std::uint64_t>& positions() const& noexcept { return positions_; }
    [[nodiscard]] std::vector<std::uint64_t> positions() && noexcept { return std::move(positions_); }

    /// How many slots all strings are away from their first choice, in sum.
    [[nodiscard]] std::size_t displacement() const noexcept {
        return displacement_of(slots_.size(), [this](std::size_t slot) {
            const std::uint32_t code = slots_[slot].code;
            return code == empty ? std::nullopt : std::optional(texts_[code].hash(seed_));
        });
    }

  private:
    struct Slot {
        std::uint32_t tag;
        std::uint32_t code;
    };
    static constexpr std::size_t initial_slots = 2048;  // more than labels usually need, so that collisions are rare
    static constexpr std::uint32_t empty = 0xFFFFFFFFU;

    CHANCELESS_NEVER_INLINE std::uint32_t find_or_add(Text text, std::size_t position) {
        const std::uint64_t hash = text.hash(seed_);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t place = hash & mask_;
        for (; slots_[place].code != empty; place = (place + 1) & mask_) {
            if (slots_[place].tag == tag && texts_[slots_[place].code] == text) return slots_[place].code;
        }
        check_n_labels(texts_.size());
        const auto code = static_cast<std::uint32_t>(texts_.size());
        slots_[place] = {tag, code};
        texts_.push_back(text);
        positions_.push_back(position);
        if (2 * texts_.size() > slots_.size()) grow();
        return code;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{0, empty});
        mask_ = slots_.size() - 1;
        for (std::size_t code = 0; code < texts_.size(); ++code) {
            const std::uint64_t hash = texts_[code].hash(seed_);
            std::size_t place = hash & mask_;
            while (slots_[place].code != empty) place = (place + 1) & mask_;
            slots_[place] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(code)};
        }
    }

    HashSeed seed_;
    std::vector<Slot> slots_;
    std::size_t mask_;  // of the place of a slot
    std::vector<Text> texts_;
    std::vector<std::uint64_t> positions_;
};

/// A code for each sample, uninitialised at first.
template <class Code>
using TextCodeVector = std::vector<Code, LargePageAllocator<Code>>;

/// The code of a sample without a string.
template <class Code>
constexpr Code no_text = std::numeric_limits<Code>::max();

/// The code of each sample, and the string and the position of a sample of each code.
struct TextCodes {
    TextCodeVector<std::uint8_t> narrow;  // empty where one byte is not enough
    TextCodeVector<std::uint32_t> wide;   // else empty
    std::vector<Text> texts;
    std::vector<std::uint64_t> positions;
};

/// Encodes n strings; read(start, stop, visit) calls visit(i, text) for the samples from start to stop that have one.
/// Each worker has codes of its own for the strings of its chunks, in bytes while they are few; then all are merged.
template <class Read>
class TextEncoder {
  public:
    TextEncoder(std::size_t n, const Crew& crew, const Read& read, const HashSeed& seed)
        : n_(n), crew_(crew), read_(read), seed_(seed), chunks_((n + chunk - 1) / chunk), narrow_(n) {
        dictionaries_.resize(crew.size());
    }

    TextCodes encode() && {
        crew_.in_chunks(n_, chunk, [this](unsigned worker, std::size_t start, std::size_t stop) {
            encode_chunk(worker, start, stop);
        });
        TextDictionary merged = merge_dictionaries();
        const bool is_narrow = merged.size() <= most_narrow;
        if (!is_narrow) wide_codes();
        crew_.in_chunks(n_, chunk, [&](unsigned, std::size_t start, std::size_t stop) {
            is_narrow ? renumber_narrow(start, stop) : renumber_wide(start, stop);
        });
        TextCodes result;
        is_narrow ? result.narrow.swap(narrow_) : result.wide.swap(wide_);
        result.texts = std::move(merged).texts();
        result.positions = std::move(merged).positions();
        return result;
    }

  private:
    static constexpr std::size_t chunk = 4096;
    static constexpr std::size_t most_narrow = no_text<std::uint8_t>;

    /// Whose codes the samples of a chunk have, and where.
    struct Chunk {
        unsigned worker;
        bool is_wide;
    };

    /// Writes the codes of strings; a function that compilers inline where they would call a lambda for each string.
    struct CodeWriter {
        TextDictionary& dictionary;
        std::uint32_t* codes;
        std::size_t start;

        CHANCELESS_ALWAYS_INLINE void operator()(std::size_t i, Text text) const {
            codes[i - start] = dictionary.code_of(text, i);
        }
    };

    void encode_chunk(unsigned worker, std::size_t start, std::size_t stop) {
        if (dictionaries_[worker] == nullptr) dictionaries_[worker] = std::make_unique<TextDictionary>(seed_);
        TextDictionary& own = *dictionaries_[worker];
        std::uint32_t codes[chunk];
        std::fill_n(codes, stop - start, no_text<std::uint32_t>);
        read_(start, stop, CodeWriter{own, codes, start});
        chunks_[start / chunk] = {worker, own.size() > most_narrow};
        if (own.size() > most_narrow) {
            std::copy_n(codes, stop - start, wide_codes() + start);
        } else {
            std::transform(codes, codes + (stop - start), narrow_.data() + start,
                           [](std::uint32_t code) { return static_cast<std::uint8_t>(code); });
        }
    }

    /// The codes of all samples in 32 bits, allocated when they are needed.
    std::uint32_t* wide_codes() {
        std::call_once(is_allocated_, [this] { wide_.resize(n_); });
        return wide_.data();
    }

    /// Adds the strings of all workers to those of the first one, whose codes stay the same.
    TextDictionary merge_dictionaries() {
        new_codes_.resize(crew_.size());
        TextDictionary merged = dictionaries_[0] == nullptr ? TextDictionary(seed_) : *std::move(dictionaries_[0]);
        for (std::size_t worker = 1; worker < dictionaries_.size(); ++worker) {
            if (dictionaries_[worker] == nullptr) continue;
            const TextDictionary& own = *dictionaries_[worker];
            for (std::size_t code = 0; code < own.size(); ++code) {
                new_codes_[worker].push_back(merged.code_of(own.texts()[code], own.positions()[code]));
            }
        }
        return merged;
    }

    void renumber_narrow(std::size_t start, std::size_t stop) {
        const auto& new_codes = new_codes_[chunks_[start / chunk].worker];
        if (new_codes.empty()) return;
        for (std::size_t i = start; i < stop; ++i) {
            if (narrow_[i] != no_text<std::uint8_t>) narrow_[i] = static_cast<std::uint8_t>(new_codes[narrow_[i]]);
        }
    }

    void renumber_wide(std::size_t start, std::size_t stop) {
        const auto& new_codes = new_codes_[chunks_[start / chunk].worker];
        if (!chunks_[start / chunk].is_wide) {
            for (std::size_t i = start; i < stop; ++i) {
                wide_[i] = narrow_[i] == no_text<std::uint8_t> ? no_text<std::uint32_t> : narrow_[i];
            }
        }
        if (new_codes.empty()) return;
        for (std::size_t i = start; i < stop; ++i) {
            if (wide_[i] != no_text<std::uint32_t>) wide_[i] = new_codes[wide_[i]];
        }
    }

    std::size_t n_;
    const Crew& crew_;
    const Read& read_;
    const HashSeed& seed_;
    std::vector<Chunk> chunks_;
    TextCodeVector<std::uint8_t> narrow_;
    TextCodeVector<std::uint32_t> wide_;
    std::once_flag is_allocated_;
    std::vector<std::unique_ptr<TextDictionary>> dictionaries_;  // of each worker that came
    std::vector<std::vector<std::uint32_t>> new_codes_;          // for those of each worker but the first
};

template <class Read>
TextCodes encode_text(std::size_t n, const CancellationCheck& check_cancelled, const Read& read,
                      const HashSeed& seed = process_seed()) {
    constexpr std::size_t samples_a_thread = std::size_t{1} << 16;
    const Crew crew(n / samples_a_thread, check_cancelled);
    return TextEncoder<Read>(n, crew, read, seed).encode();
}

}  // namespace chanceless::counting
