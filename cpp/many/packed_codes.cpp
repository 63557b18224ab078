#include "many/packed_codes.hpp"

namespace chanceless::many {

using counting::check_n_labels;

namespace {

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

}  // namespace

Bitsets bitsets_of(const std::uint8_t* bytes, const std::uint8_t* digit, std::size_t n_samples, std::size_t n_codes) {
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

void count_bits(const Bitsets& rows, const Bitsets& columns, std::uint64_t* counts) noexcept {
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

Pack::Pack(std::span<const std::uint32_t> codes, std::size_t n_clusters) : n_samples_(codes.size()) {
    check_n_labels(n_clusters);
    std::uint32_t highest = 0;
    for (const std::uint32_t code : codes) highest = std::max(highest, code);
    if (!codes.empty() && highest > n_clusters) throw std::invalid_argument("codes must be at most n_clusters");
    const bool left_out = !codes.empty() && highest == n_clusters;
    n_codes_ = std::max<std::size_t>(n_clusters + std::size_t{left_out}, 1);
    clusterings_ = {{0, n_clusters, n_codes_}};
    // Clamped, since another thread may have changed the codes after they were checked.
    const auto last = static_cast<std::uint32_t>(n_codes_ - 1);
    const auto copy = [&]<class T>(Array<T>& copied) {
        copied = uninitialised<T>(codes.size());
        std::transform(codes.begin(), codes.end(), copied.get(),
                       [last](std::uint32_t code) { return static_cast<T>(std::min(code, last)); });
    };
    if (n_codes_ > most_codes) {
        copy(wide_);
    } else {
        copy(bytes_);
    }
}

void Pack::join(const Pack& other) {
    std::uint8_t* const bytes = bytes_.get();
    const std::uint8_t* const added = other.bytes_.get();
    const auto factor = static_cast<std::uint8_t>(n_codes_);
    const std::size_t n = n_samples_;
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(bytes[i] + added[i] * factor);
    clusterings_.insert(clusterings_.end(), other.clusterings_.begin(), other.clusterings_.end());
    n_codes_ *= other.n_codes_;
}

void Pack::finish() {
    if (is_wide()) return;
    std::size_t factor = 1;
    for (const Clustering& clustering : clusterings_) {
        std::vector<std::uint8_t> digit(n_codes_);
        for (std::size_t code = 0; code < n_codes_; ++code) {
            digit[code] = static_cast<std::uint8_t>(code / factor % clustering.n_codes);
        }
        digits_.push_back(std::move(digit));
        factor *= clustering.n_codes;
    }
    sizes_.assign(n_codes_, 0);
    for (std::size_t i = 0; i < n_samples_; ++i) ++sizes_[bytes_[i]];
    if (clusterings_.back().n_codes > most_bitsets) return;
    for (std::size_t p = 0; p < clusterings_.size(); ++p) {
        bitsets_.push_back(bitsets_of(bytes(), digits_[p].data(), n_samples_, clusterings_[p].n_codes));
    }
}

}  // namespace chanceless::many
