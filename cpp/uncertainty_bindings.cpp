// Bindings of variances, p-values and leave-one-out scores.

#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "chanceless/moments_guard.hpp"
#include "chanceless/null_statistic.hpp"
#include "chanceless/pearson_tail.hpp"
#include "chanceless/random_tables.hpp"
#include "chanceless/resampling.hpp"

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

bool moments_hold(const Spectrum& spectrum) {
    const cl::Spectrum& sizes = spectrum.spectrum();
    return cl::moments_hold(sizes.rows, sizes.columns, sizes.n_samples);
}

}  // namespace

void bind_uncertainty(nb::module_& module) {
    module.def("draw_statistics", &draw_statistics, nb::arg("spectrum"), nb::arg("statistic"), nb::arg("n_draws"),
               nb::arg("seed"), nb::arg("n_threads"), nb::arg("sampler") = "cheaper");
    module.def("permutation_resample", &permutation_resample);
    module.def("log_pearson_tail", &cl::log_pearson_tail);
    module.def("moments_hold", &moments_hold);
}

}  // namespace chanceless_python
