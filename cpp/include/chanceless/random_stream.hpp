#pragma once

// Random numbers: any number of streams from one seed, the same on every machine.

#include <array>
#include <bit>
#include <cstdint>

#include "chanceless/int128.hpp"

namespace chanceless {

/// xoshiro256** (Blackman & Vigna), its state set by splitmix64 from a seed and the number of a stream. A block of work
/// has its own stream, so that results do not depend on the thread that does it.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream) noexcept {
        std::uint64_t place = mixed(mixed(seed) + stream);
        for (std::uint64_t& word : state_) word = mixed(place += golden);
    }

    std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform on 0 ... bound - 1, each exactly as likely (Lemire 2019); bound > 0.
    std::uint64_t below(std::uint64_t bound) noexcept {
        uint128 product = uint128{next()} * bound;
        if (low_half(product) < bound) {
            const std::uint64_t too_few = (0 - bound) % bound;
            while (low_half(product) < too_few) product = uint128{next()} * bound;
        }
        return high_half(product);
    }

    /// Uniform on the 2^52 odd multiples of 2^-53: neither 0 nor 1.
    double unit() noexcept { return static_cast<double>((next() >> 11) | 1) * 0x1p-53; }

  private:
    static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

    static std::uint64_t mixed(std::uint64_t word) noexcept {
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
        return word ^ (word >> 31);
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace chanceless
