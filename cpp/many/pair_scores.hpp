#pragma once

// The scores of all pairs of many clusterings, written into matrices.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "counting/spectrum.hpp"
#include "many/clusterings.hpp"
#include "many/packed_codes.hpp"
#include "many/pair_terms.hpp"
#include "scores/measured_spectrum.hpp"
#include "scores/scores.hpp"

namespace chanceless::many {

using base::CancellationCheck;
using chance::SizeNodes;
using counting::Spectrum, counting::summarise;
using scores::Average, scores::compute, scores::MeasuredSpectrum, scores::Mirrored, scores::Score,
    scores::SpectrumTerms;

/// A score that is wanted of every pair. One that `changes_places` may differ when the clusterings are exchanged.
struct WantedScore {
    Score score;
    bool changes_places;
    double* matrix;  // row by row, a row and a column for each clustering
};

/// Computes scores of pairs. What depends on one clustering is computed here, what depends on two sizes is remembered
/// from pair to pair. Several threads may use it.
class PairScorer {
  public:
    PairScorer(const PackedClusterings& clusterings, const CancellationCheck& check_cancelled)
        : clusterings_(clusterings),
          n_clusterings_(count_clusterings(clusterings)),
          context_(clusterings.n_samples(), n_known_logs(clusterings.n_samples(), n_clusterings_)),
          terms_(n_clusterings_) {
        for (const Pack& pack : clusterings.packs()) {
            check_cancelled();
            if (!pack.is_wide()) add_terms_of(pack, check_cancelled);
        }
        node_cache_.emplace(all_nodes());
    }

    [[nodiscard]] std::size_t n_clusterings() const noexcept { return n_clusterings_; }

    /// Scores all pairs of some units; `counted` is the matrix of the numbers of samples. Returns the number of pairs.
    std::size_t score(std::size_t first_unit, std::size_t last_unit, const std::vector<WantedScore>& wanted,
                      Average average, std::int64_t* counted, const CancellationCheck& check_cancelled) {
        std::atomic<std::size_t> n_pairs{0};
        const auto work = [&](std::size_t unit, const CancellationCheck& check) {
            const auto write = [&](const Clustering& row, const Clustering& column, std::uint64_t n_samples,
                                   const auto& terms) {
                ++n_pairs;
                const auto [first, second] = std::pair{row.index, column.index};
                counted[place(first, second)] = counted[place(second, first)] = static_cast<std::int64_t>(n_samples);
                if (first <= second) {
                    write_scores(wanted, average, first, second, terms, Mirrored{terms});
                } else {
                    write_scores(wanted, average, second, first, Mirrored{terms}, terms);
                }
            };
            const auto of_spectrum = [&](const Clustering& row, const Clustering& column, Spectrum spectrum) {
                const MeasuredSpectrum measured(std::move(spectrum));
                write(row, column, measured.spectrum().n_samples, SpectrumTerms{measured, check});
            };
            const auto of_table = [&](const Clustering& row, const Clustering& column, const auto& table) {
                const auto& row_terms = terms_[row.index];
                const auto& column_terms = terms_[column.index];
                if (row_terms && column_terms) {
                    const PairTerms terms(table, *row_terms, *column_terms, context_, *node_cache_, check);
                    write(row, column, context_.n_samples, terms);
                } else {
                    of_spectrum(row, column, summarise(table, {1, check}));
                }
            };
            clusterings_.visit_unit(unit, check, of_table, of_spectrum);
        };
        clusterings_.for_each_unit(first_unit, last_unit, check_cancelled, work);
        return n_pairs;
    }

  private:
    static std::size_t count_clusterings(const PackedClusterings& clusterings) noexcept {
        std::size_t n = 0;
        for (const Pack& pack : clusterings.packs()) n += pack.clusterings().size();
        return n;
    }

    /// To compute a logarithm takes as long as to count a hundred samples: some for each pair pay.
    static std::size_t n_known_logs(std::size_t n_samples, std::size_t n_clusterings) noexcept {
        constexpr std::size_t most = std::size_t{1} << 17;
        return std::min({n_samples + 1, most, 8 * n_clusterings * n_clusterings});
    }

    /// Clusterings without samples that are left out; the sizes of others differ from pair to pair.
    void add_terms_of(const Pack& pack, const CancellationCheck& check_cancelled) {
        for (std::size_t p = 0; p < pack.clusterings().size(); ++p) {
            const Clustering& clustering = pack.clusterings()[p];
            if (clustering.n_codes != clustering.n_clusters) continue;
            std::vector<std::uint64_t> sizes(clustering.n_codes, 0);
            for (std::size_t code = 0; code < pack.n_codes(); ++code) sizes[pack.digits(p)[code]] += pack.sizes()[code];
            terms_[clustering.index].emplace(sizes, context_.n_samples, context_.logs, check_cancelled);
        }
    }

    [[nodiscard]] std::vector<SizeNodes*> all_nodes() {
        std::vector<SizeNodes*> all;
        for (auto& terms : terms_) {
            if (!terms) continue;
            for (SizeNodes& nodes : terms->nodes_by_growth) all.push_back(&nodes);
        }
        return all;
    }

    [[nodiscard]] std::size_t place(std::size_t row, std::size_t column) const noexcept {
        return row * n_clusterings_ + column;
    }

    template <class Terms, class MirroredTerms>
    void write_scores(const std::vector<WantedScore>& wanted, Average average, std::size_t row, std::size_t column,
                      const Terms& terms, const MirroredTerms& mirrored_terms) const {
        for (const WantedScore& one : wanted) {
            const double score = compute(one.score, terms, average);
            one.matrix[place(row, column)] = score;
            if (row == column) continue;
            one.matrix[place(column, row)] = one.changes_places ? compute(one.score, mirrored_terms, average) : score;
        }
    }

    const PackedClusterings& clusterings_;
    std::size_t n_clusterings_;
    PairsContext context_;
    std::vector<std::optional<ClusteringTerms>> terms_;
    std::optional<NodeCache> node_cache_;
};

}  // namespace chanceless::many
