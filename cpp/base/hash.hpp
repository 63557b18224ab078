#pragma once

// Hashes of integers and of strings. Their secret is drawn once a process, so that nobody can craft labels that
// collide.

#include <cstring>
#include <string_view>

#include "base/int128.hpp"

namespace chanceless::base {

inline std::uint64_t word_at(const char* bytes) noexcept {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
}

inline std::uint64_t half_at(const char* bytes) noexcept {
    std::uint32_t half;
    std::memcpy(&half, bytes, sizeof(half));
    return half;
}

inline std::uint64_t byte_at(const char* bytes) noexcept { return static_cast<unsigned char>(*bytes); }

/// How far keys are from their first choice in a hash table, in sum: first_of(slot) is that of a slot, if it has a key.
template <class FirstOf>
std::size_t displacement_of(std::size_t n_slots, const FirstOf& first_of) {
    std::size_t sum = 0;
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
        if (const std::optional<std::uint64_t> first = first_of(slot)) sum += (slot - *first) & (n_slots - 1);
    }
    return sum;
}

/// The secret of a hash. Results never depend on it: codes are in the order in which labels are met, or of the labels.
///
/// Each word is XORed with a secret and multiplied by a secret, and both halves of the product are folded into one
/// word. Both factors must be secret: with a known one, some differences between two words cancel for many secrets.
class HashSeed {
  public:
    /// A secret that follows from a number.
    explicit HashSeed(std::uint64_t number) noexcept
        : words_{next(number), next(number), next(number)}, factors_{next(number) | 1U, next(number) | 1U} {}

    /// Its highest bits are the best ones.
    [[nodiscard]] std::uint64_t hash(std::uint64_t key) const noexcept {
        return folded(key ^ words_[0], factors_[0]) * factors_[1];
    }

    [[nodiscard]] std::uint64_t hash(std::uint64_t first, std::uint64_t second) const noexcept {
        return folded(mixed(words_[0], first, second) ^ words_[2], factors_[1]);
    }

    /// Sixteen bytes at a time; the last sixteen may overlap with those before.
    [[nodiscard]] std::uint64_t hash(std::string_view text) const noexcept {
        const char* bytes = text.data();
        const std::size_t n = text.size();
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::uint64_t state = words_[0];
        if (n > 16) {
            for (std::size_t i = 0; i + 16 < n; i += 16)
                state = mixed(state, word_at(bytes + i), word_at(bytes + i + 8));
            first = word_at(bytes + n - 16);
            last = word_at(bytes + n - 8);
        } else if (n >= 8) {
            first = word_at(bytes);
            last = word_at(bytes + n - 8);
        } else if (n >= 4) {
            first = half_at(bytes);
            last = half_at(bytes + n - 4);
        } else if (n > 0) {
            first = byte_at(bytes) | (byte_at(bytes + n / 2) << 8);
            last = byte_at(bytes + n - 1);
        }
        return folded(mixed(state, first, last) ^ words_[2] ^ n, factors_[1]);
    }

  private:
    /// The next number of splitmix64.
    static std::uint64_t next(std::uint64_t& number) noexcept {
        std::uint64_t z = (number += 0x9E3779B97F4A7C15U);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

    static std::uint64_t folded(std::uint64_t left, std::uint64_t right) noexcept {
        const uint128 product = uint128{left} * right;
        return low_half(product) ^ high_half(product);
    }

    [[nodiscard]] std::uint64_t mixed(std::uint64_t state, std::uint64_t first, std::uint64_t last) const noexcept {
        return folded(state ^ first, words_[1] ^ last);
    }

    std::uint64_t words_[3];
    std::uint64_t factors_[2];
};

/// The whole number that a text is; nothing if there is no text, or if it is anything else.
std::optional<std::uint64_t> whole_number(const char* text) noexcept;

/// The secret of this process, from the operating system; a number in CHANCELESS_HASH_SEED fixes it.
const HashSeed& process_seed();

}  // namespace chanceless::base
