#pragma once

// Samples in buckets of adjacent rows, for tables with too many cells for a counter each. A bucket fits into the cache.

#include <atomic>

#include "counting/bucket_writer.hpp"
#include "counting/labels.hpp"

namespace chanceless::counting {

/// How offsets of rows and columns become a bucket and a key: the row within its bucket, shifted left of the column.
struct BucketShape {
    unsigned row_bits;  // of a row within its bucket
    unsigned column_bits;
    std::size_t n_buckets;

    [[nodiscard]] std::size_t rows_in_bucket() const noexcept { return std::size_t{1} << row_bits; }
    [[nodiscard]] unsigned key_bits() const noexcept { return row_bits + column_bits; }
};

/// Buckets of about a thousand samples, if the rows are of similar size; at most 1024, so that scattering to them stays
/// in the cache.
inline BucketShape bucket_shape(const Frame& rows, const Frame& columns, std::size_t n_samples) noexcept {
    constexpr unsigned most_bucket_bits = 10;
    const unsigned wanted = std::min(most_bucket_bits, static_cast<unsigned>(std::bit_width(n_samples >> 10)));
    const unsigned bucket_bits = std::min(wanted, rows.bits);
    return {rows.bits - bucket_bits, columns.bits, std::size_t{1} << bucket_bits};
}

/// The size of a column, and a mark for those who visit samples.
template <class Count>
struct Column {
    Count size;
    Count seen;
};

/// The sizes of columns, counted by one worker in bytes, of which more fit into the cache.
template <class Count>
class ColumnTally {
  public:
    explicit ColumnTally(std::size_t n_columns)
        : n_columns_(n_columns), bytes_(zeros<std::uint8_t>(n_columns)), columns_(zeros<Column<Count>>(n_columns)) {}

    void add(std::size_t column) noexcept {
        if (++bytes_[column] == 0) columns_[column].size += 256;
    }

    /// Adds the sizes to `total`.
    void add_to(Column<Count>* total) const noexcept {
        for (std::size_t i = 0; i < n_columns_; ++i) total[i].size += columns_[i].size + bytes_[i];
    }

    /// All sizes.
    [[nodiscard]] Array<Column<Count>> columns() && noexcept {
        for (std::size_t i = 0; i < n_columns_; ++i) columns_[i].size += bytes_[i];
        return std::move(columns_);
    }

  private:
    std::size_t n_columns_;
    Array<std::uint8_t> bytes_;
    Array<Column<Count>> columns_;
};

/// Samples by bucket, and the sizes of all columns. `Count` holds twice the number of samples.
template <class Key, class Count = Key, bool Streams = has_streaming_stores>
class Buckets {
  public:
    /// Reads all labels twice; returns nullopt as soon as one lies outside its frame. If another thread changes labels
    /// meanwhile, this throws, or samples are wrong, but never out of bounds.
    static std::optional<Buckets> fill(const Labels& rows, const Frame& row_frame, const Labels& columns,
                                       const Frame& column_frame, const Crew& crew) {
        Buckets buckets(Source{rows, row_frame, columns, column_frame}, crew);
        if (!buckets.count(crew)) return std::nullopt;
        buckets.scatter(crew);
        return buckets;
    }

    [[nodiscard]] const BucketShape& shape() const noexcept { return shape_; }
    [[nodiscard]] std::size_t n_samples() const noexcept { return source_.rows.size; }
    [[nodiscard]] std::size_t n_rows() const noexcept { return source_.row_frame.size(); }
    [[nodiscard]] std::size_t n_columns() const noexcept { return source_.column_frame.size(); }

    /// All columns, with marks for one of those who visit samples.
    [[nodiscard]] std::span<Column<Count>> columns() const noexcept { return {columns_.get(), n_columns()}; }

    /// How many workers may have a table of all columns: together they take no more memory than the samples.
    [[nodiscard]] std::size_t most_workers() const noexcept {
        return std::max<std::size_t>(2, n_samples() / n_columns());
    }

    [[nodiscard]] std::size_t bucket_size(std::size_t bucket) const noexcept {
        std::size_t size = 0;
        for (std::size_t piece = 0; piece < n_pieces_; ++piece) size += places_[bucket * n_pieces_ + piece].size;
        return size;
    }

    [[nodiscard]] std::size_t largest_bucket() const noexcept {
        std::size_t largest = 0;
        for (std::size_t bucket = 0; bucket < shape_.n_buckets; ++bucket)
            largest = std::max(largest, bucket_size(bucket));
        return largest;
    }

    /// Calls visit(keys) for all keys of a bucket, in one or several runs.
    template <class Visit>
    void for_each_run(std::size_t bucket, const Visit& visit) const {
        for (std::size_t piece = 0; piece < n_pieces_; ++piece) {
            const BucketPlace& place = places_[bucket * n_pieces_ + piece];
            visit(std::span<const Key>(keys_.get() + place.start, place.size));
        }
    }

  private:
    struct Source {
        const Labels& rows;
        Frame row_frame;
        const Labels& columns;
        Frame column_frame;
    };
    static constexpr std::size_t block = 2048;

    Buckets(const Source& source, const Crew& crew)
        : source_(source), shape_(bucket_shape(source.row_frame, source.column_frame, source.rows.size)) {
        // Any thread may take any piece of the samples; one thread alone is asked for cancellation in between.
        const std::size_t least = std::size_t{1} << (crew.size() == 1 ? 20 : 17);
        piece_ = std::max(least, n_samples() / 256);
        n_pieces_ = (n_samples() + piece_ - 1) / piece_;
        places_.resize(shape_.n_buckets * n_pieces_);
        column_sums_.resize(n_pieces_);
    }

    /// Calls visit(row, column) with the offsets of each sample of a piece; returns the sum of the column offsets, or
    /// nullopt if a label lies outside its frame.
    template <class Visit>
    std::optional<std::uint64_t> visit_piece(std::size_t piece, const Visit& visit) const {
        alignas(64) std::uint32_t rows[block], columns[block];
        std::uint64_t sum = 0;
        const std::size_t last = std::min(n_samples(), (piece + 1) * piece_);
        for (std::size_t start = piece * piece_; start < last; start += block) {
            const std::size_t stop = std::min(last, start + block);
            if (!source_.rows.write(source_.row_frame, start, stop, 0, rows)) return std::nullopt;
            if (!source_.columns.write(source_.column_frame, start, stop, 0, columns)) return std::nullopt;
            for (std::size_t i = 0; i < stop - start; ++i) sum += columns[i];
            for (std::size_t i = 0; i < stop - start; ++i) visit(rows[i], columns[i]);
        }
        return sum;
    }

    /// Counts the sizes of buckets and columns; returns whether all labels lie within their frames.
    bool count(const Crew& crew) {
        std::vector<std::optional<ColumnTally<Count>>> tallies(crew.size());
        std::atomic<bool> inside{true};
        const auto count_piece = [&](unsigned worker, std::size_t piece, std::size_t) {
            if (!inside) return;
            if (!tallies[worker]) tallies[worker].emplace(n_columns());
            std::vector<Count> sizes(shape_.n_buckets, 0);
            const auto add = [row_bits = shape_.row_bits, size = sizes.data(), &tally = *tallies[worker]](
                                 std::uint32_t row, std::uint32_t column) {
                ++size[row >> row_bits];
                tally.add(column);
            };
            column_sums_[piece] = visit_piece(piece, add);
            if (!column_sums_[piece]) inside = false;
            for (std::size_t bucket = 0; bucket < sizes.size(); ++bucket)
                places_[bucket * n_pieces_ + piece].size = sizes[bucket];
        };
        crew.in_chunks(n_pieces_, 1, count_piece, most_workers());
        if (!inside) return false;
        for (std::optional<ColumnTally<Count>>& tally : tallies) {
            if (!tally) continue;
            if (columns_ == nullptr) {
                columns_ = std::move(*tally).columns();
            } else {
                tally->add_to(columns_.get());
            }
        }
        return true;
    }

    /// Writes the keys of all samples to their buckets.
    void scatter(const Crew& crew) {
        std::size_t n_keys = 0;
        for (BucketPlace& place : places_) {
            place.start = n_keys;
            n_keys += LineArray<Key>::whole_lines(place.size);
        }
        keys_ = LineArray<Key>(n_keys);
        std::atomic<bool> complete{true};
        crew.in_chunks(n_pieces_, 1, [&](unsigned, std::size_t piece, std::size_t) {
            BucketWriter<Key, Count, Streams> writer(keys_.get(), places_.data() + piece, shape_.n_buckets, n_pieces_);
            const std::uint32_t mask = static_cast<std::uint32_t>(shape_.rows_in_bucket() - 1);
            const auto add = [&writer, mask, row_bits = shape_.row_bits, column_bits = shape_.column_bits](
                                 std::uint32_t row, std::uint32_t column) {
                const auto row_in_bucket = static_cast<Key>(row & mask);
                writer.add(row >> row_bits, static_cast<Key>((row_in_bucket << column_bits) | column));
            };
            // Columns have sizes by now: the same labels must come again.
            const bool is_same = visit_piece(piece, add) == column_sums_[piece];
            if (!writer.finish() || !is_same) complete = false;
        });
        if (!complete) throw std::runtime_error("labels changed while they were counted");
    }

    Source source_;
    BucketShape shape_;
    std::size_t piece_ = 0;  // samples in a piece
    std::size_t n_pieces_ = 0;
    std::vector<BucketPlace> places_;                        // bucket by bucket, a place for each piece
    std::vector<std::optional<std::uint64_t>> column_sums_;  // of the offsets of each piece
    Array<Column<Count>> columns_;
    LineArray<Key> keys_;
};

}  // namespace chanceless::counting
