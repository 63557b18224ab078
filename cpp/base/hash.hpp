#pragma once

// Hashes of integers and of strings. Their secret is drawn once a process, so that nobody can craft labels that
// collide.

#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

#include "base/int128.hpp"

namespace chanceless::base {

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
            for (std::size_t i = 0; i + 16 < n; i += 16) state = mixed(state, word(bytes + i), word(bytes + i + 8));
            first = word(bytes + n - 16);
            last = word(bytes + n - 8);
        } else if (n >= 8) {
            first = word(bytes);
            last = word(bytes + n - 8);
        } else if (n >= 4) {
            first = half_word(bytes);
            last = half_word(bytes + n - 4);
        } else if (n > 0) {
            first = byte(bytes) | (byte(bytes + n / 2) << 8);
            last = byte(bytes + n - 1);
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

    static std::uint64_t word(const char* bytes) noexcept {
        std::uint64_t result;
        std::memcpy(&result, bytes, sizeof(result));
        return result;
    }

    static std::uint64_t half_word(const char* bytes) noexcept {
        std::uint32_t result;
        std::memcpy(&result, bytes, sizeof(result));
        return result;
    }

    static std::uint64_t byte(const char* bytes) noexcept { return static_cast<unsigned char>(*bytes); }

    std::uint64_t words_[3];
    std::uint64_t factors_[2];
};

/// The whole number that a text is; nothing if there is no text, or if it is anything else.
inline std::optional<std::uint64_t> whole_number(const char* text) noexcept {
    if (text == nullptr) return std::nullopt;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    return end == text || *end != '\0' ? std::nullopt : std::optional(number);
}

/// The secret of this process, from the operating system; a number in CHANCELESS_HASH_SEED fixes it.
inline const HashSeed& process_seed() {
    static const HashSeed seed = [] {
        if (const auto fixed = whole_number(std::getenv("CHANCELESS_HASH_SEED"))) return HashSeed(*fixed);
        std::random_device system;
        return HashSeed((std::uint64_t{system()} << 32) | system());
    }();
    return seed;
}

}  // namespace chanceless::base
