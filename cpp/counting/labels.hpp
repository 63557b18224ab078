#pragma once

// Integer labels of any width, read in blocks as offsets from the lowest label: only this header knows their type.

#include <concepts>
#include <cstdlib>

#include "base/compiler.hpp"
#include "base/threads.hpp"

namespace chanceless::counting {

/// The lowest and the highest of some labels, mapped to 64 unsigned bits in the same order: 2^63 is added to signed
/// labels.
struct Range {
    std::uint64_t lowest;
    std::uint64_t highest;

    [[nodiscard]] std::uint64_t width() const noexcept { return highest - lowest; }
    [[nodiscard]] Range with(const Range& other) const noexcept {
        return {std::min(lowest, other.lowest), std::max(highest, other.highest)};
    }
};

/// Range of labels that a table covers: offsets of at most `bits` bits from the lowest label.
struct Frame {
    std::uint64_t lowest;
    unsigned bits;

    [[nodiscard]] std::uint64_t mask() const noexcept { return (std::uint64_t{1} << bits) - 1; }
    [[nodiscard]] std::size_t size() const noexcept { return std::size_t{1} << bits; }
};

/// Number of bits of the largest offset.
inline unsigned bits_of(const Range& range) noexcept { return static_cast<unsigned>(std::bit_width(range.width())); }

inline Frame frame_of(const Range& range) noexcept { return {range.lowest, bits_of(range)}; }

/// View of labels in memory, `step` bytes apart, with one function for each operation that depends on their type.
struct Labels {
    /// Writes the offsets from the lowest label, masked and shifted, to indices, or adds them; returns the bitwise or
    /// of all offsets. Each label is masked as it is read: even if another thread changes labels meanwhile, no index
    /// leaves its table.
    template <class Index>
    using Read = std::uint64_t (*)(const Labels&, std::size_t start, std::size_t stop, std::uint64_t lowest,
                                   std::uint64_t mask, unsigned shift, Index* index) noexcept;

    const std::byte* data;
    std::ptrdiff_t step;
    std::size_t size;
    std::uint64_t sign;  // 2^63 for signed labels, else 0
    Range limits;        // of the type

    Range (*range)(const Labels&, std::size_t start, std::size_t stop) noexcept;
    Read<std::uint16_t> write16;
    Read<std::uint32_t> write32;
    Read<std::uint64_t> write64;
    Read<std::uint16_t> add16;
    Read<std::uint32_t> add32;

    /// Writes the offsets of labels start ... stop - 1, cut to the frame and shifted; returns whether all of them lie
    /// within the frame.
    template <class Index>
    bool write(const Frame& frame, std::size_t start, std::size_t stop, unsigned shift, Index* index) const noexcept {
        const auto function = [this] {
            if constexpr (sizeof(Index) == 2) return write16;
            if constexpr (sizeof(Index) == 4) return write32;
            if constexpr (sizeof(Index) == 8) return write64;
        }();
        return (function(*this, start, stop, frame.lowest, frame.mask(), shift, index) & ~frame.mask()) == 0;
    }

    /// Adds to indices what write() would write.
    template <class Index>
    bool add(const Frame& frame, std::size_t start, std::size_t stop, unsigned shift, Index* index) const noexcept {
        const auto function = [this] {
            if constexpr (sizeof(Index) == 2) return add16;
            if constexpr (sizeof(Index) == 4) return add32;
        }();
        return (function(*this, start, stop, frame.lowest, frame.mask(), shift, index) & ~frame.mask()) == 0;
    }

    /// Loads labels start ... stop - 1 that are needed soon.
    void prefetch(std::size_t start, std::size_t stop) const noexcept {
        constexpr std::ptrdiff_t line = 64;
        const auto per_line = static_cast<std::size_t>(line / std::clamp<std::ptrdiff_t>(std::abs(step), 1, line));
        for (std::size_t i = start; i < std::min(stop, size); i += per_line)
            base::prefetch(data + static_cast<std::ptrdiff_t>(i) * step);
    }

    /// The label at an offset, as its 64 bits.
    [[nodiscard]] std::uint64_t label(std::uint64_t lowest, std::uint64_t offset) const noexcept {
        return (lowest + offset) ^ sign;
    }
};

template <std::integral T>
Labels labels_of(const void* data, std::ptrdiff_t step, std::size_t size) noexcept;

/// Equal labels for `size` samples.
inline Labels one_cluster(std::size_t size) noexcept {
    static constexpr std::uint8_t label = 0;
    return labels_of<std::uint8_t>(&label, 0, size);
}

/// The range of all labels; there must be at least one.
Range range_of(const Labels& labels, const Crew& crew);

/// Estimates the range of all labels from a sample of them, the first and the last included.
Range sampled_range(const Labels& labels) noexcept;

/// A range that is wider by 1/1024 on both sides, as far as the type of the labels allows: of many different labels, a
/// sample has hardly ever the lowest or the highest.
Range widened(const Range& range, const Labels& labels) noexcept;

}  // namespace chanceless::counting
