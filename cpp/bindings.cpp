// The Python module: converts arguments, releases the GIL and calls the core.
//
// The module does not need the GIL, and free-threaded Python does not enable it:
// - a `Spectrum` never changes, and its cache of terms is made of atomic numbers;
// - `Clusterings::add` and `pack` change the list of clusterings: they lock the object, and do the long work without
// the
//   lock, on data that no other thread can reach;
// - `encode_strings` owns a reference to each item of its list while it reads it (text_bindings.cpp);
// - all else works on arguments by value, on immutable objects (`PackedClusterings`, strings) or on arrays.
// Arrays may be changed by other threads meanwhile: results are then wrong, but memory out of bounds is neither read
// nor written, since what is used as a place is checked after it was read.

#include "bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/clusterings.hpp"
#include "chanceless/count.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/fixed_point.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/listed_cells.hpp"
#include "chanceless/memory.hpp"
#include "chanceless/packs.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/terms.hpp"

namespace {

using namespace chanceless_python;

/// View of an array of integers or booleans, of any type and stride.
cl::Labels as_labels(const Labels& labels) {
    const auto type = labels.dtype();
    const auto of_type = [&]<class T>(T) {
        const auto step = static_cast<std::ptrdiff_t>(labels.stride(0)) * static_cast<std::ptrdiff_t>(sizeof(T));
        return cl::labels_of<T>(labels.data(), step, labels.size());
    };
    if (type == nb::dtype<std::int64_t>()) return of_type(std::int64_t{});
    if (type == nb::dtype<std::int32_t>()) return of_type(std::int32_t{});
    if (type == nb::dtype<std::int16_t>()) return of_type(std::int16_t{});
    if (type == nb::dtype<std::int8_t>()) return of_type(std::int8_t{});
    if (type == nb::dtype<std::uint64_t>()) return of_type(std::uint64_t{});
    if (type == nb::dtype<std::uint32_t>()) return of_type(std::uint32_t{});
    if (type == nb::dtype<std::uint16_t>()) return of_type(std::uint16_t{});
    if (type == nb::dtype<std::uint8_t>() || type == nb::dtype<bool>()) return of_type(std::uint8_t{});
    throw nb::type_error("labels must be integers or booleans");
}

std::pair<cl::Labels, cl::Labels> as_pair(const Labels& row_labels, const Labels& column_labels) {
    if (row_labels.size() != column_labels.size())
        throw std::invalid_argument("both labellings must have the same length");
    return {as_labels(row_labels), as_labels(column_labels)};
}

nb::tuple count_cells(const Labels& row_labels, const Labels& column_labels) {
    const auto [rows, columns] = as_pair(row_labels, column_labels);
    cl::Table table;
    {
        const WithoutGil released(rows.size);
        table = cl::count_table(rows, columns, PythonCancellationCheck());
    }
    return nb::make_tuple(to_array(std::move(table.row_labels)), to_array(std::move(table.column_labels)),
                          to_array(std::move(table.row_codes)), to_array(std::move(table.column_codes)),
                          to_array(std::move(table.counts)));
}

nb::tuple encode(const Labels& labels) {
    const cl::Labels view = as_labels(labels);
    cl::LabelCodes codes;
    {
        const WithoutGil released(view.size);
        codes = cl::encode(view, PythonCancellationCheck());
    }
    return nb::make_tuple(to_array(std::move(codes.codes)), to_array(std::move(codes.labels)));
}

/// Replaces each code by its new code, of the same width; codes without one (the code of a missing label) become 0.
template <class Code>
nb::object renumber(const nb::ndarray<const Code, nb::ndim<1>, nb::c_contig, nb::device::cpu>& codes,
                    const Codes& new_codes) {
    std::vector<Code, cl::LargePageAllocator<Code>> result(codes.size());
    const std::uint32_t* new_code = new_codes.data();
    const std::size_t n_new_codes = new_codes.size();
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Code code = codes.data()[i];
        result[i] = code < n_new_codes ? static_cast<Code>(new_code[code]) : Code{0};
    }
    return to_array(std::move(result));
}

Spectrum spectrum_from_labels(const Labels& row_labels, const Labels& column_labels) {
    const auto [rows, columns] = as_pair(row_labels, column_labels);
    const WithoutGil released(rows.size);
    return Spectrum(cl::count_spectrum(rows, columns, PythonCancellationCheck()));
}

Spectrum spectrum_from_one(const Labels& labels) {
    const cl::Labels view = as_labels(labels);
    const WithoutGil released(view.size);
    return Spectrum(cl::count_spectrum(view, PythonCancellationCheck()));
}

Spectrum spectrum_from_cells(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                             std::size_t n_rows, std::size_t n_columns) {
    const cl::ListedCells cells = listed_cells(row_codes, column_codes, counts, n_rows, n_columns);
    const WithoutGil released(counts.size());
    return Spectrum(cl::summarise(cells, {1, PythonCancellationCheck()}));
}

nb::tuple merge_cells(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                      std::size_t n_rows, std::size_t n_columns) {
    const cl::ListedCells cells = listed_cells(row_codes, column_codes, counts, n_rows, n_columns);
    cl::MergedCells merged;
    {
        const WithoutGil released(counts.size());
        merged = cl::merge_cells(cells, PythonCancellationCheck());
    }
    return nb::make_tuple(to_array(std::move(merged.row_codes)), to_array(std::move(merged.column_codes)),
                          to_array(std::move(merged.counts)));
}

void add_clustering(cl::Clusterings& clusterings, const Codes& codes, std::size_t n_clusters) {
    std::optional<cl::Pack> clustering;
    {
        const WithoutGil released(codes.size());
        clustering.emplace(std::span(codes.data(), codes.size()), n_clusters);
    }
    clusterings.add(*std::move(clustering));
}

cl::PackedClusterings pack_clusterings(cl::Clusterings& clusterings) {
    cl::Clusterings taken = std::move(clusterings);
    const nb::gil_scoped_release released;
    return std::move(taken).pack(PythonCancellationCheck());
}

/// All pairs of some units as (row, column, spectrum); `wanted` has a bit for each term to be cached.
nb::list spectra(const cl::PackedClusterings& clusterings, std::size_t first_unit, std::size_t last_unit,
                 unsigned wanted) {
    std::vector<cl::PackedClusterings::Pair> pairs;
    {
        const nb::gil_scoped_release released;
        pairs = clusterings.spectra(first_unit, last_unit, cl::TermSet(wanted), PythonCancellationCheck());
    }
    nb::list result;
    for (auto& [row, column, spectrum] : pairs) result.append(nb::make_tuple(row, column, std::move(spectrum)));
    return result;
}

cl::uint128 from_python(nb::handle value) {
    const auto low = nb::cast<std::uint64_t>(value & nb::int_(~std::uint64_t{0}));
    const auto high = nb::cast<std::uint64_t>(value >> nb::int_(64));
    return (cl::uint128{high} << 64) | low;
}

nb::list size_groups(const std::vector<cl::SizeGroup>& groups) {
    nb::list result;
    for (const auto& [size, clusters] : groups) result.append(nb::make_tuple(size, clusters));
    return result;
}

nb::list cell_groups(const std::vector<cl::CellGroup>& groups) {
    nb::list result;
    for (const auto& [count, cells, size_sum, size_product] : groups) {
        result.append(nb::make_tuple(count, cells, to_python(size_sum), to_python(size_product)));
    }
    return result;
}

std::vector<cl::SizeGroup> size_groups(const nb::list& groups) {
    std::vector<cl::SizeGroup> result;
    for (const nb::handle group : groups) {
        result.push_back({nb::cast<std::uint64_t>(group[0]), nb::cast<std::uint64_t>(group[1])});
    }
    return result;
}

Spectrum spectrum_from_lists(const nb::list& rows, const nb::list& columns, const nb::list& cells) {
    cl::Spectrum spectrum;
    spectrum.rows = size_groups(rows);
    spectrum.columns = size_groups(columns);
    for (const nb::handle group : cells) {
        spectrum.cells.push_back({nb::cast<std::uint64_t>(group[0]), nb::cast<std::uint64_t>(group[1]),
                                  from_python(group[2]), from_python(group[3])});
    }
    for (const auto& [size, clusters] : spectrum.rows) spectrum.n_samples += size * clusters;
    return Spectrum(std::move(spectrum));
}

/// A function that returns one term of a spectrum.
auto term(cl::Term which) {
    return [which](const Spectrum& spectrum) { return spectrum.term(which); };
}

}  // namespace

NB_MODULE(_core, module) {
    // References to functions of this module at interpreter shutdown (in a test runner, a notebook) are not leaks.
    nb::set_leak_warnings(false);

    module.attr("MAX_SAMPLES") = nb::int_(cl::max_samples);

    nb::class_<Spectrum>(module, "Spectrum")
        .def_static("from_labels", &spectrum_from_labels)
        .def_static("from_one", &spectrum_from_one)
        .def_static("from_cells", &spectrum_from_cells)
        .def_static("from_lists", &spectrum_from_lists)
        .def_prop_ro("n_samples", [](const Spectrum& s) { return s.spectrum().n_samples; })
        .def_prop_ro("n_rows", [](const Spectrum& s) { return cl::number_of_clusters(s.spectrum().rows); })
        .def_prop_ro("n_columns", [](const Spectrum& s) { return cl::number_of_clusters(s.spectrum().columns); })
        .def_prop_ro("n_cells", [](const Spectrum& s) { return cl::number_of_cells(s.spectrum().cells); })
        .def_prop_ro("is_identical", [](const Spectrum& s) { return cl::is_identical(s.spectrum()); })
        .def_prop_ro("rows", [](const Spectrum& s) { return size_groups(s.spectrum().rows); })
        .def_prop_ro("columns", [](const Spectrum& s) { return size_groups(s.spectrum().columns); })
        .def_prop_ro("cells", [](const Spectrum& s) { return cell_groups(s.spectrum().cells); })
        .def_prop_ro("known", [](const Spectrum& s) { return s.cached().to_ulong(); })
        .def("transposed", &Spectrum::transposed)
        .def("forgetful_copy", [](const Spectrum& s) { return Spectrum(s.spectrum()); })
        .def("__eq__", [](const Spectrum& s, const Spectrum& other) { return s.spectrum() == other.spectrum(); });

    nb::class_<cl::Clusterings>(module, "Clusterings")
        .def(nb::init<std::size_t>())
        .def("add", &add_clustering, nb::lock_self())
        .def("pack", &pack_clusterings, nb::lock_self());

    nb::class_<cl::PackedClusterings>(module, "PackedClusterings")
        .def_prop_ro("n_units", &cl::PackedClusterings::n_units)
        .def("spectra", &spectra);

    module.def("count_cells", &count_cells);
    module.def("merge_cells", &merge_cells);
    module.def("encode", &encode);
    module.def("renumber", &renumber<std::uint8_t>);
    module.def("renumber", &renumber<std::uint32_t>);
    module.def("row_entropy", term(cl::Term::row_entropy));
    module.def("column_entropy", term(cl::Term::column_entropy));
    module.def("joint_entropy", term(cl::Term::joint_entropy));
    module.def("mutual_information", term(cl::Term::mutual_information));
    module.def("variation_of_information", term(cl::Term::variation_of_information));
    module.def("pairwise_adjusted_mutual_information", term(cl::Term::pairwise_adjusted_mutual_information));
    module.def("pairwise_adjusted_row_entropy", term(cl::Term::pairwise_adjusted_row_entropy));
    module.def("pairwise_adjusted_column_entropy", term(cl::Term::pairwise_adjusted_column_entropy));

    chanceless_python::bind_scores(module);
    chanceless_python::bind_text(module);
    chanceless_python::bind_uncertainty(module);
}
