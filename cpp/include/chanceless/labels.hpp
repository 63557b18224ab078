#pragma once

// Integer labels of any width, read in blocks as offsets from the lowest label: only this header knows their type.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

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

/// View of labels in memory, `step` bytes apart, with one function for each operation that depends on their type.
struct Labels {
    /// Adds the offsets from the lowest label, masked and shifted, to indices; returns the bitwise or of all offsets.
    /// Each label is masked as it is read: even if another thread changes labels meanwhile, no index leaves its table.
    template <class Index>
    using Add = std::uint64_t (*)(const Labels&, std::size_t start, std::size_t stop, std::uint64_t lowest,
                                  std::uint64_t mask, unsigned shift, Index* index) noexcept;

    const std::byte* data;
    std::ptrdiff_t step;
    std::size_t size;
    std::uint64_t sign;  // 2^63 for signed labels, else 0

    Range (*range)(const Labels&, std::size_t start, std::size_t stop) noexcept;
    Add<std::uint16_t> add16;
    Add<std::uint32_t> add32;
    Add<std::uint64_t> add64;

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

template <std::integral T, bool Adjacent, class Index>
std::uint64_t add(const Labels& labels, std::size_t start, std::size_t stop, std::uint64_t lowest, std::uint64_t mask,
                  unsigned shift, Index* __restrict index) noexcept {
    using U = std::make_unsigned_t<T>;
    const Reader<T, Adjacent> read(labels, start);
    const std::size_t n = stop - start;
    const U base = static_cast<U>(lowest ^ labels.sign);
    const auto kept = static_cast<Index>(mask);
    const auto scale = static_cast<Index>(Index{1} << shift);  // the compiler vectorises a product, but not a shift
    U bits = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const U offset = static_cast<U>(static_cast<U>(read[i]) - base);
        bits = static_cast<U>(bits | offset);
        index[i] = static_cast<Index>(index[i] + static_cast<Index>(static_cast<Index>(offset) & kept) * scale);
    }
    return bits;
}

template <std::integral T, bool Adjacent>
Labels labels(const void* data, std::ptrdiff_t step, std::size_t size) noexcept {
    return {.data = static_cast<const std::byte*>(data),
            .step = step,
            .size = size,
            .sign = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0,
            .range = &range<T, Adjacent>,
            .add16 = &add<T, Adjacent, std::uint16_t>,
            .add32 = &add<T, Adjacent, std::uint32_t>,
            .add64 = &add<T, Adjacent, std::uint64_t>};
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
inline Range range_of(const Labels& labels, unsigned n_workers, const CancellationCheck& check_cancelled) {
    constexpr std::size_t chunk = std::size_t{1} << 16;
    std::vector<Range> ranges(n_workers, labels.range(labels, 0, 1));
    in_chunks(n_workers, labels.size, chunk, check_cancelled,
              [&](unsigned worker, std::size_t start, std::size_t stop) {
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

}  // namespace chanceless
