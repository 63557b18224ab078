#pragma once

// Cells by sorting, where there are too many pairs of labels for a counter each: samples come in buckets of adjacent
// rows, and each bucket is sorted in the cache.

#include "counting/buckets.hpp"
#include "counting/spectrum.hpp"

namespace chanceless::counting {

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
    /// Takes the buckets over, to free them when all is sorted.
    template <class Count>
    SparseTable(Buckets<Key, Count> buckets, const Crew& crew)
        : shape_(buckets.shape()),
          n_rows_(buckets.n_rows()),
          n_columns_(buckets.n_columns()),
          starts_(shape_.n_buckets, 0),
          n_cells_(shape_.n_buckets, 0),
          keys_(uninitialised<Key>(buckets.n_samples())),
          counts_(uninitialised<Key>(buckets.n_samples())) {
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
    [[nodiscard]] std::size_t n_columns() const noexcept { return n_columns_; }

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
    std::size_t n_columns_;
    std::vector<std::size_t> starts_;
    std::vector<std::size_t> n_cells_;
    Array<Key> keys_;
    Array<Key> counts_;
};

// Samples in buckets -> their spectrum. A spectrum needs no cells in order: within a bucket, samples are grouped by
// row, and a table of all columns says where in the row a column was met first.

/// What one worker knows of the buckets that it has visited. `Sum` is as in CellSums.
template <class Key, class Count, class Sum>
class BucketCounter {
  public:
    /// Worker 0 marks the columns of the buckets, others mark a copy of them.
    template <bool Streams>
    BucketCounter(const Buckets<Key, Count, Streams>& buckets, unsigned worker, std::size_t largest_bucket)
        : shape_(buckets.shape()),
          copied_columns_(worker == 0 ? nullptr : uninitialised<Column<Count>>(buckets.n_columns())),
          columns_(worker == 0 ? buckets.columns().data() : copied_columns_.get()),
          keys_(uninitialised<Key>(largest_bucket + ahead)),
          counts_(uninitialised<Count>(largest_bucket)),
          column_sizes_(uninitialised<Count>(largest_bucket)),
          begins_(shape_.rows_in_bucket() + 1),
          places_(shape_.rows_in_bucket()),
          row_sizes_(buckets.n_samples()),
          cells_(std::min<std::uint64_t>(buckets.n_samples(), 1023) + 1) {
        for (std::size_t i = 0; i < buckets.n_columns(); ++i) {
            if (worker > 0) columns_[i].size = buckets.columns()[i].size;
            columns_[i].seen = 0;
        }
    }

    template <class Runs>
    void add(const Runs& buckets, std::size_t bucket) {
        sort_by_row(buckets, bucket);
        // Where cells hold one sample each, as nearly all do in large tables, to find that out is the faster way.
        const bool tries = is_hopeful_ || bucket % 16 == 0;
        if (tries && add_singles()) return;
        find_first_of_cells();
        add_cells();
    }

    void add(const BucketCounter& other) {
        row_sizes_.add(other.row_sizes_);
        cells_.add(other.cells_);
    }

    [[nodiscard]] std::vector<SizeGroup> rows() && { return std::move(row_sizes_).groups(); }
    [[nodiscard]] std::vector<CellGroup> cells(const CancellationCheck& check_cancelled) && {
        return std::move(cells_).groups(check_cancelled);
    }

  private:
    static constexpr std::size_t ahead = 24;  // samples: how far ahead of its use a column is loaded

    [[nodiscard]] std::size_t row_of(Key key) const noexcept {
        return static_cast<std::size_t>(key >> shape_.column_bits);
    }
    [[nodiscard]] Column<Count>& column_of(Key key) const noexcept { return columns_[key & column_mask_]; }
    [[nodiscard]] std::uint64_t size_of_row(std::size_t row) const noexcept { return begins_[row + 1] - begins_[row]; }

    /// Counting sort: row r of the bucket has the keys from begins_[r] on.
    template <class Runs>
    void sort_by_row(const Runs& buckets, std::size_t bucket) {
        std::fill(begins_.begin(), begins_.end(), Count{0});
        const unsigned column_bits = shape_.column_bits;
        buckets.for_each_run(bucket, [&, begins = begins_.data()](const auto& run) {
            for (const Key key : run) ++begins[(key >> column_bits) + 1];
        });
        for (std::size_t row = 0; row < places_.size(); ++row) {
            row_sizes_.add(begins_[row + 1]);
            places_[row] = begins_[row];
            begins_[row + 1] += begins_[row];
        }
        size_ = begins_.back();
        buckets.for_each_run(bucket, [&, places = places_.data(), keys = keys_.get()](const auto& run) {
            for (const Key key : run) keys[places[key >> column_bits]++] = key;
        });
        std::fill_n(keys_.get() + size_, ahead, Key{0});
    }

    /// Adds all cells if each holds one sample; returns whether that is so.
    bool add_singles() {
        Sum size_sum = 0;
        Sum size_product = 0;
        std::size_t n_repeated = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            prefetch(&column_of(keys_[i + ahead]));
            const std::size_t row = row_of(keys_[i]);
            Column<Count>& column = column_of(keys_[i]);
            size_sum += column.size;
            size_product += Sum{size_of_row(row)} * column.size;
            n_repeated += static_cast<std::size_t>(column.seen >= n_done_ + begins_[row]);
            column.seen = static_cast<Count>(n_done_ + i);
        }
        n_done_ += static_cast<Count>(size_);
        is_hopeful_ = n_repeated <= 2;
        if (n_repeated != 0) return false;
        for (std::size_t row = 0; row < places_.size(); ++row) size_sum += Sum{size_of_row(row)} * size_of_row(row);
        cells_.add(1, CellSums<Sum>{size_, size_sum, size_product});
        return true;
    }

    /// Counts the samples of a cell where it is met first; all other samples of the cell get a count of 0.
    void find_first_of_cells() noexcept {
        Count* const counts = counts_.get();
        for (std::size_t i = 0; i < size_; ++i) {
            prefetch(&column_of(keys_[i + ahead]));
            Column<Count>& column = column_of(keys_[i]);
            // No branch on whether the cell was met before in this row: it would be mispredicted.
            const Count here = static_cast<Count>(n_done_ + i);
            const Count met = static_cast<Count>(column.seen >= n_done_ + begins_[row_of(keys_[i])]);
            const Count first = here ^ ((here ^ column.seen) & static_cast<Count>(Count{0} - met));
            column.seen = first;
            column_sizes_[i] = column.size;
            counts[i] = 0;
            ++counts[first - n_done_];
        }
        n_done_ += static_cast<Count>(size_);  // all marks are too low from now on
    }

    void add_cells() {
        for (std::size_t i = 0; i < size_; ++i)
            cells_.add(counts_[i], size_of_row(row_of(keys_[i])), column_sizes_[i], i);
    }

    BucketShape shape_;
    Key column_mask_ = static_cast<Key>((std::uint64_t{1} << shape_.column_bits) - 1);
    Array<Column<Count>> copied_columns_;
    Column<Count>* columns_;
    Array<Key> keys_;  // of one bucket
    Array<Count> counts_;
    Array<Count> column_sizes_;
    std::vector<Count> begins_;
    std::vector<Count> places_;
    std::size_t size_ = 0;  // of the bucket
    Count n_done_ = 1;      // samples visited so far, plus one
    bool is_hopeful_ = true;
    SizeCounter row_sizes_;
    CellCounter<Sum> cells_;
};

template <class Sum, class Key, class Count, bool Streams>
Spectrum summarise_buckets(const Buckets<Key, Count, Streams>& buckets, const Crew& crew) {
    constexpr std::size_t chunk = 16;
    std::vector<std::optional<BucketCounter<Key, Count, Sum>>> counters(crew.size());
    const std::size_t largest = buckets.largest_bucket();
    const auto start = [&](unsigned worker) {
        if (!counters[worker]) counters[worker].emplace(buckets, worker, largest);
    };
    const auto count = [&](unsigned worker, std::size_t first, std::size_t last) {
        start(worker);
        for (std::size_t bucket = first; bucket < last; ++bucket) counters[worker]->add(buckets, bucket);
    };
    crew.in_chunks(buckets.shape().n_buckets, chunk, count, buckets.most_workers());
    start(0);
    for (std::size_t worker = 1; worker < counters.size(); ++worker) {
        if (counters[worker]) counters[0]->add(*counters[worker]);
    }
    SizeCounter columns(buckets.n_samples());
    for (const Column<Count>& column : buckets.columns()) columns.add(column.size);
    Spectrum spectrum;
    spectrum.n_samples = buckets.n_samples();
    spectrum.rows = std::move(*counters[0]).rows();
    spectrum.columns = std::move(columns).groups();
    spectrum.cells = std::move(*counters[0]).cells(crew.check_cancelled());
    return spectrum;
}

template <class Key, class Count, bool Streams>
Spectrum summarise(const Buckets<Key, Count, Streams>& buckets, const Crew& crew) {
    return is_narrow(buckets.n_samples()) ? summarise_buckets<std::uint64_t>(buckets, crew)
                                          : summarise_buckets<uint128>(buckets, crew);
}

}  // namespace chanceless::counting
