#pragma once

// Counting where there are too many pairs of labels for a counter each: samples are brought into the order of
// their cells, first into buckets of neighbouring rows, then within each bucket, in the cache.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/memory.hpp"
#include "chanceless/sort.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// One number below `n_numbers` for each sample.
struct Numbers {
    Array<std::uint32_t> numbers;
    std::size_t n_samples = 0;
    std::uint64_t n_numbers = 0;
};

/// Replaces sorted keys by the distinct ones, and says in `counts` how often each occurs; returns how many there are.
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

/// Cells in buckets of neighbouring rows. A key is the row within its bucket, left of the column.
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

    SparseTable(const Numbers& rows, const Numbers& columns, const Shape& shape, unsigned n_members, const Pause& pause)
        : shape_(shape), starts_(shape.n_buckets + 1, 0), n_cells_(shape.n_buckets, 0) {
        keys_ = room_for<Key>(rows.n_samples);
        scatter(rows, columns, n_members, pause);
        counts_ = room_for<Key>(rows.n_samples);
        in_chunks(n_members, shape.n_buckets, 1, pause, [&](unsigned, std::size_t bucket, std::size_t) {
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

    /// Parts of neighbouring rows, which can be visited at the same time.
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
    /// Puts the keys of the samples into their buckets. Each member has its own part of every bucket.
    void scatter(const Numbers& rows, const Numbers& columns, unsigned n_members, const Pause& pause) {
        const std::size_t n_samples = rows.n_samples;
        const std::size_t share = n_samples / n_members + 1;
        std::vector<std::vector<std::size_t>> place(n_members, std::vector<std::size_t>(shape_.n_buckets, 0));
        const auto for_samples = [&](const auto& work) {
            together(n_members, pause, [&](unsigned member, const Pause& own_pause) {
                constexpr std::size_t block = std::size_t{1} << 16;
                const std::size_t last = std::min(n_samples, (member + 1) * share);
                for (std::size_t start = std::min(n_samples, member * share); start < last; start += block) {
                    own_pause();
                    for (std::size_t i = start; i < std::min(last, start + block); ++i) work(place[member], i);
                }
            });
        };
        const unsigned row_bits = shape_.row_bits;
        for_samples([&rows, row_bits](std::vector<std::size_t>& counts, std::size_t i) {
            ++counts[rows.numbers[i] >> row_bits];
        });
        std::size_t sum = 0;
        for (std::size_t bucket = 0; bucket < shape_.n_buckets; ++bucket) {
            starts_[bucket] = sum;
            for (auto& counts : place) sum += std::exchange(counts[bucket], sum);
        }
        starts_[shape_.n_buckets] = sum;
        const std::uint64_t row_mask = (std::uint64_t{1} << row_bits) - 1;
        for_samples([&, keys = keys_.get(), column_bits = shape_.column_bits](auto& next, std::size_t i) {
            const std::uint64_t row = rows.numbers[i] & row_mask;
            keys[next[rows.numbers[i] >> row_bits]++] = static_cast<Key>((row << column_bits) | columns.numbers[i]);
        });
    }

    Shape shape_;
    std::vector<std::size_t> starts_;
    std::vector<std::size_t> n_cells_;
    Array<Key> keys_;
    Array<Key> counts_;
};

/// Buckets of some thousand samples each, if the rows are of similar size; no more than can be written to at once.
template <class Key>
typename SparseTable<Key>::Shape shape_of(const Numbers& rows, const Numbers& columns) noexcept {
    constexpr unsigned most_bucket_bits = 10;
    const auto bits_of = [](std::uint64_t n) { return static_cast<unsigned>(std::bit_width(n - 1)); };
    const unsigned wanted = std::min(most_bucket_bits, static_cast<unsigned>(std::bit_width(rows.n_samples >> 13)));
    const unsigned row_bits = bits_of(rows.n_numbers) - std::min(wanted, bits_of(rows.n_numbers));
    return {.n_rows = rows.n_numbers,
            .n_columns = columns.n_numbers,
            .column_bits = bits_of(columns.n_numbers),
            .row_bits = row_bits,
            .n_buckets = static_cast<std::size_t>(((rows.n_numbers - 1) >> row_bits) + 1)};
}

}  // namespace chanceless
