// Hooks for tests and benchmarks: parts of results that the package does not show.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "certainty/resampling.hpp"
#include "python/convert.hpp"

namespace chanceless::python {

namespace {

/// The slope of a cell, and its coefficients of degree 1, 2, ...
nb::tuple hahn_coefficients(std::uint64_t row_size, std::uint64_t column_size, std::uint64_t n_samples) {
    const chance::HahnCoefficients cell =
        chance::hahn_coefficients(chance::Amount(row_size), chance::Amount(column_size), chance::Amount(n_samples));
    nb::list coefficients;
    for (std::size_t d = 1; d <= cell.degrees; ++d) coefficients.append(cell.at[d]);
    return nb::make_tuple(cell.slope.high + cell.slope.low, coefficients);
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
    auto result = without_gil(always, [&] {
        return certainty::draw_statistics(spectrum.spectrum(), which, options, PythonCancellationCheck());
    });
    return to_array(std::move(result));
}

}  // namespace

void register_testing(nb::module_& module) {
    nb::module_ testing = module.def_submodule("testing", "Hooks for tests and benchmarks; the package uses none.");
    testing.def(
        "hahn_coefficients", &hahn_coefficients,
        nb::sig(
            "def hahn_coefficients(row_size: int, column_size: int, n_samples: int, /) -> tuple[float, list[float]]"));
    testing.def("draw_statistics", &draw_statistics,
                nb::sig("def draw_statistics(spectrum: Spectrum, statistic: str, n_draws: int, seed: int, n_threads: "
                        "int, sampler: str = \"cheaper\") -> " DOUBLES),
                nb::arg("spectrum"), nb::arg("statistic"), nb::arg("n_draws"), nb::arg("seed"), nb::arg("n_threads"),
                nb::arg("sampler") = "cheaper");
}

}  // namespace chanceless::python
