// Bindings of variances, p-values and leave-one-out scores.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "chanceless/jackknife.hpp"

namespace chanceless_python {

namespace {

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
    module.def("log_steps", &log_steps);
    module.def("expected_changes", &expected_changes);
    module.def("pairwise_changes", &pairwise_changes);
}

}  // namespace chanceless_python
