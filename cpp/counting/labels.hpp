#pragma once

// Integer labels of any width, read in blocks as offsets from the lowest label: only this header knows their type.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/compiler.hpp"
#include "base/threads.hpp"

namespace chanceless::counting {

using base::Crew, base::prefetch;

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

namespace typed {

/// `Adjacent` labels have a step known at compile time, which allows SIMD instructions.
template <std::integral T, bool Adjacent>
class Reader {
  public:
    Reader(const Labels& labels, std::size_t start) noexcept
        : step_(Adjacent ? static_cast<std::ptrdiff_t>(sizeof(T)) : labels.step),
          data_(labels.data + static_cast<std::ptrdiff_t>(start) * step_) {}

    T operator[](std::size_t i) const noexcept {
        T label;
        const std::ptrdiff_t step = Adjacent ? static_cast<std::ptrdiff_t>(sizeof(T)) : step_;
        std::memcpy(&label, data_ + static_cast<std::ptrdiff_t>(i) * step, sizeof(T));
        return label;
    }

  private:
    std::ptrdiff_t step_;
    const std::byte* data_;
};

template <std::integral T, bool Adjacent>
Range range(const Labels& labels, std::size_t start, std::size_t stop) noexcept {
    const Reader<T, Adjacent> read(labels, start);
    T lowest = read[0];
    T highest = lowest;
    for (std::size_t i = 1; i < stop - start; ++i) {
        const T label = read[i];
        lowest = std::min(lowest, label);
        highest = std::max(highest, label);
    }
    return {static_cast<std::uint64_t>(lowest) ^ labels.sign, static_cast<std::uint64_t>(highest) ^ labels.sign};
}

template <std::integral T, bool Adjacent, bool Adds, class Index>
std::uint64_t read(const Labels& labels, std::size_t start, std::size_t stop, std::uint64_t lowest, std::uint64_t mask,
                   unsigned shift, Index* CHANCELESS_RESTRICT index) noexcept {
    using U = std::make_unsigned_t<T>;
    const Reader<T, Adjacent> label(labels, start);
    const std::size_t n = stop - start;
    const U base = static_cast<U>(lowest ^ labels.sign);
    const auto kept = static_cast<Index>(mask);
    // Of 16 bits, compilers vectorise a product, but not a shift; of more, a product is slow.
    const auto shifted = [shift, scale = static_cast<Index>(Index{1} << shift)](Index value) {
        return static_cast<Index>(sizeof(Index) == 2 ? value * scale : value << shift);
    };
    U bits = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const U offset = static_cast<U>(static_cast<U>(label[i]) - base);
        bits = static_cast<U>(bits | offset);
        const Index part = shifted(static_cast<Index>(static_cast<Index>(offset) & kept));
        index[i] = Adds ? static_cast<Index>(index[i] + part) : part;
    }
    return bits;
}

template <std::integral T, bool Adjacent>
Labels labels(const void* data, std::ptrdiff_t step, std::size_t size) noexcept {
    constexpr std::uint64_t sign = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    constexpr Range limits{static_cast<std::uint64_t>(std::numeric_limits<T>::min()) ^ sign,
                           static_cast<std::uint64_t>(std::numeric_limits<T>::max()) ^ sign};
    return {.data = static_cast<const std::byte*>(data),
            .step = step,
            .size = size,
            .sign = sign,
            .limits = limits,
            .range = &range<T, Adjacent>,
            .write16 = &read<T, Adjacent, false, std::uint16_t>,
            .write32 = &read<T, Adjacent, false, std::uint32_t>,
            .write64 = &read<T, Adjacent, false, std::uint64_t>,
            .add16 = &read<T, Adjacent, true, std::uint16_t>,
            .add32 = &read<T, Adjacent, true, std::uint32_t>};
}

}  // namespace typed

template <std::integral T>
Labels labels_of(const void* data, std::ptrdiff_t step, std::size_t size) noexcept {
    return step == static_cast<std::ptrdiff_t>(sizeof(T)) ? typed::labels<T, true>(data, step, size)
                                                          : typed::labels<T, false>(data, step, size);
}

/// Equal labels for `size` samples.
inline Labels one_cluster(std::size_t size) noexcept {
    static constexpr std::uint8_t label = 0;
    return labels_of<std::uint8_t>(&label, 0, size);
}

/// The range of all labels; there must be at least one.
inline Range range_of(const Labels& labels, const Crew& crew) {
    constexpr std::size_t chunk = std::size_t{1} << 16;
    std::vector<Range> ranges(crew.size(), labels.range(labels, 0, 1));
    crew.in_chunks(labels.size, chunk, [&](unsigned worker, std::size_t start, std::size_t stop) {
        ranges[worker] = ranges[worker].with(labels.range(labels, start, stop));
    });
    Range all = ranges[0];
    for (const Range& range : ranges) all = all.with(range);
    return all;
}

/// Estimates the range of all labels from a sample of them, the first and the last included.
inline Range sampled_range(const Labels& labels) noexcept {
    constexpr std::size_t places = 128;
    constexpr std::size_t run = 64;
    if (labels.size <= places * run) return labels.range(labels, 0, labels.size);
    Range all = labels.range(labels, labels.size - run, labels.size);
    for (std::size_t place = 0; place < places; ++place) {
        const std::size_t start = labels.size / places * place;
        all = all.with(labels.range(labels, start, start + run));
    }
    return all;
}

/// A range that is wider by 1/1024 on both sides, as far as the type of the labels allows: of many different labels, a
/// sample has hardly ever the lowest or the highest.
inline Range widened(const Range& range, const Labels& labels) noexcept {
    const std::uint64_t margin = range.width() / 1024 + 1;
    return {range.lowest - std::min(margin, range.lowest - labels.limits.lowest),
            range.highest + std::min(margin, labels.limits.highest - range.highest)};
}

}  // namespace chanceless::counting
