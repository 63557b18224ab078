#pragma once

// Random contingency tables with the sizes of an observed one: every assignment of the column labels to the samples is
// equally likely. Only a statistic of each table is kept.
//
// Two samplers: one shuffles the labels, in time proportional to the samples; the other draws each cell given those
// before it, in time proportional to the cells, whatever their counts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/hypergeometric_draw.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/random_stream.hpp"
#include "chanceless/spectrum.hpp"

namespace chanceless {

/// The sizes of all rows and all columns. Which side is called rows depends on the sizes only, so that a table and its
/// transpose have the same random tables.
struct TableSizes {
    std::vector<std::uint64_t> rows;     // ascending: the largest is what the others leave, and takes no draws
    std::vector<std::uint64_t> columns;  // descending: small rows are full after a few
    std::uint64_t n_samples;

    explicit TableSizes(const Spectrum& spectrum) : n_samples(spectrum.n_samples) {
        constexpr std::uint64_t most_clusters = std::uint64_t{1} << 26;
        if (number_of_clusters(spectrum.rows) + number_of_clusters(spectrum.columns) > most_clusters)
            throw std::bad_alloc();
        rows = listed(spectrum.rows);
        columns = listed(spectrum.columns);
        if (std::lexicographical_compare(rows.rbegin(), rows.rend(), columns.rbegin(), columns.rend()))
            std::swap(rows, columns);
        std::reverse(columns.begin(), columns.end());
    }

  private:
    static std::vector<std::uint64_t> listed(const std::vector<SizeGroup>& groups) {
        std::vector<std::uint64_t> sizes;
        sizes.reserve(number_of_clusters(groups));
        for (const SizeGroup& group : groups) sizes.insert(sizes.end(), group.clusters, group.size);
        return sizes;
    }
};

/// Draws the cells of a row one after the other, each from what the row still needs and the columns still have.
class CellSampler {
  public:
    explicit CellSampler(const TableSizes& sizes) : sizes_(&sizes), left_(sizes.columns.size()) {}

    void restart() noexcept {}

    template <class Statistic>
    typename Statistic::Value draw(const Statistic& statistic, RandomStream& random, PeriodicCheck& check) {
        const auto& [rows, columns, n_samples] = *sizes_;
        std::copy(columns.begin(), columns.end(), left_.begin());
        typename Statistic::Value sum{};
        std::uint64_t left_in_all = n_samples;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            std::uint64_t wanted = rows[i];
            std::uint64_t left_in_rest = left_in_all;
            for (std::size_t j = 0; wanted > 0; ++j) {
                const std::uint64_t count = draw_hypergeometric(left_[j], wanted, left_in_rest, random);
                left_in_rest -= left_[j];
                left_[j] -= count;
                wanted -= count;
                if (count > 0) sum += statistic.cell(count, rows[i], columns[j]);
            }
            left_in_all -= rows[i];
            check.after(16 * columns.size());
        }
        for (std::size_t j = 0; j < columns.size(); ++j) {
            if (left_[j] > 0) sum += statistic.cell(left_[j], rows.back(), columns[j]);
        }
        return sum;
    }

  private:
    const TableSizes* sizes_;
    std::vector<std::uint64_t> left_;
};

/// Shuffles the column labels of all samples and counts them, row by row. A label fits into `Label`.
template <class Label>
class LabelSampler {
  public:
    explicit LabelSampler(const TableSizes& sizes)
        : sizes_(&sizes), labels_(uninitialised<Label>(sizes.n_samples)), counts_(sizes.columns.size(), 0) {}

    /// Back to the labels in order, so that draws that follow do not depend on those before.
    void restart() noexcept {
        Label* next = labels_.get();
        for (std::size_t j = 0; j < sizes_->columns.size(); ++j) {
            next = std::fill_n(next, sizes_->columns[j], static_cast<Label>(j));
        }
    }

    template <class Statistic>
    typename Statistic::Value draw(const Statistic& statistic, RandomStream& random, PeriodicCheck& check) {
        const auto& [rows, columns, n_samples] = *sizes_;
        typename Statistic::Value sum{};
        std::uint64_t left = n_samples;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint64_t end = left - rows[i];
            if (i + 1 < rows.size()) {
                choose(end, left, random);
            } else {
                for (std::uint64_t place = end; place < left; ++place) ++counts_[labels_[place]];
            }
            sum += take_row(statistic, rows[i], end, left);
            left = end;
            check.after(rows[i]);
        }
        return sum;
    }

  private:
    /// Moves random labels of the first `left` to the places from `end` on, and counts them.
    void choose(std::uint64_t end, std::uint64_t left, RandomStream& random) noexcept {
        // In registers: a label of one byte may be anything to the compiler, which would reload all after each one.
        RandomStream stream = random;
        Label* const labels = labels_.get();
        std::uint32_t* const counts = counts_.data();
        while (left > end) {
            const std::uint64_t chosen = stream.below(left--);
            const Label label = labels[chosen];
            labels[chosen] = labels[left];
            labels[left] = label;
            ++counts[label];
        }
        random = stream;
    }

    /// Sums up the row that was counted, and sets its counts to zero.
    template <class Statistic>
    typename Statistic::Value take_row(const Statistic& statistic, std::uint64_t row_size, std::uint64_t start,
                                       std::uint64_t stop) noexcept {
        typename Statistic::Value sum{};
        const auto take = [&](std::size_t column) {
            const std::uint64_t count = std::exchange(counts_[column], 0);
            if (count > 0) sum += statistic.cell(count, row_size, sizes_->columns[column]);
        };
        if (counts_.size() < 2 * row_size) {
            for (std::size_t column = 0; column < counts_.size(); ++column) take(column);
        } else {
            for (std::uint64_t place = start; place < stop; ++place) take(labels_[place]);
        }
        return sum;
    }

    const TableSizes* sizes_;
    Array<Label> labels_;
    std::vector<std::uint32_t> counts_;
};

enum class Sampler { cheaper, cells, labels };

/// Nanoseconds for one table, roughly (measured).
inline double nanoseconds_by_cells(const TableSizes& sizes) noexcept {
    const double cell = sizes.n_samples < LogFactorials::size ? 65.0 : 180.0;
    return cell * static_cast<double>(sizes.rows.size()) * static_cast<double>(sizes.columns.size());
}
inline double nanoseconds_by_labels(const TableSizes& sizes) noexcept {
    return 2.2 * static_cast<double>(sizes.n_samples);
}

/// Bytes of labels that all threads together may have.
inline constexpr std::uint64_t most_label_bytes = std::uint64_t{1} << 30;

/// How many threads may draw tables at once.
inline std::size_t most_threads(const TableSizes& sizes) noexcept {
    const std::uint64_t bytes = sizes.n_samples * sizeof(std::uint32_t);
    return bytes > most_label_bytes ? std::numeric_limits<std::size_t>::max()
                                    : most_label_bytes / std::max<std::uint64_t>(bytes, 1);
}

inline bool draws_cells(Sampler sampler, const TableSizes& sizes) noexcept {
    if (sampler != Sampler::cheaper) return sampler == Sampler::cells;
    return sizes.n_samples > most_label_bytes / sizeof(std::uint32_t) ||
           nanoseconds_by_cells(sizes) < nanoseconds_by_labels(sizes);
}

/// Calls work(sampler) with a new sampler.
template <class Work>
void with_sampler(Sampler which, const TableSizes& sizes, const Work& work) {
    if (draws_cells(which, sizes)) return work(CellSampler(sizes));
    if (sizes.n_samples > most_label_bytes / sizeof(std::uint32_t)) throw std::bad_alloc();
    if (sizes.columns.size() <= std::numeric_limits<std::uint8_t>::max())
        return work(LabelSampler<std::uint8_t>(sizes));
    if (sizes.columns.size() <= std::numeric_limits<std::uint16_t>::max())
        return work(LabelSampler<std::uint16_t>(sizes));
    return work(LabelSampler<std::uint32_t>(sizes));
}

}  // namespace chanceless
