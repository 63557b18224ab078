#include "many/pair_scores.hpp"

#include <atomic>

namespace chanceless::many {

using scores::MirroredTerms, scores::SpectrumTerms;

namespace {

std::size_t count_clusterings(const PackedClusterings& clusterings) noexcept {
    std::size_t n = 0;
    for (const Pack& pack : clusterings.packs()) n += pack.clusterings().size();
    return n;
}

/// To compute a logarithm takes as long as to count a hundred samples: some for each pair pay.
std::size_t n_known_logs(std::size_t n_samples, std::size_t n_clusterings) noexcept {
    constexpr std::size_t most = std::size_t{1} << 17;
    return std::min({n_samples + 1, most, 8 * n_clusterings * n_clusterings});
}

}  // namespace

PairScorer::PairScorer(const PackedClusterings& clusterings, const CancellationCheck& check_cancelled)
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

std::size_t PairScorer::score(std::size_t first_unit, std::size_t last_unit, const std::vector<WantedScore>& wanted,
                              Average average, std::int64_t* counted, const CancellationCheck& check_cancelled) {
    std::atomic<std::size_t> n_pairs{0};
    const auto work = [&](std::size_t unit, const CancellationCheck& check) {
        const auto write = [&](const Clustering& row, const Clustering& column, std::uint64_t n_samples,
                               const Terms& terms) {
            ++n_pairs;
            const auto [first, second] = std::pair{row.index, column.index};
            counted[place(first, second)] = counted[place(second, first)] = static_cast<std::int64_t>(n_samples);
            const MirroredTerms mirrored_terms(terms);
            if (first <= second) {
                write_scores(wanted, average, first, second, terms, mirrored_terms);
            } else {
                write_scores(wanted, average, second, first, mirrored_terms, terms);
            }
        };
        const auto of_spectrum = [&](const Clustering& row, const Clustering& column, Spectrum spectrum) {
            const MeasuredSpectrum measured(std::move(spectrum));
            write(row, column, measured.spectrum().n_samples, SpectrumTerms(measured, check));
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

void PairScorer::add_terms_of(const Pack& pack, const CancellationCheck& check_cancelled) {
    for (std::size_t p = 0; p < pack.clusterings().size(); ++p) {
        const Clustering& clustering = pack.clusterings()[p];
        if (clustering.n_codes != clustering.n_clusters) continue;
        std::vector<std::uint64_t> sizes(clustering.n_codes, 0);
        for (std::size_t code = 0; code < pack.n_codes(); ++code) sizes[pack.digits(p)[code]] += pack.sizes()[code];
        terms_[clustering.index].emplace(sizes, context_.n_samples, context_.logs, check_cancelled);
    }
}

std::vector<SizeNodes*> PairScorer::all_nodes() {
    std::vector<SizeNodes*> all;
    for (auto& terms : terms_) {
        if (!terms) continue;
        for (SizeNodes& nodes : terms->nodes_by_growth) all.push_back(&nodes);
    }
    return all;
}

void PairScorer::write_scores(const std::vector<WantedScore>& wanted, Average average, std::size_t row,
                              std::size_t column, const Terms& terms, const Terms& mirrored_terms) const {
    for (const WantedScore& one : wanted) {
        const double score = compute(one.score, terms, average);
        one.matrix[place(row, column)] = score;
        if (row == column) continue;
        one.matrix[place(column, row)] = one.changes_places ? compute(one.score, mirrored_terms, average) : score;
    }
}

}  // namespace chanceless::many
