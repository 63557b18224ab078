#pragma once

// Many clusterings of the same samples -> the spectra of all pairs.

#include <atomic>

#include "counting/count.hpp"
#include "counting/dense.hpp"
#include "many/packed_codes.hpp"
#include "scores/measured_spectrum.hpp"

namespace chanceless::many {

using counting::count_kept, counting::count_spectrum, counting::Labels, counting::labels_of, counting::Sizes,
    counting::Spectrum, counting::summarise, counting::Tally;
using scores::MeasuredSpectrum, scores::TermSet;

// The tables of two packs -> the table of each pair of their clusterings.

/// The first rows and columns of a table in memory, whose rows are `step` entries apart.
template <class Counter>
struct TableView {
    const Counter* counts;
    std::size_t height;
    std::size_t width;
    std::size_t step;

    [[nodiscard]] std::size_t n_rows() const noexcept { return height; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return width; }
    [[nodiscard]] std::size_t n_parts() const noexcept { return 1; }

    template <class Visit>
    void for_each_cell(std::size_t, const Visit& visit) const {
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t column = 0; column < width; ++column) {
                visit(row, column, std::uint64_t{counts[row * step + column]});
            }
        }
    }
};

/// The number of samples with each pair of bytes.
template <class Counter>
Array<Counter> count_bytes(const Pack& row_pack, const Pack& column_pack, const CancellationCheck& check_cancelled) {
    constexpr std::size_t block = 4096;
    const std::size_t n_samples = row_pack.n_samples();
    Tally<Counter> tally(row_pack.n_codes() * column_pack.n_codes(), n_samples);
    const auto width = static_cast<std::uint16_t>(column_pack.n_codes());  // at most 256, and so are the rows
    alignas(64) std::uint16_t index[block];
    for (std::size_t start = 0; start < n_samples; start += block) {
        if (start % (256 * block) == 255 * block) check_cancelled();
        const std::size_t n = std::min(block, n_samples - start);
        const std::uint8_t* const row = row_pack.bytes() + start;
        const std::uint8_t* const column = column_pack.bytes() + start;
        for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::uint16_t>(row[i] * width + column[i]);
        tally.add(std::span<const std::uint16_t>(index, n));
    }
    return std::move(tally).counts();
}

/// The table of one pair of clusterings at a time, in memory that all pairs share.
class PairCounter {
  public:
    /// Sums the columns of the table of two packs by the codes of column clustering q: one row for each byte of
    /// `row_pack`, one column for each code.
    template <class Counter>
    static std::vector<std::uint64_t> sum_columns(const Counter* joint, const Pack& row_pack, const Pack& column_pack,
                                                  std::size_t q) {
        const std::size_t width = column_pack.clusterings()[q].n_codes;
        const std::uint8_t* const digit = column_pack.digits(q).data();
        std::vector<std::uint64_t> result(row_pack.n_codes() * width, 0);
        for (std::size_t row = 0; row < row_pack.n_codes(); ++row, joint += column_pack.n_codes()) {
            std::uint64_t* const counts = result.data() + row * width;
            for (std::size_t column = 0; column < column_pack.n_codes(); ++column) {
                counts[digit[column]] += joint[column];
            }
        }
        return result;
    }

    /// Sums the rows of the result of `sum_columns` by the codes of row clustering p.
    void sum_rows(const std::vector<std::uint64_t>& column_sums, const Pack& row_pack, std::size_t p,
                  const Clustering& column) {
        start(row_pack.clusterings()[p], column);
        const std::uint8_t* const digit = row_pack.digits(p).data();
        const std::uint64_t* from = column_sums.data();
        for (std::size_t row = 0; row < row_pack.n_codes(); ++row, from += width_) {
            std::uint64_t* const counts = counts_.data() + digit[row] * width_;
            for (std::size_t code = 0; code < width_; ++code) counts[code] += from[code];
        }
    }

    /// Counts two clusterings of one pack, or one with itself.
    void sum_sizes(const Pack& pack, std::size_t p, std::size_t q) {
        start(pack.clusterings()[p], pack.clusterings()[q]);
        const std::uint8_t* const row_digit = pack.digits(p).data();
        const std::uint8_t* const column_digit = pack.digits(q).data();
        for (std::size_t code = 0; code < pack.n_codes(); ++code) {
            counts_[row_digit[code] * width_ + column_digit[code]] += pack.sizes()[code];
        }
    }

    /// Counts two clusterings by their bitsets.
    void intersect(const Pack& row_pack, std::size_t p, const Pack& column_pack, std::size_t q) {
        start(row_pack.clusterings()[p], column_pack.clusterings()[q]);
        count_bits(row_pack.bitsets()[p], column_pack.bitsets()[q], counts_.data());
    }

    /// The table of the pair that was counted last, without the samples that are left out.
    [[nodiscard]] TableView<std::uint64_t> table() const noexcept {
        return {counts_.data(), n_rows_, n_columns_, width_};
    }

  private:
    void start(const Clustering& row, const Clustering& column) {
        n_rows_ = row.n_clusters;
        n_columns_ = column.n_clusters;
        width_ = column.n_codes;
        counts_.assign(row.n_codes * column.n_codes, 0);
    }

    std::vector<std::uint64_t> counts_;
    std::size_t n_rows_ = 0;
    std::size_t n_columns_ = 0;
    std::size_t width_ = 0;
};

/// The result of `Clusterings::pack`: immutable, so that several threads may count pairs at the same time.
class PackedClusterings {
  public:
    PackedClusterings(PackedClusterings&&) noexcept = default;
    PackedClusterings& operator=(PackedClusterings&&) noexcept = default;

    /// The spectrum of two of the clusterings.
    struct Pair {
        std::size_t row;
        std::size_t column;
        MeasuredSpectrum spectrum;
    };

    /// Number of units of work: pairs of packs, and each pack with itself.
    [[nodiscard]] std::size_t n_units() const noexcept { return packs_.size() * (packs_.size() + 1) / 2; }

    /// All pairs of clusterings in units first_unit ... last_unit - 1, with the wanted terms cached; row <= column in
    /// each.
    [[nodiscard]] std::vector<Pair> spectra(std::size_t first_unit, std::size_t last_unit, const TermSet& wanted,
                                            const CancellationCheck& check_cancelled) const;

    [[nodiscard]] std::size_t n_samples() const noexcept { return n_samples_; }
    [[nodiscard]] const std::vector<Pack>& packs() const noexcept { return packs_; }

    /// Calls work(unit, check) for units first_unit ... last_unit - 1, in several threads.
    template <class Work>
    void for_each_unit(std::size_t first_unit, std::size_t last_unit, const CancellationCheck& check_cancelled,
                       const Work& work) const {
        check_units(first_unit, last_unit);
        const std::size_t n_wanted = last_unit - first_unit;
        const Crew crew(n_samples_ > 1000 ? n_wanted : n_wanted / 64, check_cancelled);
        std::atomic<std::size_t> next{first_unit};
        crew.together([&](unsigned, const CancellationCheck& worker_check) {
            for (std::size_t unit = next++; unit < last_unit; unit = next++) {
                worker_check();
                work(unit, worker_check);
            }
        });
    }

    /// Counts all pairs of clusterings of a unit: visit_table(row, column, table) for those of few clusters, without
    /// the samples that are left out, else visit_spectrum(row, column, spectrum).
    template <class VisitTable, class VisitSpectrum>
    void visit_unit(std::size_t unit, const CancellationCheck& check_cancelled, const VisitTable& visit_table,
                    const VisitSpectrum& visit_spectrum, bool with_overlaps = false) const {
        const auto [g, h] = packs_of(unit);
        const Pack& row_pack = packs_[g];
        const Pack& column_pack = packs_[h];
        // Packs are in the order of their codes: if one is wide, the column pack is.
        if (column_pack.is_wide()) {
            visit_wide(row_pack, column_pack, check_cancelled, visit_spectrum, with_overlaps);
        } else if (&row_pack == &column_pack) {
            each_pair(row_pack, column_pack, visit_table,
                      [&](PairCounter& counter, std::size_t p, std::size_t q) { counter.sum_sizes(row_pack, p, q); });
        } else if (!row_pack.bitsets().empty() && !column_pack.bitsets().empty()) {
            each_pair(row_pack, column_pack, visit_table, [&](PairCounter& counter, std::size_t p, std::size_t q) {
                counter.intersect(row_pack, p, column_pack, q);
            });
        } else if (n_samples_ <= std::numeric_limits<std::uint32_t>::max()) {
            visit_narrow<std::uint32_t>(row_pack, column_pack, check_cancelled, visit_table);
        } else {
            visit_narrow<std::uint64_t>(row_pack, column_pack, check_cancelled, visit_table);
        }
    }

  private:
    friend class Clusterings;

    void check_units(std::size_t first_unit, std::size_t last_unit) const {
        if (first_unit > last_unit || last_unit > n_units())
            throw std::invalid_argument("units must lie between 0 and n_units");
    }

    /// Packs clusterings of ascending numbers of codes.
    PackedClusterings(std::size_t n_samples, std::vector<Pack> unpacked, const CancellationCheck& check_cancelled);

    /// Largest number of codes of a byte that several clusterings share: two packs make a table of the square, which
    /// must fit into the cache and be worth zeroing and summing.
    [[nodiscard]] std::size_t most_shared() const noexcept {
        constexpr std::size_t fits_cache = 144;
        return std::min(fits_cache, static_cast<std::size_t>(std::sqrt(static_cast<double>(n_samples_) / 4.0)));
    }

    /// The packs of a unit, in the order of a lower triangle.
    [[nodiscard]] static std::pair<std::size_t, std::size_t> packs_of(std::size_t unit) noexcept;

    template <class Counter, class VisitTable>
    static void visit_narrow(const Pack& row_pack, const Pack& column_pack, const CancellationCheck& check_cancelled,
                             const VisitTable& visit) {
        const Array<Counter> joint = count_bytes<Counter>(row_pack, column_pack, check_cancelled);
        if (row_pack.clusterings().size() == 1 && column_pack.clusterings().size() == 1) {
            const Clustering& row = row_pack.clusterings()[0];
            const Clustering& column = column_pack.clusterings()[0];
            visit(row, column, TableView<Counter>{joint.get(), row.n_clusters, column.n_clusters, column.n_codes});
            return;
        }
        std::vector<std::uint64_t> column_sums;
        each_pair(row_pack, column_pack, visit, [&](PairCounter& counter, std::size_t p, std::size_t q) {
            if (p == 0) column_sums = PairCounter::sum_columns(joint.get(), row_pack, column_pack, q);
            counter.sum_rows(column_sums, row_pack, p, column_pack.clusterings()[q]);
        });
    }

    /// Visits the tables of all pairs of clusterings of two packs; count(counter, p, q) counts one pair.
    template <class VisitTable, class Count>
    static void each_pair(const Pack& row_pack, const Pack& column_pack, const VisitTable& visit, const Count& count) {
        PairCounter counter;
        for (std::size_t q = 0; q < column_pack.clusterings().size(); ++q) {
            for (std::size_t p = 0; p < (&row_pack == &column_pack ? q + 1 : row_pack.clusterings().size()); ++p) {
                count(counter, p, q);
                visit(row_pack.clusterings()[p], column_pack.clusterings()[q], counter.table());
            }
        }
    }

    /// A pair in the order its clusterings were added, which sorting by the number of codes has changed.
    static Pair as_pair(const Clustering& row, const Clustering& column, Spectrum spectrum) {
        if (row.index <= column.index) return {row.index, column.index, MeasuredSpectrum(std::move(spectrum))};
        std::swap(spectrum.rows, spectrum.columns);
        std::swap(spectrum.row_overlaps, spectrum.column_overlaps);
        return {column.index, row.index, MeasuredSpectrum(std::move(spectrum))};
    }

    /// Pairs with a clustering of more than 256 codes, the only one of `column_pack`.
    template <class VisitSpectrum>
    void visit_wide(const Pack& row_pack, const Pack& column_pack, const CancellationCheck& check_cancelled,
                    const VisitSpectrum& visit, bool with_overlaps) const {
        const Clustering& column = column_pack.clusterings()[0];
        if (&row_pack == &column_pack) {
            visit(column, column, with_itself(column_pack));
            return;
        }
        const Array<std::uint8_t> codes = row_pack.is_wide() ? nullptr : uninitialised<std::uint8_t>(n_samples_);
        for (std::size_t p = 0; p < row_pack.clusterings().size(); ++p) {
            const Clustering& row = row_pack.clusterings()[p];
            const Labels row_labels =
                row_pack.is_wide() ? wide_labels(row_pack) : byte_labels(row_pack, p, codes.get());
            visit(row, column,
                  count_labels(row_labels, row, wide_labels(column_pack), column, check_cancelled, with_overlaps));
        }
    }

    static Spectrum count_labels(const Labels& row_labels, const Clustering& row, const Labels& column_labels,
                                 const Clustering& column, const CancellationCheck& check_cancelled,
                                 bool with_overlaps);

    [[nodiscard]] Spectrum with_itself(const Pack& pack) const;

    [[nodiscard]] Labels wide_labels(const Pack& pack) const noexcept {
        return labels_of<std::uint32_t>(pack.wide(), sizeof(std::uint32_t), n_samples_);
    }

    /// The codes of clustering p of a pack of bytes, written to `codes`.
    [[nodiscard]] Labels byte_labels(const Pack& pack, std::size_t p, std::uint8_t* codes) const noexcept {
        const std::uint8_t* const digit = pack.digits(p).data();
        const std::uint8_t* const bytes = pack.bytes();
        const std::size_t n = n_samples_;
        for (std::size_t i = 0; i < n; ++i) codes[i] = digit[bytes[i]];
        return labels_of<std::uint8_t>(codes, sizeof(std::uint8_t), n_samples_);
    }

    std::size_t n_samples_;
    std::vector<Pack> packs_;
};

/// Collects clusterings of the same samples, to be packed when all are added.
class Clusterings {
  public:
    explicit Clusterings(std::size_t n_samples) noexcept : n_samples_(n_samples) {}
    Clusterings(Clusterings&&) noexcept = default;
    Clusterings& operator=(Clusterings&&) noexcept = default;

    /// Adds a clustering; its index is the number of clusterings added before.
    void add(Pack clustering) {
        if (clustering.n_samples() != n_samples_)
            throw std::invalid_argument("all clusterings must have n_samples codes");
        clustering.set_index(unpacked_.size());
        unpacked_.push_back(std::move(clustering));
    }
    void add(std::span<const std::uint32_t> codes, std::size_t n_clusters) { add(Pack(codes, n_clusters)); }

    /// Packs all clusterings, and leaves none here.
    [[nodiscard]] PackedClusterings pack(const CancellationCheck& check_cancelled) &&;

  private:
    std::size_t n_samples_;
    std::vector<Pack> unpacked_;
};

}  // namespace chanceless::many
