// Bindings of variances, p-values and leave-one-out scores.

#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "chanceless/clopper_pearson.hpp"
#include "chanceless/exact_test.hpp"
#include "chanceless/null_statistic.hpp"
#include "chanceless/random_tables.hpp"
#include "chanceless/resampling.hpp"
#include "chanceless/splitting.hpp"
#include "chanceless/table_enumeration.hpp"

namespace chanceless_python {

namespace {

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

}  // namespace

void bind_uncertainty(nb::module_& module) {
    module.def("draw_statistics", &draw_statistics, nb::arg("spectrum"), nb::arg("statistic"), nb::arg("n_draws"),
               nb::arg("seed"), nb::arg("n_threads"), nb::arg("sampler") = "cheaper");
    module.def("table_bound", [](const Spectrum& spectrum) { return cl::table_bound(spectrum.spectrum()); });
    module.def("permutation_exact", &permutation_exact);
    module.def("permutation_resample", &permutation_resample);
    module.def("permutation_splitting", &permutation_splitting);
    module.def("clopper_pearson", &clopper_pearson);
}

}  // namespace chanceless_python
