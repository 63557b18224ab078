#pragma once

// Labels that are strings of bytes -> codes in order of first appearance.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/hash.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Codes of distinct strings (a hash table, open addressing). Their bytes are not copied and must outlive it.
class TextDictionary {
  public:
    explicit TextDictionary(const HashSeed& seed = process_seed())
        : seed_(seed), slots_(initial_slots, Slot{0, empty}) {}

    std::uint32_t code_of(std::string_view text, std::size_t position) {
        const std::uint64_t hash = seed_.hash(text);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t slot = hash & (slots_.size() - 1);
        for (; slots_[slot].code != empty; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot].tag == tag && same(texts_[slots_[slot].code], text)) return slots_[slot].code;
        }
        check_n_labels(texts_.size());
        const auto code = static_cast<std::uint32_t>(texts_.size());
        slots_[slot] = {tag, code};
        texts_.push_back(text);
        positions_.push_back(position);
        if (2 * texts_.size() > slots_.size()) grow();
        return code;
    }

    /// The position of the first sample of each code.
    [[nodiscard]] std::vector<std::uint64_t> positions() && noexcept { return std::move(positions_); }

    /// How many slots all strings are away from their first choice, in sum.
    [[nodiscard]] std::size_t displacement() const noexcept {
        std::size_t sum = 0;
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
            if (slots_[slot].code != empty) sum += (slot - seed_.hash(texts_[slots_[slot].code])) & (slots_.size() - 1);
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

    static std::uint64_t word_at(const char* bytes, std::size_t n) noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, n);
        return word;
    }

    /// Most labels are short: a call of memcmp would take longer than the comparison itself.
    static bool same(std::string_view left, std::string_view right) noexcept {
        const std::size_t n = left.size();
        if (n != right.size()) return false;
        if (n < 8) return std::memcmp(left.data(), right.data(), n) == 0;
        if (n > 16) return left == right;
        return word_at(left.data(), 8) == word_at(right.data(), 8) &&
               word_at(left.data() + n - 8, 8) == word_at(right.data() + n - 8, 8);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{0, empty});
        for (std::size_t code = 0; code < texts_.size(); ++code) {
            const std::uint64_t hash = seed_.hash(texts_[code]);
            std::size_t slot = hash & (slots_.size() - 1);
            while (slots_[slot].code != empty) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(code)};
        }
    }

    HashSeed seed_;
    std::vector<Slot> slots_;
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> positions_;
};

/// The code of each sample, and the position of the first sample of each code.
struct TextCodes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> positions;
};

/// Encodes n strings; text_at(i) is the string of sample i. Each worker encodes one part of the samples; then the codes
/// of all parts are merged.
template <class TextAt>
TextCodes encode_text(std::size_t n, const CancellationCheck& check_cancelled, const TextAt& text_at,
                      const HashSeed& seed = process_seed()) {
    constexpr std::size_t samples_a_thread = std::size_t{1} << 16;
    constexpr std::size_t block = 4096;
    const Crew crew(n / samples_a_thread);
    const std::size_t share = n / crew.size() + 1;
    TextCodes result;
    result.codes.resize(n);
    TextDictionary merged(seed);
    std::vector<std::vector<std::uint64_t>> firsts(crew.size());
    std::vector<std::vector<std::uint32_t>> merged_codes(crew.size());
    const auto in_part = [&](unsigned worker, const CancellationCheck& worker_check, const auto& work) {
        const std::size_t last = std::min(n, (worker + 1) * share);
        for (std::size_t start = std::min(n, worker * share); start < last; start += block) {
            worker_check();
            for (std::size_t i = start; i < std::min(last, start + block); ++i) work(i);
        }
    };
    together(crew.size(), check_cancelled, [&](unsigned worker, const CancellationCheck& worker_check) {
        TextDictionary own(seed);
        in_part(worker, worker_check, [&](std::size_t i) { result.codes[i] = own.code_of(text_at(i), i); });
        firsts[worker] = std::move(own).positions();
    });
    for (unsigned worker = 0; worker < crew.size(); ++worker) {
        for (const std::uint64_t first : firsts[worker]) {
            merged_codes[worker].push_back(merged.code_of(text_at(first), first));
        }
    }
    together(crew.size(), check_cancelled, [&](unsigned worker, const CancellationCheck& worker_check) {
        if (worker == 0) return;  // its codes come first and stay the same
        in_part(worker, worker_check, [&](std::size_t i) { result.codes[i] = merged_codes[worker][result.codes[i]]; });
    });
    result.positions = std::move(merged).positions();
    return result;
}

}  // namespace chanceless
