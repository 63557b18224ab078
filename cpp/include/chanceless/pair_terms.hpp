#pragma once

// The terms of two clusterings of many: what depends on one of them is computed once, the rest from their table,
// without its spectrum where that is not needed. All are the same as those of the spectrum, to the last bit.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/expected.hpp"
#include "chanceless/information.hpp"
#include "chanceless/log_sum.hpp"
#include "chanceless/log_table.hpp"
#include "chanceless/node_table.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/pairwise.hpp"
#include "chanceless/size_nodes.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/terms.hpp"

namespace chanceless {

/// What all pairs with a clustering need of its sizes.
struct ClusteringTerms {
    std::vector<SizeGroup> groups;
    std::uint64_t n_clusters;
    double entropy_of_sizes;
    double mean_log_size;
    double pairwise_adjusted;
    uint128 pairs;
    Fixed<2> size_logs;  // the sum of a log a
    std::array<SizeNodes, 2> nodes_by_growth;

    ClusteringTerms(std::span<const std::uint64_t> sizes, std::uint64_t n_samples, const LogTable& logs,
                    const CancellationCheck& check_cancelled)
        : groups(group_sizes(sizes)),
          n_clusters(number_of_clusters(groups)),
          entropy_of_sizes(chanceless::entropy(groups, n_samples)),
          mean_log_size(mean_log(groups, n_samples)),
          pairwise_adjusted(pairwise_adjusted_entropy(groups, n_samples)),
          pairs(pairs_within(groups)),
          nodes_by_growth{nodes_of(groups, n_samples, 1, check_cancelled),
                          nodes_of(groups, n_samples, 2, check_cancelled)} {
        LogUnits sum;
        for (const std::uint64_t size : sizes) sum += logs.at(size);
        size_logs = sum.number();
    }

    [[nodiscard]] double entropy() const noexcept { return entropy_of_sizes; }
    [[nodiscard]] const SizeNodes& nodes(int growth) const noexcept {
        return nodes_by_growth[static_cast<std::size_t>(growth - 1)];
    }
};

/// What all pairs share.
struct PairsContext {
    std::uint64_t n_samples;
    LogTable logs;
    Fixed<2> total_logs;  // n log n

    PairsContext(std::uint64_t n, std::size_t n_known_logs)
        : n_samples(n), logs(n_known_logs), total_logs(logs.at(n).number()) {}
};

/// The terms of two clusterings of the same samples, all of which are in the table.
template <class Table>
class PairTerms {
  public:
    PairTerms(const Table& table, const ClusteringTerms& rows, const ClusteringTerms& columns,
              const PairsContext& context, NodeTable& memo, const CancellationCheck& check_cancelled) noexcept
        : table_(table),
          rows_(rows),
          columns_(columns),
          context_(context),
          memo_(memo),
          check_cancelled_(check_cancelled) {}

    [[nodiscard]] double term(Term which) const {
        switch (which) {
            case Term::row_entropy:
                return rows_.entropy_of_sizes;
            case Term::column_entropy:
                return columns_.entropy_of_sizes;
            case Term::mean_log_row_size:
                return rows_.mean_log_size;
            case Term::mean_log_column_size:
                return columns_.mean_log_size;
            case Term::pairwise_adjusted_row_entropy:
                return rows_.pairwise_adjusted;
            case Term::pairwise_adjusted_column_entropy:
                return columns_.pairwise_adjusted;
            case Term::mean_log_count:
                return rounded(cell_logs(), 1, which);
            case Term::mutual_information:
                return rounded(context_.total_logs + cell_logs() - size_logs(), 4, which);
            case Term::variation_of_information:
                return rounded(size_logs() - cell_logs() - cell_logs(), 4, which);
            default:
                return compute(which, spectrum());
        }
    }

    [[nodiscard]] ExpectedInformation expected() const {
        if (!expected_) {
            const auto difference = [&] {
                const Rounded exact = round(size_logs() - context_.total_logs, 3);
                return exact.certain ? exact.value
                                     : independent_log_count(rows_.groups, columns_.groups, context_.n_samples);
            };
            expected_ = expected_information(rows_, columns_, context_.n_samples, difference, memo_, check_cancelled_);
        }
        return *expected_;
    }

    [[nodiscard]] bool is_identical() const noexcept {
        if (rows_.n_clusters != columns_.n_clusters) return false;
        std::uint64_t n_cells = 0;
        table_.for_each_cell(0, [&](std::size_t, std::size_t, std::uint64_t count) {
            n_cells += static_cast<std::uint64_t>(count != 0);
        });
        return n_cells == rows_.n_clusters;
    }

    [[nodiscard]] PairsOfSamples pairs() const noexcept {
        uint128 squares = 0;
        table_.for_each_cell(0,
                             [&](std::size_t, std::size_t, std::uint64_t count) { squares += uint128{count} * count; });
        return {(squares - context_.n_samples) >> 1, rows_.pairs, columns_.pairs, all_pairs(context_.n_samples)};
    }

  private:
    [[nodiscard]] Fixed<2> size_logs() const noexcept { return rows_.size_logs + columns_.size_logs; }

    /// The sum of x log x over the cells.
    [[nodiscard]] Fixed<2> cell_logs() const noexcept {
        if (!cell_logs_) {
            LogUnits sum;
            table_.for_each_cell(
                0, [&](std::size_t, std::size_t, std::uint64_t count) { sum += context_.logs.at(count); });
            cell_logs_ = sum.number();
        }
        return *cell_logs_;
    }

    /// A sum over n, with `n_sums` sums of x log x in it, each with values that add up to n.
    [[nodiscard]] Rounded round(const Fixed<2>& sum, int n_sums) const noexcept {
        const double error = n_sums * static_cast<double>(context_.n_samples) * log_error<2>;
        return round_sum(sum, error, context_.n_samples, 1);
    }

    /// The same as a term; where it is not certain, zeros included, from the spectrum.
    [[nodiscard]] double rounded(const Fixed<2>& sum, int n_sums, Term which) const {
        const Rounded result = round(sum, n_sums);
        return result.certain ? result.value : compute(which, spectrum());
    }

    [[nodiscard]] const Spectrum& spectrum() const {
        if (!spectrum_) spectrum_ = summarise(table_, {1, check_cancelled_});
        return *spectrum_;
    }

    const Table& table_;
    const ClusteringTerms& rows_;
    const ClusteringTerms& columns_;
    const PairsContext& context_;
    NodeTable& memo_;
    const CancellationCheck& check_cancelled_;
    mutable std::optional<Fixed<2>> cell_logs_;
    mutable std::optional<ExpectedInformation> expected_;
    mutable std::optional<Spectrum> spectrum_;
};

}  // namespace chanceless
