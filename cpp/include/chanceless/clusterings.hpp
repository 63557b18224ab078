#pragma once

// Many clusterings of the same samples, packed so that one pass counts several pairs of them at once.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "chanceless/bitsets.hpp"
#include "chanceless/count.hpp"
#include "chanceless/dense.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/terms.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// One of the clusterings: codes 0 ... n_clusters - 1 are clusters; if there is one more, it marks samples that are
/// left out of every pair with this clustering.
struct Member {
    std::size_t index;
    std::size_t n_clusters;
    std::size_t n_codes;
};

/// A table in memory, row by row, of which the first rows and columns count.
struct CountedTable {
    const std::uint64_t* counts;
    std::size_t height;
    std::size_t width;
    std::size_t step;

    [[nodiscard]] std::size_t n_rows() const noexcept { return height; }
    [[nodiscard]] std::size_t n_columns() const noexcept { return width; }
    [[nodiscard]] std::size_t n_parts() const noexcept { return 1; }

    template <class Visit>
    void for_each_cell(std::size_t, const Visit& visit) const {
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t column = 0; column < width; ++column) visit(row, column, counts[row * step + column]);
        }
    }
};

/// Cells of which some do not count.
template <class Cells, class Counts>
struct KeptCells {
    const Cells& cells;
    const Counts& counts;  // counts(row, column), for cells that are not empty

    [[nodiscard]] std::size_t n_rows() const noexcept { return cells.n_rows(); }
    [[nodiscard]] std::size_t n_columns() const noexcept { return cells.n_columns(); }
    [[nodiscard]] std::size_t n_parts() const noexcept { return cells.n_parts(); }

    template <class Visit>
    void for_each_cell(std::size_t part, const Visit& visit) const {
        cells.for_each_cell(part, [&](std::size_t row, std::size_t column, std::uint64_t count) {
            visit(row, column, count != 0 && counts(row, column) ? count : 0);
        });
    }
};

/// Clusterings that share a byte: its value is their codes as the digits of one number, the first the lowest. A
/// clustering of more than 256 codes is a group by itself, and has them in full width.
struct Group {
    std::vector<Member> members;
    std::size_t n_codes = 1;
    Array<std::uint8_t> bytes;
    Array<std::uint32_t> wide;
    std::vector<std::vector<std::uint8_t>> digits;  // of each member, for each byte
    std::vector<std::uint64_t> sizes;               // how many samples have each byte
    std::vector<Bitsets> bitsets;                   // of each member, where all have few codes

    [[nodiscard]] bool is_wide() const noexcept { return wide != nullptr; }
};

/// Counters of one pair of members at a time, and the spectra that come of them.
class PairTables {
  public:
    /// The table of two groups, in which columns are added up for one member: as many rows, `n_codes` columns.
    template <class Counter>
    static std::vector<std::uint64_t> add_up_columns(const Counter* joint, const Group& rows, const Group& columns,
                                                     std::size_t q) {
        const std::size_t width = columns.members[q].n_codes;
        const std::uint8_t* const digit = columns.digits[q].data();
        std::vector<std::uint64_t> result(rows.n_codes * width, 0);
        for (std::size_t row = 0; row < rows.n_codes; ++row, joint += columns.n_codes) {
            std::uint64_t* const counts = result.data() + row * width;
            for (std::size_t column = 0; column < columns.n_codes; ++column) counts[digit[column]] += joint[column];
        }
        return result;
    }

    /// What `add_up_columns` gave, with rows added up for a member too.
    const PairTables& add_up(const std::vector<std::uint64_t>& added_up, const Group& rows, std::size_t p,
                             const Member& column) {
        start(rows.members[p], column);
        const std::uint64_t* from = added_up.data();
        for (std::size_t row = 0; row < rows.n_codes; ++row, from += width_) {
            std::uint64_t* const counts = counts_.data() + rows.digits[p][row] * width_;
            for (std::size_t column_code = 0; column_code < width_; ++column_code) {
                counts[column_code] += from[column_code];
            }
        }
        return *this;
    }

    /// Two members of one group, or one with itself.
    const PairTables& add_up(const Group& group, std::size_t p, std::size_t q) {
        start(group.members[p], group.members[q]);
        for (std::size_t code = 0; code < group.n_codes; ++code) {
            counts_[group.digits[p][code] * width_ + group.digits[q][code]] += group.sizes[code];
        }
        return *this;
    }

    /// Two members by their bitsets.
    const PairTables& add_up(const Bitsets& rows, const Member& row, const Bitsets& columns, const Member& column) {
        start(row, column);
        count_bits(rows, columns, counts_.data());
        return *this;
    }

    [[nodiscard]] Spectrum spectrum() const {
        const Pause no_pause = [] {};
        return summarise(CountedTable{counts_.data(), n_rows_, n_columns_, width_}, {1, no_pause});
    }

  private:
    void start(const Member& row, const Member& column) {
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

/// How many samples have each pair of bytes.
template <class Counter>
Array<Counter> count_bytes(const Group& rows, const Group& columns, std::size_t n_samples, const Pause& pause) {
    constexpr std::size_t block = 4096;
    Tally<Counter, std::uint16_t> tally(rows.n_codes * columns.n_codes, n_samples);
    const auto width = static_cast<std::uint16_t>(columns.n_codes);  // 256 at most, as there are rows
    alignas(64) std::uint16_t index[block];
    for (std::size_t start = 0; start < n_samples; start += block) {
        if (start % (256 * block) == 255 * block) pause();
        const std::size_t n = std::min(block, n_samples - start);
        const std::uint8_t* const row = rows.bytes.get() + start;
        const std::uint8_t* const column = columns.bytes.get() + start;
        for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::uint16_t>(row[i] * width + column[i]);
        tally.add({index, n});
    }
    return std::move(tally).counts();
}

class Clusterings {
  public:
    /// The spectrum of two of the clusterings.
    struct Pair {
        std::size_t row;
        std::size_t column;
        MeasuredSpectrum spectrum;
    };

    explicit Clusterings(std::size_t n_samples) noexcept : n_samples_(n_samples) {}
    Clusterings(const Clusterings&) = delete;
    Clusterings& operator=(const Clusterings&) = delete;

    [[nodiscard]] std::size_t n_samples() const noexcept { return n_samples_; }

    /// Adds a clustering; codes below n_clusters are clusters, n_clusters itself marks samples that are left out.
    void add(std::span<const std::uint32_t> codes, std::size_t n_clusters) {
        bool left_out = false;
        for (const std::uint32_t code : codes) left_out |= code >= n_clusters;
        Group group;
        group.n_codes = std::max<std::size_t>(n_clusters + std::size_t{left_out}, 1);
        group.members = {{groups_.size(), n_clusters, group.n_codes}};
        if (group.n_codes > most_codes) {
            group.wide = room_for<std::uint32_t>(codes.size());
            std::copy(codes.begin(), codes.end(), group.wide.get());
        } else {
            group.bytes = room_for<std::uint8_t>(codes.size());
            std::transform(codes.begin(), codes.end(), group.bytes.get(),
                           [](std::uint32_t code) { return static_cast<std::uint8_t>(code); });
        }
        groups_.push_back(std::move(group));
    }

    /// To be called once, when all are added.
    void pack(const Pause& pause) {
        std::stable_sort(groups_.begin(), groups_.end(),
                         [](const Group& left, const Group& right) { return left.n_codes < right.n_codes; });
        std::vector<Group> packed;
        for (Group& group : groups_) {
            pause();
            if (!packed.empty() && packed.back().n_codes * group.n_codes <= most_shared()) {
                join(packed.back(), group);
            } else {
                packed.push_back(std::move(group));
            }
        }
        groups_ = std::move(packed);
        for (Group& group : groups_) {
            pause();
            if (!group.is_wide()) look_at(group);
        }
    }

    /// Pairs of groups, of each group with itself too.
    [[nodiscard]] std::size_t n_units() const noexcept { return groups_.size() * (groups_.size() + 1) / 2; }

    /// All pairs of clusterings in some units, with the terms that are wanted; row <= column in each.
    [[nodiscard]] std::vector<Pair> spectra(std::size_t first_unit, std::size_t last_unit, const TermSet& wanted,
                                            const Pause& pause) const {
        const std::size_t n_units = last_unit - first_unit;
        std::vector<std::vector<Pair>> found(n_units);
        const Crew crew(n_samples_ > 1000 ? n_units : n_units / 64);
        const auto work = [&](unsigned, const Pause& own_pause, std::atomic<std::size_t>& next) {
            for (std::size_t unit = next++; unit < n_units; unit = next++) {
                own_pause();
                const auto [g, h] = groups_of(first_unit + unit);
                found[unit] = count_unit(groups_[g], groups_[h], g == h, own_pause);
                for (Pair& pair : found[unit]) pair.spectrum.know(wanted, own_pause);
            }
        };
        std::atomic<std::size_t> next{0};
        together(crew.size(), pause, [&](unsigned member, const Pause& own_pause) { work(member, own_pause, next); });
        std::vector<Pair> all;
        for (std::vector<Pair>& pairs : found) std::move(pairs.begin(), pairs.end(), std::back_inserter(all));
        return all;
    }

  private:
    static constexpr std::size_t most_codes = 256;

    /// How many values of a byte may be used by several: two groups make a table of the square, which must stay in the
    /// cache, and must be worth being set to zero and added up.
    [[nodiscard]] std::size_t most_shared() const noexcept {
        constexpr std::size_t fits_cache = 144;
        return std::min(fits_cache, static_cast<std::size_t>(std::sqrt(static_cast<double>(n_samples_) / 4.0)));
    }

    void join(Group& group, const Group& other) const noexcept {
        std::uint8_t* const bytes = group.bytes.get();
        const std::uint8_t* const added = other.bytes.get();
        const auto factor = static_cast<std::uint8_t>(group.n_codes);
        for (std::size_t i = 0; i < n_samples_; ++i) bytes[i] = static_cast<std::uint8_t>(bytes[i] + added[i] * factor);
        group.members.push_back(other.members[0]);
        group.n_codes *= other.n_codes;
    }

    void look_at(Group& group) const {
        std::size_t factor = 1;
        for (const Member& member : group.members) {
            std::vector<std::uint8_t> digit(group.n_codes);
            for (std::size_t code = 0; code < group.n_codes; ++code) {
                digit[code] = static_cast<std::uint8_t>(code / factor % member.n_codes);
            }
            group.digits.push_back(std::move(digit));
            factor *= member.n_codes;
        }
        group.sizes.assign(group.n_codes, 0);
        for (std::size_t i = 0; i < n_samples_; ++i) ++group.sizes[group.bytes[i]];
        if (group.members.back().n_codes > most_bitsets) return;
        for (std::size_t p = 0; p < group.members.size(); ++p) {
            group.bitsets.push_back(
                bitsets_of(group.bytes.get(), group.digits[p].data(), n_samples_, group.members[p].n_codes));
        }
    }

    [[nodiscard]] static std::pair<std::size_t, std::size_t> groups_of(std::size_t unit) noexcept {
        auto h = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(unit) + 1.0) - 1.0) / 2.0);
        while (h * (h + 1) / 2 > unit) --h;
        while ((h + 1) * (h + 2) / 2 <= unit) ++h;
        return {unit - h * (h + 1) / 2, h};
    }

    [[nodiscard]] std::vector<Pair> count_unit(const Group& rows, const Group& columns, bool same,
                                               const Pause& pause) const {
        if (rows.is_wide() || columns.is_wide()) return count_wide(rows, columns, same, pause);
        if (same) {
            return each_pair(rows, columns, same, [&](PairTables& tables, std::size_t p, std::size_t q) -> auto& {
                return tables.add_up(rows, p, q);
            });
        }
        if (!rows.bitsets.empty() && !columns.bitsets.empty()) {
            return each_pair(rows, columns, same, [&](PairTables& tables, std::size_t p, std::size_t q) -> auto& {
                return tables.add_up(rows.bitsets[p], rows.members[p], columns.bitsets[q], columns.members[q]);
            });
        }
        const auto with_counter = [&]<class Counter>(Counter) {
            const Array<Counter> joint = count_bytes<Counter>(rows, columns, n_samples_, pause);
            std::vector<std::uint64_t> added_up;
            return each_pair(rows, columns, same, [&](PairTables& tables, std::size_t p, std::size_t q) -> auto& {
                if (p == 0) added_up = PairTables::add_up_columns(joint.get(), rows, columns, q);
                return tables.add_up(added_up, rows, p, columns.members[q]);
            });
        };
        return n_samples_ <= std::numeric_limits<std::uint32_t>::max() ? with_counter(std::uint32_t{})
                                                                       : with_counter(std::uint64_t{});
    }

    template <class AddUp>
    static std::vector<Pair> each_pair(const Group& rows, const Group& columns, bool same, const AddUp& add_up) {
        std::vector<Pair> pairs;
        PairTables tables;
        for (std::size_t q = 0; q < columns.members.size(); ++q) {
            for (std::size_t p = 0; p < (same ? q + 1 : rows.members.size()); ++p) {
                Spectrum spectrum = add_up(tables, p, q).spectrum();
                pairs.push_back(as_pair(rows.members[p], columns.members[q], std::move(spectrum)));
            }
        }
        return pairs;
    }

    /// Groups were sorted; the pair is given in the order in which its clusterings were added.
    static Pair as_pair(const Member& row, const Member& column, Spectrum spectrum) {
        if (row.index <= column.index) return {row.index, column.index, MeasuredSpectrum(std::move(spectrum))};
        std::swap(spectrum.rows, spectrum.columns);
        return {column.index, row.index, MeasuredSpectrum(std::move(spectrum))};
    }

    /// Groups are in the order of their codes: if one is wide, the columns are.
    [[nodiscard]] std::vector<Pair> count_wide(const Group& rows, const Group& columns, bool same,
                                               const Pause& pause) const {
        if (same) return {as_pair(rows.members[0], rows.members[0], with_itself(rows))};
        std::vector<Pair> pairs;
        const Array<std::uint8_t> codes = rows.is_wide() ? nullptr : room_for<std::uint8_t>(n_samples_);
        for (std::size_t p = 0; p < rows.members.size(); ++p) {
            const Labels row_labels = rows.is_wide() ? wide_labels(rows) : codes_of(rows, p, codes.get());
            pairs.push_back(
                as_pair(rows.members[p], columns.members[0],
                        count_labels(row_labels, rows.members[p], wide_labels(columns), columns.members[0], pause)));
        }
        return pairs;
    }

    static Spectrum count_labels(const Labels& rows, const Member& row, const Labels& columns, const Member& column,
                                 const Pause& pause) {
        return count(rows, columns, pause,
                     [&](const auto& cells, const auto& row_label, const auto& column_label, const Helpers& helpers) {
                         if (row.n_codes == row.n_clusters && column.n_codes == column.n_clusters) {
                             return summarise(cells, helpers);
                         }
                         const auto counts = [&](std::size_t i, std::size_t j) {
                             return row_label(i) < row.n_clusters && column_label(j) < column.n_clusters;
                         };
                         return summarise(
                             KeptCells<std::remove_cvref_t<decltype(cells)>, decltype(counts)>{cells, counts}, helpers);
                     });
    }

    [[nodiscard]] Spectrum with_itself(const Group& group) const {
        Sizes sizes(group.n_codes, 0);
        for (std::size_t i = 0; i < n_samples_; ++i) ++sizes[group.wide[i]];
        sizes.resize(group.members[0].n_clusters);
        return summarise(sizes);
    }

    [[nodiscard]] Labels wide_labels(const Group& group) const noexcept {
        return labels_of<std::uint32_t>(group.wide.get(), sizeof(std::uint32_t), n_samples_);
    }

    [[nodiscard]] Labels codes_of(const Group& group, std::size_t p, std::uint8_t* codes) const noexcept {
        const std::uint8_t* const digit = group.digits[p].data();
        for (std::size_t i = 0; i < n_samples_; ++i) codes[i] = digit[group.bytes[i]];
        return labels_of<std::uint8_t>(codes, sizeof(std::uint8_t), n_samples_);
    }

    std::size_t n_samples_;
    std::vector<Group> groups_;
};

}  // namespace chanceless
