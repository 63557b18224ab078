#pragma once

// Labels that are strings of bytes -> numbers in the order in which they first appear.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "chanceless/encode.hpp"

namespace chanceless {

/// Distinct strings (open addressing). Their bytes are not copied: they must stay where they are.
class TextNumbers {
  public:
    TextNumbers() : slots_(initial_slots, Slot{0, empty}) {}

    std::uint32_t number_of(std::string_view text, std::size_t position) {
        const std::uint64_t hash = hash_of(text);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t slot = hash & (slots_.size() - 1);
        for (; slots_[slot].number != empty; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot].tag == tag && texts_[slots_[slot].number] == text) return slots_[slot].number;
        }
        check_number_of_clusters(texts_.size());
        const auto number = static_cast<std::uint32_t>(texts_.size());
        slots_[slot] = {tag, number};
        texts_.push_back(text);
        positions_.push_back(position);
        if (2 * texts_.size() > slots_.size()) grow();
        return number;
    }

    /// Where each of the distinct strings was first seen.
    [[nodiscard]] std::vector<std::uint64_t> positions() && noexcept { return std::move(positions_); }

  private:
    struct Slot {
        std::uint32_t tag;
        std::uint32_t number;
    };
    static constexpr std::size_t initial_slots = 64;
    static constexpr std::uint32_t empty = 0xFFFFFFFFU;

    static std::uint64_t word_at(const char* bytes, std::size_t n) noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, n);
        return word;
    }

    /// Eight bytes at a time; the last eight may overlap with those before.
    static std::uint64_t hash_of(std::string_view text) noexcept {
        constexpr std::uint64_t factor = 0x9FB21C651E98DF25U;
        const char* bytes = text.data();
        const std::size_t n = text.size();
        std::uint64_t hash = n * factor;
        const auto mix = [&](std::uint64_t word) {
            hash = (hash ^ word) * factor;
            hash ^= hash >> 29;
        };
        if (n < 8) {
            mix(word_at(bytes, n));
        } else {
            for (std::size_t i = 0; i + 8 < n; i += 8) mix(word_at(bytes + i, 8));
            mix(word_at(bytes + n - 8, 8));
        }
        return hash ^ (hash >> 32);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{0, empty});
        for (std::size_t number = 0; number < texts_.size(); ++number) {
            const std::uint64_t hash = hash_of(texts_[number]);
            std::size_t slot = hash & (slots_.size() - 1);
            while (slots_[slot].number != empty) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(number)};
        }
    }

    std::vector<Slot> slots_;
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> positions_;
};

/// Which of the distinct strings each sample has, and where each of these is first seen.
struct TextCodes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> positions;
};

/// Numbers n strings; text_at(i) is that of sample i.
template <class TextAt>
TextCodes encode_text(std::size_t n, const Pause& pause, const TextAt& text_at) {
    constexpr std::size_t block = 4096;
    TextCodes result;
    result.codes.resize(n);
    TextNumbers numbers;
    for (std::size_t start = 0; start < n; start += block) {
        if (start > 0) pause();
        const std::size_t stop = std::min(n, start + block);
        for (std::size_t i = start; i < stop; ++i) result.codes[i] = numbers.number_of(text_at(i), i);
    }
    result.positions = std::move(numbers).positions();
    return result;
}

}  // namespace chanceless
