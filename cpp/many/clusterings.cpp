#include "many/clusterings.hpp"

#include <iterator>

namespace chanceless::many {

using counting::count_kept, counting::count_spectrum;

std::vector<PackedClusterings::Pair> PackedClusterings::spectra(std::size_t first_unit, std::size_t last_unit,
                                                                const TermSet& wanted,
                                                                const CancellationCheck& check_cancelled) const {
    check_units(first_unit, last_unit);
    std::vector<std::vector<Pair>> found(last_unit - first_unit);
    for_each_unit(first_unit, last_unit, check_cancelled, [&](std::size_t unit, const CancellationCheck& check) {
        const auto add = [&](const Clustering& row, const Clustering& column, Spectrum spectrum) {
            found[unit - first_unit].push_back(as_pair(row, column, std::move(spectrum)));
            found[unit - first_unit].back().spectrum.cache(wanted, check);
        };
        const auto add_table = [&](const Clustering& row, const Clustering& column, const auto& table) {
            add(row, column, summarise(table, {1, check}, true));
        };
        visit_unit(unit, check, add_table, add, true);
    });
    std::vector<Pair> all;
    for (std::vector<Pair>& pairs : found) std::move(pairs.begin(), pairs.end(), std::back_inserter(all));
    return all;
}

PackedClusterings::PackedClusterings(std::size_t n_samples, std::vector<Pack> unpacked,
                                     const CancellationCheck& check_cancelled)
    : n_samples_(n_samples) {
    for (Pack& pack : unpacked) {
        check_cancelled();
        if (!packs_.empty() && packs_.back().n_codes() * pack.n_codes() <= most_shared()) {
            packs_.back().join(pack);
        } else {
            packs_.push_back(std::move(pack));
        }
    }
    for (Pack& pack : packs_) {
        check_cancelled();
        pack.finish();
    }
}

std::pair<std::size_t, std::size_t> PackedClusterings::packs_of(std::size_t unit) noexcept {
    auto h = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(unit) + 1.0) - 1.0) / 2.0);
    while (h * (h + 1) / 2 > unit) --h;
    while ((h + 1) * (h + 2) / 2 <= unit) ++h;
    return {unit - h * (h + 1) / 2, h};
}

Spectrum PackedClusterings::count_labels(const Labels& row_labels, const Clustering& row, const Labels& column_labels,
                                         const Clustering& column, const CancellationCheck& check_cancelled,
                                         bool with_overlaps) {
    if (row.n_codes == row.n_clusters && column.n_codes == column.n_clusters)
        return count_spectrum(row_labels, column_labels, check_cancelled, with_overlaps);
    return count_kept(row_labels, row.n_clusters, column_labels, column.n_clusters, check_cancelled, with_overlaps);
}

Spectrum PackedClusterings::with_itself(const Pack& pack) const {
    Sizes sizes(pack.n_codes(), 0);
    for (std::size_t i = 0; i < n_samples_; ++i) ++sizes[pack.wide()[i]];
    sizes.resize(pack.clusterings()[0].n_clusters);
    return summarise(sizes);
}

PackedClusterings Clusterings::pack(const CancellationCheck& check_cancelled) && {
    std::vector<Pack> unpacked = std::exchange(unpacked_, {});
    std::stable_sort(unpacked.begin(), unpacked.end(),
                     [](const Pack& left, const Pack& right) { return left.n_codes() < right.n_codes(); });
    return {n_samples_, std::move(unpacked), check_cancelled};
}

}  // namespace chanceless::many
