#pragma once

// Random contingency tables with the sizes of an observed one: every assignment of the column labels to the samples is
// equally likely. Only a statistic of each table is kept.
//
// Two samplers: one shuffles the labels, in time proportional to the samples; the other draws each cell given those
// before it, in time proportional to the cells, whatever their counts.

#include <new>

#include "certainty/table_probability.hpp"
#include "counting/spectrum.hpp"

namespace chanceless::certainty {

using counting::number_of_clusters, counting::SizeGroup, counting::Spectrum;
using numbers::exp_of_double, numbers::half_log_two_pi, numbers::log_of_double, numbers::stirling_rest;

// Random numbers: any number of streams from one seed, the same on every machine.

/// xoshiro256** (Blackman & Vigna), its state set by splitmix64 from a seed and the number of a stream. A block of work
/// has its own stream, so that results do not depend on the thread that does it.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream) noexcept {
        std::uint64_t place = mixed(mixed(seed) + stream);
        for (std::uint64_t& word : state_) word = mixed(place += golden);
    }

    std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform on 0 ... bound - 1, each exactly as likely (Lemire 2019); bound > 0.
    std::uint64_t below(std::uint64_t bound) noexcept {
        uint128 product = uint128{next()} * bound;
        if (low_half(product) < bound) {
            const std::uint64_t too_few = (0 - bound) % bound;
            while (low_half(product) < too_few) product = uint128{next()} * bound;
        }
        return high_half(product);
    }

    /// Uniform on the 2^52 odd multiples of 2^-53: neither 0 nor 1.
    double unit() noexcept { return static_cast<double>((next() >> 11) | 1) * 0x1p-53; }

  private:
    static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

    static std::uint64_t mixed(std::uint64_t word) noexcept {
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
        return word ^ (word >> 31);
    }

    std::array<std::uint64_t, 4> state_{};
};

// Random hypergeometric numbers: how many of the samples drawn are marked.
//
// The probability of a count is that of the 2 x 2 table of marked and drawn samples: for up to 2^17 samples a sum of
// tabulated log factorials, beyond as in table_probability.hpp. Numbers drawn have the probabilities that they should
// have, to 1e-9 of each, for up to 2^53 samples; counts whose probability is below 1e-15 are left out.

/// Marked and drawn samples, both at most half of all: the fourth cell of their table cannot be empty first.
struct MarkedAndDrawn {
    double marked;
    double drawn;
    double total;

    [[nodiscard]] double neither() const noexcept { return total - marked - drawn; }
    [[nodiscard]] double mean() const noexcept { return marked * (drawn / total); }
    [[nodiscard]] double variance() const noexcept {
        return mean() * ((total - marked) / total) * ((total - drawn) / (total - 1.0));
    }
    [[nodiscard]] double mode() const noexcept { return std::floor((marked + 1.0) * ((drawn + 1.0) / (total + 2.0))); }
    [[nodiscard]] double most() const noexcept { return std::min(marked, drawn); }
};

/// log(x!) for x < size, in units of 2^-41: sums are exact, differences of near ones off by less than 1e-11.
class LogFactorials {
  public:
    static constexpr std::size_t size = std::size_t{1} << 17;

    static const LogFactorials& instance() noexcept {
        static const LogFactorials table;
        return table;
    }
    std::int64_t operator[](double x) const noexcept { return values_[static_cast<std::size_t>(x)]; }
    static double to_double(std::int64_t value) noexcept { return static_cast<double>(value) * 0x1p-41; }

  private:
    LogFactorials() noexcept {
        for (std::size_t x = 2; x < size; ++x) {
            values_[x] =
                values_[x - 1] + static_cast<std::int64_t>(log_of_double(static_cast<double>(x)) * 0x1p41 + 0.5);
        }
    }

    std::array<std::int64_t, size> values_{};
};

/// Log probabilities from tabulated factorials.
class TabulatedProbability {
  public:
    explicit TabulatedProbability(const MarkedAndDrawn& samples) noexcept
        : samples_(samples), mode_(weight(samples.mode())) {}

    /// log(p(count) / p(mode)).
    [[nodiscard]] double log_ratio(double count) const noexcept {
        return LogFactorials::to_double(mode_ - weight(count));
    }

    static double log_of_none(const MarkedAndDrawn& samples) noexcept {
        const LogFactorials& logs = LogFactorials::instance();
        const auto& [marked, drawn, total] = samples;
        return LogFactorials::to_double((logs[total - marked] - logs[samples.neither()]) -
                                        (logs[total] - logs[total - drawn]));
    }

  private:
    [[nodiscard]] std::int64_t weight(double count) const noexcept {
        const LogFactorials& logs = LogFactorials::instance();
        return logs[count] + logs[samples_.marked - count] + logs[samples_.drawn - count] +
               logs[samples_.neither() + count];
    }

    MarkedAndDrawn samples_;
    std::int64_t mode_;
};

/// Log probabilities from the distance to the mean, for any number of samples.
class ComputedProbability {
  public:
    explicit ComputedProbability(const MarkedAndDrawn& samples) noexcept
        : samples_(samples),
          centre_(samples.mode()),
          offset_(distance_of(centre_, samples)),
          means_(means_of(samples)) {}

    /// log(p(count) / p(mode)).
    [[nodiscard]] double log_ratio(double count) const noexcept { return mode_ - weight(count); }

    static double log_of_none(const MarkedAndDrawn& samples) noexcept {
        const auto& [marked, drawn, total] = samples;
        const double sizes = marked * (total - marked) * ((drawn / total) * (total - drawn));
        const double rests = stirling_rest(marked) + stirling_rest(total - marked) + stirling_rest(drawn) +
                             stirling_rest(total - drawn) - stirling_rest(total);
        return 0.5 * log_of_double(sizes) + rests - half_log_two_pi - ComputedProbability(samples).weight(0.0);
    }

  private:
    static std::array<double, 4> means_of(const MarkedAndDrawn& samples) noexcept {
        const auto& [marked, drawn, total] = samples;
        const double share = drawn / total;
        const double other_share = (total - drawn) / total;
        return {marked * share, marked * other_share, (total - marked) * share, (total - marked) * other_share};
    }

    /// count - mean, rounded once.
    static double distance_of(double count, const MarkedAndDrawn& samples) noexcept {
        const auto& [marked, drawn, total] = samples;
        const auto product = [](double x, double y) { return static_cast<int128>(x) * static_cast<int128>(y); };
        return static_cast<double>(product(count, total) - product(marked, drawn)) / total;
    }

    /// -log of the probability of a count, up to a constant.
    [[nodiscard]] double weight(double count) const noexcept {
        const double distance = (count - centre_) + offset_;
        const std::array<double, 4> counts{count, samples_.marked - count, samples_.drawn - count,
                                           samples_.neither() + count};
        const std::array<double, 4> distances{distance, -distance, -distance, distance};
        double sum = 0.0;
        double product = 1.0;
        for (std::size_t i = 0; i < 4; ++i) {
            sum += cell_divergence(counts[i], means_[i], distances[i]) + stirling_rest(counts[i]);
            product *= std::max(counts[i], 1.0);
        }
        return sum + 0.5 * log_of_double(product);
    }

    MarkedAndDrawn samples_;
    double centre_;
    double offset_;  // centre - mean
    std::array<double, 4> means_;
    double mode_ = weight(centre_);
};

/// Goes up from 0 until the cumulative probability exceeds a uniform number.
template <class Probability>
double invert(const MarkedAndDrawn& samples, RandomStream& random) noexcept {
    double probability = exp_of_double(Probability::log_of_none(samples));
    const double most = samples.most();
    const double neither = samples.neither();
    double rest = random.unit();
    double count = 0.0;
    while (rest > probability && count < most) {
        rest -= probability;
        probability *= (samples.marked - count) * (samples.drawn - count) / ((count + 1.0) * (neither + count + 1.0));
        count += 1.0;
    }
    return count;
}

/// Ratio of uniforms (Stadlober 1990, algorithm HRUA). The hat covers every distribution of a mean of 1 or more; counts
/// above 16 deviations are left out.
template <class Probability>
double reject(const MarkedAndDrawn& samples, RandomStream& random) noexcept {
    constexpr double hat_width = 1.7155277699214135;   // 2 sqrt(2 / e)
    constexpr double hat_offset = 0.8989161620588988;  // 3 - 2 sqrt(3 / e)
    const double centre = samples.mean() + 0.5;
    const double deviation = std::sqrt(samples.variance() + 0.5);
    const double width = hat_width * deviation + hat_offset;
    const double end = std::min(samples.most() + 1.0, std::floor(centre + 16.0 * deviation));
    const Probability probability(samples);
    for (;;) {
        const double u = random.unit();
        const double position = centre + width * (random.unit() - 0.5) / u;
        if (position < 0.0 || position >= end) continue;
        const double count = std::floor(position);
        const double log_ratio = probability.log_ratio(count);
        if (u * (4.0 - u) - 3.0 <= log_ratio) return count;
        if (u * (u - log_ratio) >= 1.0) continue;
        if (2.0 * log_of_double(u) <= log_ratio) return count;
    }
}

template <class Probability>
double draw_marked(const MarkedAndDrawn& samples, RandomStream& random) noexcept {
    constexpr double small = 5.0;
    return samples.mean() < small ? invert<Probability>(samples, random) : reject<Probability>(samples, random);
}

/// How many of `drawn` samples are marked, if `marked` of all `total` are.
inline std::uint64_t draw_hypergeometric(std::uint64_t marked, std::uint64_t drawn, std::uint64_t total,
                                         RandomStream& random) noexcept {
    const std::uint64_t fewer_marked = std::min(marked, total - marked);
    const std::uint64_t fewer_drawn = std::min(drawn, total - drawn);
    std::uint64_t count = 0;
    if (fewer_marked > 0 && fewer_drawn > 0) {
        const MarkedAndDrawn samples{static_cast<double>(fewer_marked), static_cast<double>(fewer_drawn),
                                     static_cast<double>(total)};
        count =
            static_cast<std::uint64_t>(total < LogFactorials::size ? draw_marked<TabulatedProbability>(samples, random)
                                                                   : draw_marked<ComputedProbability>(samples, random));
    }
    if (fewer_marked < marked) count = fewer_drawn - count;
    return fewer_drawn < drawn ? marked - count : count;
}

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

/// Bytes of labels that all threads together may have.
inline constexpr std::uint64_t most_label_bytes = std::uint64_t{1} << 30;

/// Nanoseconds for one table by each sampler, within a factor of two (measured by benchmarks/permutation.py).
class TableCost {
  public:
    TableCost(std::uint64_t n_samples, std::size_t n_rows, std::size_t n_columns) noexcept {
        const auto samples = static_cast<double>(n_samples);
        const double cells = static_cast<double>(n_rows) * static_cast<double>(n_columns);
        by_cells = (n_samples < LogFactorials::size ? 50.0 : 130.0) * cells;
        if (n_samples > most_label_bytes / sizeof(std::uint32_t)) return;
        const std::size_t clusters = std::max(n_rows, n_columns);
        const double bytes = samples * (clusters <= 0xFF ? 1.0 : clusters <= 0xFFFF ? 2.0 : 4.0);
        const double from_memory = bytes < 5e5 ? 0.0 : bytes < 1.6e7 ? 3.0 : 12.0;
        by_labels = (2.2 + from_memory) * samples + 4.0 * std::min(samples, cells);
    }

    double by_cells;
    double by_labels = std::numeric_limits<double>::infinity();
};

/// How many threads may draw tables at once.
inline std::size_t most_threads(const TableSizes& sizes) noexcept {
    const std::uint64_t bytes = sizes.n_samples * sizeof(std::uint32_t);
    return bytes > most_label_bytes ? std::numeric_limits<std::size_t>::max()
                                    : most_label_bytes / std::max<std::uint64_t>(bytes, 1);
}

inline bool draws_cells(Sampler sampler, const TableSizes& sizes) noexcept {
    if (sampler != Sampler::cheaper) return sampler == Sampler::cells;
    const TableCost cost(sizes.n_samples, sizes.rows.size(), sizes.columns.size());
    return cost.by_cells < cost.by_labels;
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

}  // namespace chanceless::certainty
