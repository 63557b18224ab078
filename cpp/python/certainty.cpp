// Bindings of variances, p-values and leave-one-out scores.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "certainty/enumeration.hpp"
#include "certainty/jackknife.hpp"
#include "certainty/null_statistic.hpp"
#include "certainty/random_tables.hpp"
#include "certainty/resampling.hpp"
#include "certainty/splitting.hpp"
#include "chance/cumulants.hpp"
#include "chance/hahn.hpp"
#include "chance/hypergeometric.hpp"
#include "chance/pearson_tail.hpp"
#include "chance/variance.hpp"
#include "python/convert.hpp"
#include "scores/measured_spectrum.hpp"
#include "terms/sample_pairs.hpp"

namespace chanceless::python {

namespace {

chance::InformationVariance compute_variance(const Spectrum& spectrum) {
    if (spectrum.cached()[scores::variance_bit]) return spectrum.variance(base::never_cancelled);
    // Each pair of sizes takes about as long as a thousand samples do to be counted.
    const WithoutGil released(1000 * spectrum.spectrum().rows.size() * spectrum.spectrum().columns.size());
    return spectrum.variance(PythonCancellationCheck());
}

/// Var(MI), the variance of the pairwise adjusted mutual information, their covariance, the error of the first.
nb::tuple information_variance(const Spectrum& spectrum) {
    const chance::InformationVariance variance = compute_variance(spectrum);
    return nb::make_tuple(variance.information, variance.pairwise, variance.covariance, variance.error);
}

/// The sum of the cubes of the row sizes, and that of the column sizes.
nb::tuple cubes_of_sizes(const Spectrum& spectrum) {
    const auto to_integer = [](const terms::SumOfCubes& sum) {
        return (to_python(sum.high) << nb::int_(53)) + to_python(sum.low);
    };
    return nb::make_tuple(to_integer(terms::sum_of_cubes(spectrum.spectrum().rows)),
                          to_integer(terms::sum_of_cubes(spectrum.spectrum().columns)));
}

/// The slope of a cell, and its coefficients of degree 1, 2, ...
nb::tuple hahn_coefficients(std::uint64_t row_size, std::uint64_t column_size, std::uint64_t n_samples) {
    const chance::HahnCoefficients cell =
        chance::hahn_coefficients(chance::Amount(row_size), chance::Amount(column_size), chance::Amount(n_samples));
    nb::list coefficients;
    for (std::size_t d = 1; d <= cell.degrees; ++d) coefficients.append(cell.at[d]);
    return nb::make_tuple(cell.slope.high + cell.slope.low, coefficients);
}

chance::Statistic statistic_named(std::string_view name) {
    if (name == "information") return chance::Statistic::information;
    if (name == "pairs") return chance::Statistic::pairs;
    if (name == "pairwise") return chance::Statistic::pairwise;
    throw std::invalid_argument("not a statistic");
}

certainty::Sampler sampler_named(std::string_view name) {
    if (name == "cheaper") return certainty::Sampler::cheaper;
    if (name == "cells") return certainty::Sampler::cells;
    if (name == "labels") return certainty::Sampler::labels;
    throw std::invalid_argument("not a sampler");
}

nb::object draw_statistics(const Spectrum& spectrum, std::string_view statistic, std::uint64_t n_draws,
                           std::uint64_t seed, unsigned n_threads, std::string_view sampler) {
    const certainty::DrawOptions options{n_draws, seed, n_threads, sampler_named(sampler)};
    const chance::Statistic which = statistic_named(statistic);
    std::vector<double> result;
    {
        const nb::gil_scoped_release released;
        result = certainty::draw_statistics(spectrum.spectrum(), which, options, PythonCancellationCheck());
    }
    return to_array(std::move(result));
}

nb::tuple permutation_resample(const Spectrum& spectrum, std::string_view statistic, std::uint64_t n_resamples,
                               std::uint64_t stop_hits, std::uint64_t seed, unsigned n_threads) {
    const chance::Statistic which = statistic_named(statistic);
    certainty::Hits result{};
    {
        const nb::gil_scoped_release released;
        result = certainty::resample(spectrum.spectrum(), which, stop_hits, {n_resamples, seed, n_threads},
                                     PythonCancellationCheck());
    }
    return nb::make_tuple(result.hits, result.draws);
}

nb::tuple permutation_exact(const Spectrum& spectrum, std::string_view statistic) {
    const chance::Statistic which = statistic_named(statistic);
    certainty::ExactProbability result{};
    {
        const nb::gil_scoped_release released;
        result = certainty::exact_probability(spectrum.spectrum(), which, PythonCancellationCheck());
    }
    return nb::make_tuple(result.log_p, result.log_mid_p, result.n_tables);
}

/// The third cumulant, and by how much it may be off.
nb::tuple third_cumulant(const Spectrum& spectrum, std::string_view statistic, std::size_t degrees) {
    const chance::Statistic which = statistic_named(statistic);
    const counting::Spectrum& sizes = spectrum.spectrum();
    chance::ThirdCumulant result;
    {
        // Each pair of sizes takes about as long as a thousand samples do to be counted.
        const WithoutGil released(1000 * sizes.rows.size() * sizes.columns.size());
        result = chance::third_cumulant(sizes.rows, sizes.columns, sizes.n_samples, which, PythonCancellationCheck(),
                                        degrees);
    }
    return nb::make_tuple(result.value, result.error);
}

bool moments_hold(const Spectrum& spectrum) {
    const counting::Spectrum& sizes = spectrum.spectrum();
    return chance::moments_hold(sizes.rows, sizes.columns, sizes.n_samples);
}

nb::tuple permutation_splitting(const Spectrum& spectrum, std::string_view statistic, std::uint64_t seed,
                                unsigned n_threads) {
    const chance::Statistic which = statistic_named(statistic);
    certainty::SplittingResult result{};
    {
        const nb::gil_scoped_release released;
        result = certainty::split(spectrum.spectrum(), which, seed, n_threads, PythonCancellationCheck());
    }
    return nb::make_tuple(result.log_p, result.standard_error, result.log_low, result.log_high, result.n_arrived,
                          result.n_levels);
}

nb::tuple clopper_pearson(std::uint64_t hits, std::uint64_t draws, double level) {
    const certainty::ShareInterval interval = certainty::clopper_pearson(hits, draws, level);
    return nb::make_tuple(interval.low, interval.high);
}

certainty::CountedCells counted_cells(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                                      std::size_t n_rows, std::size_t n_columns) {
    return certainty::CountedCells(listed_cells(row_codes, column_codes, counts, n_rows, n_columns));
}

/// x log x - (x - 1) log(x - 1) of each number.
nb::object log_steps(const Integers& values) {
    std::vector<double> steps;
    steps.reserve(values.size());
    {
        const WithoutGil released(values.size());
        const PythonCancellationCheck check_cancelled;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<std::uint64_t>(values.data()[i]);
            if (value > numbers::max_samples) throw std::invalid_argument("numbers of samples must be at most 2^53");
            steps.push_back(certainty::log_step(value));
            if (i % 4096 == 4095) check_cancelled();
        }
    }
    return to_array(std::move(steps));
}

nb::object expected_changes(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                            std::size_t n_rows, std::size_t n_columns) {
    std::vector<double> changes;
    {
        // Each cell takes about as long as some ten samples do to be counted.
        const WithoutGil released(10 * counts.size());
        changes = certainty::expected_changes(counted_cells(row_codes, column_codes, counts, n_rows, n_columns),
                                              PythonCancellationCheck());
    }
    return to_array(std::move(changes));
}

nb::tuple pairwise_changes(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                           std::size_t n_rows, std::size_t n_columns) {
    certainty::PairwiseChanges changes;
    {
        const WithoutGil released(10 * counts.size());
        changes = certainty::pairwise_changes(counted_cells(row_codes, column_codes, counts, n_rows, n_columns),
                                              PythonCancellationCheck());
    }
    return nb::make_tuple(to_array(std::move(changes.cells)), to_array(std::move(changes.rows)),
                          to_array(std::move(changes.columns)));
}

}  // namespace

void register_certainty(nb::module_& module) {
    module.def("information_variance", &information_variance);
    module.def("cubes_of_sizes", &cubes_of_sizes);
    module.def("hahn_coefficients", &hahn_coefficients);
    module.def("draw_statistics", &draw_statistics, nb::arg("spectrum"), nb::arg("statistic"), nb::arg("n_draws"),
               nb::arg("seed"), nb::arg("n_threads"), nb::arg("sampler") = "cheaper");
    module.def("table_bound", [](const Spectrum& spectrum) { return certainty::table_bound(spectrum.spectrum()); });
    module.def("permutation_exact", &permutation_exact);
    module.def("permutation_resample", &permutation_resample);
    module.def("third_cumulant", &third_cumulant, nb::arg("spectrum"), nb::arg("statistic"),
               nb::arg("degrees") = chance::InformationParts::most);
    module.def("log_pearson_tail", &chance::log_pearson_tail);
    module.def("moments_hold", &moments_hold);
    module.def("permutation_splitting", &permutation_splitting);
    module.def("clopper_pearson", &clopper_pearson);
    module.def("log_steps", &log_steps);
    module.def("expected_changes", &expected_changes);
    module.def("pairwise_changes", &pairwise_changes);
}

}  // namespace chanceless::python
