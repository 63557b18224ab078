// Bindings of variances, p-values and leave-one-out scores.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings.hpp"
#include "chanceless/cancellation.hpp"
#include "chanceless/hahn.hpp"
#include "chanceless/hypergeometric.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/terms.hpp"
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

}  // namespace

void bind_uncertainty(nb::module_& module) {
    module.def("information_variance", &information_variance);
    module.def("cubes_of_sizes", &cubes_of_sizes);
    module.def("hahn_coefficients", &hahn_coefficients);
}

}  // namespace chanceless_python
