#pragma once

// Counting by sorting, where there are too many pairs of labels for a counter each: samples are sorted by cell, first
// into buckets of adjacent rows, then within each bucket, in the cache.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/sort.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// One code below `n_codes` for each sample; not every code need occur.
struct CodeArray {
    Array<std::uint32_t> of_sample;
    std::size_t n_samples = 0;
    std::uint64_t n_codes = 0;
};

/// Run-length encodes sorted keys: leaves the distinct keys in place, writes how often each occurs to `counts`, and
/// returns their number.
template <class Key>
std::size_t count_runs(std::span<Key> keys, std::span<Key> counts) noexcept {
    std::size_t runs = 0;
    for (std::size_t i = 0; i < keys.size();) {
        const Key key = keys[i];
        const std::size_t start = i;
        while (i < keys.size() && keys[i] == key) ++i;
        keys[runs] = key;
        counts[runs++] = static_cast<Key>(i - start);
    }
    return runs;
}

/// Cells in buckets of adjacent rows. A key is the row within its bucket, shifted left of the column.
template <class Key>
class SparseTable {
  public:
    struct Shape {
        std::uint64_t n_rows;
        std::uint64_t n_columns;
        unsigned column_bits;
        unsigned row_bits;  // of a row within its bucket
        std::size_t n_buckets;
    };

    SparseTable(const CodeArray& row_codes, const CodeArray& column_codes, const Shape& shape, unsigned n_workers,
                const CancellationCheck& check_cancelled)
        : shape_(shape), starts_(shape.n_buckets + 1, 0), n_cells_(shape.n_buckets, 0) {
        keys_ = uninitialised<Key>(row_codes.n_samples);
        scatter(row_codes, column_codes, n_workers, check_cancelled);
        counts_ = uninitialised<Key>(row_codes.n_samples);
        in_chunks(n_workers, shape.n_buckets, 1, check_cancelled, [&](unsigned, std::size_t bucket, std::size_t) {
            const std::size_t start = starts_[bucket];
            const std::size_t size = starts_[bucket + 1] - start;
            const std::span<Key> keys(keys_.get() + start, size);
            const std::span<Key> counts(counts_.get() + start, size);
            sort_by_digits(keys, counts, shape_.row_bits + shape_.column_bits, [](Key key) { return key; });
            n_cells_[bucket] = count_runs(keys, counts);
        });
    }

    [[nodiscard]] std::size_t n_rows() const noexcept { return shape_.n_rows; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return shape_.n_columns; }

    /// Number of blocks of adjacent rows, which can be visited concurrently.
    [[nodiscard]] std::size_t n_parts() const noexcept { return shape_.n_buckets; }

    /// Calls visit(row, column, count) for the non-empty cells of a part, row by row, columns ascending.
    template <class Visit>
    void for_each_cell(std::size_t part, const Visit& visit) const {
        const Key columns = static_cast<Key>((std::uint64_t{1} << shape_.column_bits) - 1);
        const std::size_t first_row = part << shape_.row_bits;
        const Key* keys = keys_.get() + starts_[part];
        const Key* counts = counts_.get() + starts_[part];
        for (std::size_t cell = 0; cell < n_cells_[part]; ++cell) {
            const auto row = static_cast<std::size_t>(keys[cell] >> shape_.column_bits);
            visit(first_row + row, static_cast<std::size_t>(keys[cell] & columns), std::uint64_t{counts[cell]});
        }
    }

  private:
    /// Writes the keys of the samples to their buckets. Each worker writes to a separate part of every bucket.
    void scatter(const CodeArray& row_codes, const CodeArray& column_codes, unsigned n_workers,
                 const CancellationCheck& check_cancelled) {
        const std::size_t n_samples = row_codes.n_samples;
        const std::size_t share = n_samples / n_workers + 1;
        std::vector<std::vector<std::size_t>> place(n_workers, std::vector<std::size_t>(shape_.n_buckets, 0));
        const auto for_samples = [&](const auto& work) {
            together(n_workers, check_cancelled, [&](unsigned worker, const CancellationCheck& worker_check) {
                constexpr std::size_t block = std::size_t{1} << 16;
                const std::size_t last = std::min(n_samples, (worker + 1) * share);
                for (std::size_t start = std::min(n_samples, worker * share); start < last; start += block) {
                    worker_check();
                    for (std::size_t i = start; i < std::min(last, start + block); ++i) work(place[worker], i);
                }
            });
        };
        const unsigned row_bits = shape_.row_bits;
        for_samples([&row_codes, row_bits](std::vector<std::size_t>& counts, std::size_t i) {
            ++counts[row_codes.of_sample[i] >> row_bits];
        });
        std::size_t sum = 0;
        for (std::size_t bucket = 0; bucket < shape_.n_buckets; ++bucket) {
            starts_[bucket] = sum;
            for (auto& counts : place) sum += std::exchange(counts[bucket], sum);
        }
        starts_[shape_.n_buckets] = sum;
        const std::uint64_t row_mask = (std::uint64_t{1} << row_bits) - 1;
        for_samples([&, keys = keys_.get(), column_bits = shape_.column_bits](auto& next, std::size_t i) {
            const std::uint64_t row = row_codes.of_sample[i] & row_mask;
            keys[next[row_codes.of_sample[i] >> row_bits]++] =
                static_cast<Key>((row << column_bits) | column_codes.of_sample[i]);
        });
    }

    Shape shape_;
    std::vector<std::size_t> starts_;
    std::vector<std::size_t> n_cells_;
    Array<Key> keys_;
    Array<Key> counts_;
};

/// Buckets of some thousand samples each, if the rows are of similar size; at most 1024, so that scattering to them
/// stays in the cache.
template <class Key>
typename SparseTable<Key>::Shape shape_of(const CodeArray& row_codes, const CodeArray& column_codes) noexcept {
    constexpr unsigned most_bucket_bits = 10;
    const auto bits_of = [](std::uint64_t n) { return static_cast<unsigned>(std::bit_width(n - 1)); };
    const unsigned wanted =
        std::min(most_bucket_bits, static_cast<unsigned>(std::bit_width(row_codes.n_samples >> 13)));
    const unsigned row_bits = bits_of(row_codes.n_codes) - std::min(wanted, bits_of(row_codes.n_codes));
    return {.n_rows = row_codes.n_codes,
            .n_columns = column_codes.n_codes,
            .column_bits = bits_of(column_codes.n_codes),
            .row_bits = row_bits,
            .n_buckets = static_cast<std::size_t>(((row_codes.n_codes - 1) >> row_bits) + 1)};
}

}  // namespace chanceless
