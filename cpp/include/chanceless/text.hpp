#pragma once

// Labels that are strings of bytes -> numbers in the order in which they first appear.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "chanceless/encode.hpp"
#include "chanceless/fixed_point.hpp"
#include "chanceless/threads.hpp"

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
            if (slots_[slot].tag == tag && same(texts_[slots_[slot].number], text)) return slots_[slot].number;
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
    static constexpr std::size_t initial_slots = 2048;  // more than labels usually need, so that few share a slot
    static constexpr std::uint32_t empty = 0xFFFFFFFFU;

    static std::uint64_t word_at(const char* bytes, std::size_t n) noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, n);
        return word;
    }

    /// Most labels are short, and for these a call of memcmp would take longer than the comparison.
    static bool same(std::string_view left, std::string_view right) noexcept {
        const std::size_t n = left.size();
        if (n != right.size()) return false;
        if (n < 8) return std::memcmp(left.data(), right.data(), n) == 0;
        if (n > 16) return left == right;
        return word_at(left.data(), 8) == word_at(right.data(), 8) &&
               word_at(left.data() + n - 8, 8) == word_at(right.data() + n - 8, 8);
    }

    /// Eight bytes at a time; the last eight may overlap with those before. The high half of each product is folded
    /// into the low one: labels that differ in their last letter only must not share a slot.
    static std::uint64_t hash_of(std::string_view text) noexcept {
        constexpr std::uint64_t factor = 0x9FB21C651E98DF25U;
        const char* bytes = text.data();
        const std::size_t n = text.size();
        std::uint64_t hash = n + 0x2545F4914F6CDD1DU;
        const auto mix = [&](std::uint64_t word) {
            const uint128 product = uint128{hash ^ word} * factor;
            hash = low_half(product) ^ high_half(product);
        };
        if (n < 8) {
            mix(word_at(bytes, n));
        } else {
            for (std::size_t i = 0; i + 8 < n; i += 8) mix(word_at(bytes + i, 8));
            mix(word_at(bytes + n - 8, 8));
        }
        return hash;
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

/// Numbers n strings; text_at(i) is that of sample i. Each thread numbers a part of its own; then the numbers of the
/// parts are brought together.
template <class TextAt>
TextCodes encode_text(std::size_t n, const Pause& pause, const TextAt& text_at) {
    constexpr std::size_t samples_a_thread = std::size_t{1} << 16;
    constexpr std::size_t block = 4096;
    const Crew crew(n / samples_a_thread);
    const std::size_t share = n / crew.size() + 1;
    TextCodes result;
    result.codes.resize(n);
    TextNumbers all;
    std::vector<std::vector<std::uint64_t>> firsts(crew.size());
    std::vector<std::vector<std::uint32_t>> numbers(crew.size());
    const auto in_part = [&](unsigned member, const Pause& own_pause, const auto& work) {
        const std::size_t last = std::min(n, (member + 1) * share);
        for (std::size_t start = std::min(n, member * share); start < last; start += block) {
            own_pause();
            for (std::size_t i = start; i < std::min(last, start + block); ++i) work(i);
        }
    };
    together(crew.size(), pause, [&](unsigned member, const Pause& own_pause) {
        TextNumbers own;
        in_part(member, own_pause, [&](std::size_t i) { result.codes[i] = own.number_of(text_at(i), i); });
        firsts[member] = std::move(own).positions();
    });
    for (unsigned member = 0; member < crew.size(); ++member) {
        for (const std::uint64_t first : firsts[member])
            numbers[member].push_back(all.number_of(text_at(first), first));
    }
    together(crew.size(), pause, [&](unsigned member, const Pause& own_pause) {
        if (member == 0) return;  // whose numbers come first, and stay
        in_part(member, own_pause, [&](std::size_t i) { result.codes[i] = numbers[member][result.codes[i]]; });
    });
    result.positions = std::move(all).positions();
    return result;
}

}  // namespace chanceless
