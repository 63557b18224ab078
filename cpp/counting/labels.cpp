#include "counting/labels.hpp"

#include <cstring>
#include <type_traits>

namespace chanceless::counting {

namespace {

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

}  // namespace

template <std::integral T>
Labels labels_of(const void* data, std::ptrdiff_t step, std::size_t size) noexcept {
    return step == static_cast<std::ptrdiff_t>(sizeof(T)) ? typed::labels<T, true>(data, step, size)
                                                          : typed::labels<T, false>(data, step, size);
}

Range range_of(const Labels& labels, const Crew& crew) {
    constexpr std::size_t chunk = std::size_t{1} << 16;
    std::vector<Range> ranges(crew.size(), labels.range(labels, 0, 1));
    crew.in_chunks(labels.size, chunk, [&](unsigned worker, std::size_t start, std::size_t stop) {
        ranges[worker] = ranges[worker].with(labels.range(labels, start, stop));
    });
    Range all = ranges[0];
    for (const Range& range : ranges) all = all.with(range);
    return all;
}

Range sampled_range(const Labels& labels) noexcept {
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

Range widened(const Range& range, const Labels& labels) noexcept {
    const std::uint64_t margin = range.width() / 1024 + 1;
    return {range.lowest - std::min(margin, range.lowest - labels.limits.lowest),
            range.highest + std::min(margin, labels.limits.highest - range.highest)};
}

template Labels labels_of<std::int8_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::int16_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::int32_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::int64_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::uint8_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::uint16_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::uint32_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;
template Labels labels_of<std::uint64_t>(const void*, std::ptrdiff_t, std::size_t) noexcept;

}  // namespace chanceless::counting
