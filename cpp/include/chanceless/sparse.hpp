#pragma once

// Cells by sorting, where there are too many pairs of labels for a counter each: samples come in buckets of adjacent
// rows, and each bucket is sorted in the cache.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chanceless/buckets.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/sort.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

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

/// The cells of samples in buckets, in order.
template <class Key>
class SparseTable {
  public:
    SparseTable(const Buckets<Key>& buckets, const Crew& crew)
        : shape_(buckets.shape()),
          n_rows_(buckets.n_rows()),
          column_sizes_(buckets.n_columns()),
          starts_(shape_.n_buckets, 0),
          n_cells_(shape_.n_buckets, 0),
          keys_(uninitialised<Key>(buckets.n_samples())),
          counts_(uninitialised<Key>(buckets.n_samples())) {
        for (std::size_t i = 0; i < column_sizes_.size(); ++i) column_sizes_[i] = buckets.columns()[i].size;
        for (std::size_t bucket = 1; bucket < shape_.n_buckets; ++bucket)
            starts_[bucket] = starts_[bucket - 1] + buckets.bucket_size(bucket - 1);
        crew.in_chunks(shape_.n_buckets, 1, [&](unsigned, std::size_t bucket, std::size_t) {
            Key* end = keys_.get() + starts_[bucket];
            buckets.for_each_run(bucket, [&](const auto& run) { end = std::copy(run.begin(), run.end(), end); });
            const std::span<Key> keys(keys_.get() + starts_[bucket], end);
            const std::span<Key> counts(counts_.get() + starts_[bucket], keys.size());
            sort_by_digits(keys, counts, shape_.key_bits(), [](Key key) { return key; });
            n_cells_[bucket] = count_runs(keys, counts);
        });
    }

    [[nodiscard]] std::size_t n_rows() const noexcept { return n_rows_; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return column_sizes_.size(); }

    [[nodiscard]] const Sizes& column_sizes() const noexcept { return column_sizes_; }

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
    BucketShape shape_;
    std::size_t n_rows_;
    Sizes column_sizes_;
    std::vector<std::size_t> starts_;
    std::vector<std::size_t> n_cells_;
    Array<Key> keys_;
    Array<Key> counts_;
};

/// The sizes of columns are known.
template <class Key>
Margins margins_of(const SparseTable<Key>& cells, const Crew&) {
    Margins margins{Sizes(cells.n_rows(), 0), cells.column_sizes()};
    for (std::size_t part = 0; part < cells.n_parts(); ++part) {
        cells.for_each_cell(part,
                            [&, sizes = margins.row_sizes.data()](std::size_t row, std::size_t, std::uint64_t count) {
                                sizes[row] += count;
                                ++margins.n_cells;
                            });
    }
    return margins;
}

}  // namespace chanceless
