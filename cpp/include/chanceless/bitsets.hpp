#pragma once

// Clusterings of very few clusters as bitsets over the samples: cells are counted 64 samples at a time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chanceless/compiler.hpp"

namespace chanceless {

/// Up to this number of codes, bitsets are faster than a counter for each pair of bytes.
constexpr std::size_t most_bitsets = 4;

/// For each code except the last the set of its samples; the cells of the last follow from the others.
struct Bitsets {
    std::size_t n_codes;
    std::size_t n_words;
    std::vector<std::uint64_t> words;
    std::vector<std::uint64_t> sizes;

    [[nodiscard]] const std::uint64_t* set(std::size_t code) const noexcept { return words.data() + code * n_words; }
};

/// `digit` maps each byte to its code.
inline Bitsets bitsets_of(const std::uint8_t* bytes, const std::uint8_t* digit, std::size_t n_samples,
                          std::size_t n_codes) {
    const std::size_t n_words = (n_samples + 63) / 64;
    Bitsets result{n_codes, n_words, std::vector<std::uint64_t>(n_words * n_codes, 0),
                   std::vector<std::uint64_t>(n_codes, 0)};
    for (std::size_t i = 0; i < n_samples; ++i) {
        const std::size_t code = digit[bytes[i]];
        result.words[code * n_words + i / 64] |= std::uint64_t{1} << (i % 64);
        ++result.sizes[code];
    }
    result.words.resize(n_words * (n_codes - 1));
    return result;
}

namespace bits {

CHANCELESS_ALWAYS_INLINE std::uint64_t shared(const std::uint64_t* left, const std::uint64_t* right,
                                              std::size_t n_words) noexcept {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < n_words; ++i) count += static_cast<std::uint64_t>(std::popcount(left[i] & right[i]));
    return count;
}

inline std::uint64_t shared_anywhere(const std::uint64_t* left, const std::uint64_t* right,
                                     std::size_t n_words) noexcept {
    return shared(left, right, n_words);
}

CHANCELESS_USES_POPCNT inline std::uint64_t shared_by_instruction(const std::uint64_t* left, const std::uint64_t* right,
                                                                  std::size_t n_words) noexcept {
    return shared(left, right, n_words);
}

using Shared = std::uint64_t (*)(const std::uint64_t*, const std::uint64_t*, std::size_t) noexcept;

inline Shared choose() noexcept { return has_popcnt() ? &shared_by_instruction : &shared_anywhere; }

}  // namespace bits

/// Writes the table of two clusterings, row by row, to `counts`, which has an entry for each pair of codes.
inline void count_bits(const Bitsets& rows, const Bitsets& columns, std::uint64_t* counts) noexcept {
    static const bits::Shared shared = bits::choose();
    const std::size_t last_row = rows.n_codes - 1;
    const std::size_t last_column = columns.n_codes - 1;
    const std::size_t width = columns.n_codes;
    for (std::size_t column = 0; column <= last_column; ++column) {
        counts[last_row * width + column] = columns.sizes[column];
    }
    for (std::size_t row = 0; row < last_row; ++row) {
        std::uint64_t rest = rows.sizes[row];
        for (std::size_t column = 0; column < last_column; ++column) {
            const std::uint64_t count = shared(rows.set(row), columns.set(column), rows.n_words);
            counts[row * width + column] = count;
            counts[last_row * width + column] -= count;
            rest -= count;
        }
        counts[row * width + last_column] = rest;
        counts[last_row * width + last_column] -= rest;
    }
}

}  // namespace chanceless
