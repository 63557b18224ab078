// Bindings of variances, p-values and leave-one-out scores.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "certainty/enumeration.hpp"
#include "certainty/jackknife.hpp"
#include "certainty/resampling.hpp"
#include "certainty/splitting.hpp"
#include "chance/pearson_tail.hpp"
#include "python/convert.hpp"

namespace chanceless::python {

namespace {

chance::InformationVariance compute_variance(const Spectrum& spectrum) {
    if (spectrum.cached()[scores::variance_bit]) return spectrum.variance(never_cancelled);
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

nb::tuple permutation_resample(const Spectrum& spectrum, std::string_view statistic, std::uint64_t n_resamples,
                               std::uint64_t stop_hits, std::uint64_t seed, unsigned n_threads,
                               std::uint64_t first_block) {
    const chance::Statistic which = statistic_named(statistic);
    auto result = without_gil(always, [&] {
        return certainty::resample(spectrum.spectrum(), which, stop_hits,
                                   {n_resamples, seed, n_threads, certainty::Sampler::cheaper, first_block},
                                   PythonCancellationCheck());
    });
    return nb::make_tuple(result.hits, result.draws);
}

/// Seconds of one core for a random table, roughly.
double seconds_a_table(const Spectrum& spectrum) {
    const counting::Spectrum& sizes = spectrum.spectrum();
    const certainty::TableCost cost(sizes.n_samples, counting::number_of_clusters(sizes.rows),
                                    counting::number_of_clusters(sizes.columns));
    return 1e-9 * std::min(cost.by_cells, cost.by_labels);
}

nb::tuple permutation_exact(const Spectrum& spectrum, std::string_view statistic) {
    const chance::Statistic which = statistic_named(statistic);
    auto result = without_gil(
        always, [&] { return certainty::exact_probability(spectrum.spectrum(), which, PythonCancellationCheck()); });
    return nb::make_tuple(result.log_p, result.log_mid_p, result.n_tables);
}

/// The third cumulant, and by how much it may be off.
nb::tuple third_cumulant(const Spectrum& spectrum, std::string_view statistic, std::size_t degrees) {
    const chance::Statistic which = statistic_named(statistic);
    const counting::Spectrum& sizes = spectrum.spectrum();
    // Each pair of sizes takes about as long as a thousand samples do to be counted.
    auto result = without_gil(1000 * sizes.rows.size() * sizes.columns.size(), [&] {
        return chance::third_cumulant(sizes.rows, sizes.columns, sizes.n_samples, which, PythonCancellationCheck(),
                                      degrees);
    });
    return nb::make_tuple(result.value, result.error);
}

bool moments_hold(const Spectrum& spectrum) {
    const counting::Spectrum& sizes = spectrum.spectrum();
    return chance::moments_hold(sizes.rows, sizes.columns, sizes.n_samples);
}

nb::tuple permutation_splitting(const Spectrum& spectrum, std::string_view statistic, std::uint64_t seed,
                                unsigned n_threads, const nb::object& progress) {
    const chance::Statistic which = statistic_named(statistic);
    const auto report = [&](unsigned n_finished) {
        if (progress.is_none()) return;
        const nb::gil_scoped_acquire gil;
        progress(n_finished, certainty::Splitting::n_runs + 1);
    };
    auto result = without_gil(always, [&] {
        return certainty::split(spectrum.spectrum(), which, seed, n_threads, PythonCancellationCheck(), report);
    });
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
    // Each cell takes about as long as some ten samples do to be counted.
    auto changes = without_gil(10 * counts.size(), [&] {
        return certainty::expected_changes(counted_cells(row_codes, column_codes, counts, n_rows, n_columns),
                                           PythonCancellationCheck());
    });
    return to_array(std::move(changes));
}

nb::tuple pairwise_changes(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                           std::size_t n_rows, std::size_t n_columns) {
    auto changes = without_gil(10 * counts.size(), [&] {
        return certainty::pairwise_changes(counted_cells(row_codes, column_codes, counts, n_rows, n_columns),
                                           PythonCancellationCheck());
    });
    return nb::make_tuple(to_array(std::move(changes.cells)), to_array(std::move(changes.rows)),
                          to_array(std::move(changes.columns)));
}

}  // namespace

void register_certainty(nb::module_& module) {
    module.def("information_variance", &information_variance,
               nb::sig("def information_variance(spectrum: Spectrum, /) -> tuple[float, float, float, float]"));
    module.def("cubes_of_sizes", &cubes_of_sizes,
               nb::sig("def cubes_of_sizes(spectrum: Spectrum, /) -> tuple[int, int]"));
    module.def("table_bound", [](const Spectrum& spectrum) { return certainty::table_bound(spectrum.spectrum()); });
    module.def("permutation_exact", &permutation_exact,
               nb::sig("def permutation_exact(spectrum: Spectrum, statistic: str, /) -> tuple[float, float, float]"));
    module.def("permutation_resample", &permutation_resample,
               nb::sig("def permutation_resample(spectrum: Spectrum, statistic: str, n_resamples: int, stop_hits: int, "
                       "seed: int, n_threads: int, first_block: int = 0, /) -> tuple[int, int]"),
               nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg() = 0);
    module.def("seconds_a_table", &seconds_a_table);
    module.def(
        "third_cumulant", &third_cumulant,
        nb::sig("def third_cumulant(spectrum: Spectrum, statistic: str, degrees: int = 6) -> tuple[float, float]"),
        nb::arg("spectrum"), nb::arg("statistic"), nb::arg("degrees") = chance::InformationParts::most);
    module.def("log_pearson_tail", &chance::log_pearson_tail,
               nb::sig("def log_pearson_tail(z: float, skewness: float, /) -> float"));
    module.def("moments_hold", &moments_hold);
    module.def("permutation_splitting", &permutation_splitting,
               nb::sig("def permutation_splitting(spectrum: Spectrum, statistic: str, seed: int, n_threads: int, "
                       "progress: typing.Any = None, /) -> tuple[float, float, float, float, int, int]"),
               nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg() = nb::none());
    module.def("clopper_pearson", &clopper_pearson,
               nb::sig("def clopper_pearson(hits: int, draws: int, level: float, /) -> tuple[float, float]"));
    module.def("log_steps", &log_steps, nb::sig("def log_steps(values: " INTEGERS ", /) -> " DOUBLES));
    module.def("expected_changes", &expected_changes, nb::sig("def expected_changes(" CELLS ", /) -> " DOUBLES));
    module.def("pairwise_changes", &pairwise_changes,
               nb::sig("def pairwise_changes(" CELLS ", /) -> tuple[" DOUBLES ", " DOUBLES ", " DOUBLES "]"));
}

}  // namespace chanceless::python
