#pragma once

// x log x of small whole numbers in fixed point, so that sums over many cells need no logarithm and no product.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chanceless/fixed_point.hpp"
#include "chanceless/int128.hpp"
#include "chanceless/log_sum.hpp"

namespace chanceless {

/// A number from 0 to 2^64 in units of 2^-128.
struct LogUnits {
    uint128 fraction = 0;
    std::uint64_t whole = 0;

    LogUnits() noexcept = default;
    explicit LogUnits(const Fixed<2>& number) noexcept
        : fraction((uint128{number.limb(1)} << 64) | number.limb(0)), whole(number.limb(2)) {}

    LogUnits& operator+=(const LogUnits& other) noexcept {
        fraction += other.fraction;
        whole += other.whole + static_cast<std::uint64_t>(fraction < other.fraction);
        return *this;
    }

    [[nodiscard]] Fixed<2> number() const noexcept {
        return Fixed<2>(Fraction<2>{low_half(fraction), high_half(fraction)}) +
               static_cast<int128>(whole) * Fixed<2>::power_of_two(128);
    }
};

/// x log x for x below `size` by lookup, for others by a logarithm; off by x times `log_error<2>` at most.
class LogTable {
  public:
    explicit LogTable(std::size_t size) : known_(size) {
        for (std::size_t x = 2; x < size; ++x) known_[x] = compute(x);
    }

    [[nodiscard]] LogUnits at(std::uint64_t x) const noexcept { return x < known_.size() ? known_[x] : compute(x); }

  private:
    static LogUnits compute(std::uint64_t x) noexcept {
        return x < 2 ? LogUnits() : LogUnits(static_cast<int128>(x) * Log::at<2>(x));
    }

    std::vector<LogUnits> known_;
};

}  // namespace chanceless
