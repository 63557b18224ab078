#pragma once

// The scores of all pairs of many clusterings, written into matrices.

#include "many/clusterings.hpp"
#include "many/pair_terms.hpp"

namespace chanceless::many {

using chance::SizeNodes;
using scores::Average, scores::Score, scores::Terms;

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
    PairScorer(const PackedClusterings& clusterings, const CancellationCheck& check_cancelled);

    [[nodiscard]] std::size_t n_clusterings() const noexcept { return n_clusterings_; }

    /// Scores all pairs of some units; `counted` is the matrix of the numbers of samples. Returns the number of pairs.
    std::size_t score(std::size_t first_unit, std::size_t last_unit, const std::vector<WantedScore>& wanted,
                      Average average, std::int64_t* counted, const CancellationCheck& check_cancelled);

  private:
    /// Clusterings without samples that are left out; the sizes of others differ from pair to pair.
    void add_terms_of(const Pack& pack, const CancellationCheck& check_cancelled);

    [[nodiscard]] std::vector<SizeNodes*> all_nodes();

    [[nodiscard]] std::size_t place(std::size_t row, std::size_t column) const noexcept {
        return row * n_clusterings_ + column;
    }

    void write_scores(const std::vector<WantedScore>& wanted, Average average, std::size_t row, std::size_t column,
                      const Terms& terms, const Terms& mirrored_terms) const;

    const PackedClusterings& clusterings_;
    std::size_t n_clusterings_;
    PairsContext context_;
    std::vector<std::optional<ClusteringTerms>> terms_;
    std::optional<NodeCache> node_cache_;
};

}  // namespace chanceless::many
