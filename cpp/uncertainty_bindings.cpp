// Bindings of variances, p-values and leave-one-out scores.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "chanceless/cancellation.hpp"
#include "chanceless/clopper_pearson.hpp"
#include "chanceless/exact_test.hpp"
#include "chanceless/hahn.hpp"
#include "chanceless/hypergeometric.hpp"
#include "chanceless/jackknife.hpp"
#include "chanceless/moments_guard.hpp"
#include "chanceless/null_statistic.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/pearson_tail.hpp"
#include "chanceless/random_tables.hpp"
#include "chanceless/resampling.hpp"
#include "chanceless/splitting.hpp"
#include "chanceless/table_enumeration.hpp"
#include "chanceless/terms.hpp"
#include "chanceless/third_cumulant.hpp"
#include "chanceless/variance.hpp"

namespace chanceless_python {

namespace {

cl::InformationVariance compute_variance(const Spectrum& spectrum) {
    if (spectrum.cached()[cl::variance_bit]) return spectrum.variance(cl::never_cancelled);
    // Each pair of sizes takes about as long as a thousand samples do to be counted.
    const WithoutGil released(1000 * spectrum.spectrum().rows.size() * spectrum.spectrum().columns.size());
    return spectrum.variance(PythonCancellationCheck());
}

/// Var(MI), the variance of the pairwise adjusted mutual information, their covariance, the error of the first.
nb::tuple information_variance(const Spectrum& spectrum) {
    const cl::InformationVariance variance = compute_variance(spectrum);
    return nb::make_tuple(variance.information, variance.pairwise, variance.covariance, variance.error);
}

/// The sum of the cubes of the row sizes, and that of the column sizes.
nb::tuple cubes_of_sizes(const Spectrum& spectrum) {
    const auto to_integer = [](const cl::SumOfCubes& sum) {
        return (to_python(sum.high) << nb::int_(53)) + to_python(sum.low);
    };
    return nb::make_tuple(to_integer(cl::sum_of_cubes(spectrum.spectrum().rows)),
                          to_integer(cl::sum_of_cubes(spectrum.spectrum().columns)));
}

/// The slope of a cell, and its coefficients of degree 1, 2, ...
nb::tuple hahn_coefficients(std::uint64_t row_size, std::uint64_t column_size, std::uint64_t n_samples) {
    const cl::HahnCoefficients cell =
        cl::hahn_coefficients(cl::Amount(row_size), cl::Amount(column_size), cl::Amount(n_samples));
    nb::list coefficients;
    for (std::size_t d = 1; d <= cell.degrees; ++d) coefficients.append(cell.at[d]);
    return nb::make_tuple(cell.slope.high + cell.slope.low, coefficients);
}

cl::Statistic statistic_named(std::string_view name) {
    if (name == "information") return cl::Statistic::information;
    if (name == "pairs") return cl::Statistic::pairs;
    if (name == "pairwise") return cl::Statistic::pairwise;
    throw std::invalid_argument("not a statistic");
}

cl::Sampler sampler_named(std::string_view name) {
    if (name == "cheaper") return cl::Sampler::cheaper;
    if (name == "cells") return cl::Sampler::cells;
    if (name == "labels") return cl::Sampler::labels;
    throw std::invalid_argument("not a sampler");
}

nb::object draw_statistics(const Spectrum& spectrum, std::string_view statistic, std::uint64_t n_draws,
                           std::uint64_t seed, unsigned n_threads, std::string_view sampler) {
    const cl::DrawOptions options{n_draws, seed, n_threads, sampler_named(sampler)};
    const cl::Statistic which = statistic_named(statistic);
    std::vector<double> result;
    {
        const nb::gil_scoped_release released;
        result = cl::draw_statistics(spectrum.spectrum(), which, options, PythonCancellationCheck());
    }
    return to_array(std::move(result));
}

nb::tuple permutation_resample(const Spectrum& spectrum, std::string_view statistic, std::uint64_t n_resamples,
                               std::uint64_t stop_hits, std::uint64_t seed, unsigned n_threads) {
    const cl::Statistic which = statistic_named(statistic);
    cl::Hits result{};
    {
        const nb::gil_scoped_release released;
        result = cl::resample(spectrum.spectrum(), which, stop_hits, {n_resamples, seed, n_threads},
                              PythonCancellationCheck());
    }
    return nb::make_tuple(result.hits, result.draws);
}

nb::tuple permutation_exact(const Spectrum& spectrum, std::string_view statistic) {
    const cl::Statistic which = statistic_named(statistic);
    cl::ExactProbability result{};
    {
        const nb::gil_scoped_release released;
        result = cl::exact_probability(spectrum.spectrum(), which, PythonCancellationCheck());
    }
    return nb::make_tuple(result.log_p, result.log_mid_p, result.n_tables);
}

/// The third cumulant, and by how much it may be off.
nb::tuple third_cumulant(const Spectrum& spectrum, std::string_view statistic, std::size_t degrees) {
    const cl::Statistic which = statistic_named(statistic);
    const cl::Spectrum& sizes = spectrum.spectrum();
    cl::ThirdCumulant result;
    {
        // Each pair of sizes takes about as long as a thousand samples do to be counted.
        const WithoutGil released(1000 * sizes.rows.size() * sizes.columns.size());
        result =
            cl::third_cumulant(sizes.rows, sizes.columns, sizes.n_samples, which, PythonCancellationCheck(), degrees);
    }
    return nb::make_tuple(result.value, result.error);
}

bool moments_hold(const Spectrum& spectrum) {
    const cl::Spectrum& sizes = spectrum.spectrum();
    return cl::moments_hold(sizes.rows, sizes.columns, sizes.n_samples);
}

nb::tuple permutation_splitting(const Spectrum& spectrum, std::string_view statistic, std::uint64_t seed,
                                unsigned n_threads) {
    const cl::Statistic which = statistic_named(statistic);
    cl::SplittingResult result{};
    {
        const nb::gil_scoped_release released;
        result = cl::split(spectrum.spectrum(), which, seed, n_threads, PythonCancellationCheck());
    }
    return nb::make_tuple(result.log_p, result.standard_error, result.log_low, result.log_high, result.n_arrived,
                          result.n_levels);
}

nb::tuple clopper_pearson(std::uint64_t hits, std::uint64_t draws, double level) {
    const cl::ShareInterval interval = cl::clopper_pearson(hits, draws, level);
    return nb::make_tuple(interval.low, interval.high);
}

cl::CountedCells counted_cells(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                               std::size_t n_rows, std::size_t n_columns) {
    return cl::CountedCells(listed_cells(row_codes, column_codes, counts, n_rows, n_columns));
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
            if (value > cl::max_samples) throw std::invalid_argument("numbers of samples must be at most 2^53");
            steps.push_back(cl::log_step(value));
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
        changes = cl::expected_changes(counted_cells(row_codes, column_codes, counts, n_rows, n_columns),
                                       PythonCancellationCheck());
    }
    return to_array(std::move(changes));
}

nb::tuple pairwise_changes(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                           std::size_t n_rows, std::size_t n_columns) {
    cl::PairwiseChanges changes;
    {
        const WithoutGil released(10 * counts.size());
        changes = cl::pairwise_changes(counted_cells(row_codes, column_codes, counts, n_rows, n_columns),
                                       PythonCancellationCheck());
    }
    return nb::make_tuple(to_array(std::move(changes.cells)), to_array(std::move(changes.rows)),
                          to_array(std::move(changes.columns)));
}

}  // namespace

void bind_uncertainty(nb::module_& module) {
    module.def("information_variance", &information_variance);
    module.def("cubes_of_sizes", &cubes_of_sizes);
    module.def("hahn_coefficients", &hahn_coefficients);
    module.def("draw_statistics", &draw_statistics, nb::arg("spectrum"), nb::arg("statistic"), nb::arg("n_draws"),
               nb::arg("seed"), nb::arg("n_threads"), nb::arg("sampler") = "cheaper");
    module.def("table_bound", [](const Spectrum& spectrum) { return cl::table_bound(spectrum.spectrum()); });
    module.def("permutation_exact", &permutation_exact);
    module.def("permutation_resample", &permutation_resample);
    module.def("third_cumulant", &third_cumulant, nb::arg("spectrum"), nb::arg("statistic"),
               nb::arg("degrees") = cl::InformationParts::most);
    module.def("log_pearson_tail", &cl::log_pearson_tail);
    module.def("moments_hold", &moments_hold);
    module.def("permutation_splitting", &permutation_splitting);
    module.def("clopper_pearson", &clopper_pearson);
    module.def("log_steps", &log_steps);
    module.def("expected_changes", &expected_changes);
    module.def("pairwise_changes", &pairwise_changes);
}

}  // namespace chanceless_python
