#pragma once

// Clusterings of few clusters, packed several to a byte, so that one pass counts several pairs of them.

#include "counting/encode.hpp"

namespace chanceless::many {

// Clusterings of very few clusters as bitsets over the samples: cells are counted 64 samples at a time.

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
Bitsets bitsets_of(const std::uint8_t* bytes, const std::uint8_t* digit, std::size_t n_samples, std::size_t n_codes);

/// Writes the table of two clusterings, row by row, to `counts`, which has an entry for each pair of codes.
void count_bits(const Bitsets& rows, const Bitsets& columns, std::uint64_t* counts) noexcept;

/// A clustering of a pack: codes 0 ... n_clusters - 1 are clusters; if there is one more code, it marks samples that
/// are left out of every pair with this clustering.
struct Clustering {
    std::size_t index;
    std::size_t n_clusters;
    std::size_t n_codes;
};

/// Clusterings that share a byte: its value is their codes as the digits of one number, the first the lowest. A
/// clustering of more than 256 codes has a pack to itself, of 32 bits for each sample.
class Pack {
  public:
    /// Copies and checks the codes of one clustering: codes below `n_clusters` are clusters, `n_clusters` itself marks
    /// samples that are left out. Throws std::invalid_argument for any other code.
    Pack(std::span<const std::uint32_t> codes, std::size_t n_clusters);

    [[nodiscard]] std::size_t n_samples() const noexcept { return n_samples_; }
    [[nodiscard]] std::size_t n_codes() const noexcept { return n_codes_; }
    [[nodiscard]] bool is_wide() const noexcept { return wide_ != nullptr; }
    [[nodiscard]] const std::vector<Clustering>& clusterings() const noexcept { return clusterings_; }
    [[nodiscard]] const std::uint8_t* bytes() const noexcept { return bytes_.get(); }
    [[nodiscard]] const std::uint32_t* wide() const noexcept { return wide_.get(); }

    /// The code in clustering p of each byte.
    [[nodiscard]] const std::vector<std::uint8_t>& digits(std::size_t p) const noexcept { return digits_[p]; }
    /// The number of samples with each byte.
    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
    /// One for each clustering, where all have few codes; else none.
    [[nodiscard]] const std::vector<Bitsets>& bitsets() const noexcept { return bitsets_; }

    /// Sets the index of the clustering that was copied.
    void set_index(std::size_t index) noexcept { clusterings_.front().index = index; }

    /// Adds the clusterings of another pack of bytes; the product of their numbers of codes must be at most 256.
    void join(const Pack& other);

    /// Computes digits, sizes and bitsets, when no more clusterings will be joined.
    void finish();

  private:
    static constexpr std::size_t most_codes = 256;

    std::size_t n_samples_;
    std::size_t n_codes_ = 1;
    std::vector<Clustering> clusterings_;
    Array<std::uint8_t> bytes_;
    Array<std::uint32_t> wide_;
    std::vector<std::vector<std::uint8_t>> digits_;
    std::vector<std::uint64_t> sizes_;
    std::vector<Bitsets> bitsets_;
};

}  // namespace chanceless::many
