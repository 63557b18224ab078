// Spectra, tables, codes and many clusterings for Python: converts arguments, releases the GIL and calls the core.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "many/clusterings.hpp"
#include "python/convert.hpp"

namespace chanceless::python {

namespace {

/// View of an array of integers or booleans, of any type and stride.
counting::Labels as_labels(const Labels& labels) {
    const auto type = labels.dtype();
    const auto of_type = [&]<class T>(T) {
        const auto step = static_cast<std::ptrdiff_t>(labels.stride(0)) * static_cast<std::ptrdiff_t>(sizeof(T));
        return counting::labels_of<T>(labels.data(), step, labels.size());
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

std::pair<counting::Labels, counting::Labels> as_pair(const Labels& row_labels, const Labels& column_labels) {
    if (row_labels.size() != column_labels.size())
        throw std::invalid_argument("both labellings must have the same length");
    return {as_labels(row_labels), as_labels(column_labels)};
}

nb::tuple count_cells(const Labels& row_labels, const Labels& column_labels) {
    const auto [rows, columns] = as_pair(row_labels, column_labels);
    auto table =
        without_gil(rows.size, [&] { return counting::count_table(rows, columns, PythonCancellationCheck()); });
    return nb::make_tuple(to_array(std::move(table.row_labels)), to_array(std::move(table.column_labels)),
                          to_array(std::move(table.row_codes)), to_array(std::move(table.column_codes)),
                          to_array(std::move(table.counts)));
}

nb::tuple encode(const Labels& labels) {
    const counting::Labels view = as_labels(labels);
    auto codes = without_gil(view.size, [&] { return counting::encode(view, PythonCancellationCheck()); });
    return nb::make_tuple(to_array(std::move(codes.codes)), to_array(std::move(codes.labels)));
}

/// Replaces each code by its new code, of the same width; codes without one (the code of a missing label) become 0.
template <class Code>
nb::object renumber(const nb::ndarray<const Code, nb::ndim<1>, nb::c_contig, nb::device::cpu>& codes,
                    const Codes& new_codes) {
    std::vector<Code, LargePageAllocator<Code>> result(codes.size());
    const std::uint32_t* new_code = new_codes.data();
    const std::size_t n_new_codes = new_codes.size();
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Code code = codes.data()[i];
        result[i] = code < n_new_codes ? static_cast<Code>(new_code[code]) : Code{0};
    }
    return to_array(std::move(result));
}

Spectrum spectrum_from_labels(const Labels& row_labels, const Labels& column_labels, bool with_overlaps) {
    const auto [rows, columns] = as_pair(row_labels, column_labels);
    const WithoutGil released(rows.size);
    return Spectrum(counting::count_spectrum(rows, columns, PythonCancellationCheck(), with_overlaps));
}

Spectrum spectrum_from_one(const Labels& labels) {
    const counting::Labels view = as_labels(labels);
    const WithoutGil released(view.size);
    return Spectrum(counting::count_spectrum(view, PythonCancellationCheck()));
}

Spectrum spectrum_from_cells(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                             std::size_t n_rows, std::size_t n_columns) {
    const counting::ListedCells cells = listed_cells(row_codes, column_codes, counts, n_rows, n_columns);
    const WithoutGil released(counts.size());
    return Spectrum(counting::summarise(cells, {1, PythonCancellationCheck()}, true));
}

nb::tuple merge_cells(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                      std::size_t n_rows, std::size_t n_columns) {
    const counting::ListedCells cells = listed_cells(row_codes, column_codes, counts, n_rows, n_columns);
    auto merged = without_gil(counts.size(), [&] { return counting::merge_cells(cells, PythonCancellationCheck()); });
    return nb::make_tuple(to_array(std::move(merged.row_codes)), to_array(std::move(merged.column_codes)),
                          to_array(std::move(merged.counts)));
}

void add_clustering(many::Clusterings& clusterings, const Codes& codes, std::size_t n_clusters) {
    std::optional<many::Pack> clustering;
    {
        const WithoutGil released(codes.size());
        clustering.emplace(std::span(codes.data(), codes.size()), n_clusters);
    }
    clusterings.add(*std::move(clustering));
}

many::PackedClusterings pack_clusterings(many::Clusterings& clusterings) {
    many::Clusterings taken = std::move(clusterings);
    const nb::gil_scoped_release released;
    return std::move(taken).pack(PythonCancellationCheck());
}

/// All pairs of some units as (row, column, spectrum); `wanted` has a bit for each term to be cached.
nb::list spectra(const many::PackedClusterings& clusterings, std::size_t first_unit, std::size_t last_unit,
                 unsigned wanted) {
    auto pairs = without_gil(always, [&] {
        return clusterings.spectra(first_unit, last_unit, scores::TermSet(wanted), PythonCancellationCheck());
    });
    nb::list result;
    for (auto& [row, column, spectrum] : pairs) result.append(nb::make_tuple(row, column, std::move(spectrum)));
    return result;
}

uint128 from_python(nb::handle value) {
    const auto low = nb::cast<std::uint64_t>(value & nb::int_(~std::uint64_t{0}));
    const auto high = nb::cast<std::uint64_t>(value >> nb::int_(64));
    return (uint128{high} << 64) | low;
}

nb::list size_groups(const std::vector<counting::SizeGroup>& groups) {
    nb::list result;
    for (const auto& [size, clusters] : groups) result.append(nb::make_tuple(size, clusters));
    return result;
}

nb::list overlaps(const std::vector<counting::Overlap>& overlaps) {
    nb::list result;
    for (const auto& [squares, largest] : overlaps) result.append(nb::make_tuple(to_python(squares), largest));
    return result;
}

nb::list cell_groups(const std::vector<counting::CellGroup>& groups) {
    nb::list result;
    for (const auto& [count, cells, size_sum, size_product, same] : groups) {
        result.append(nb::make_tuple(count, cells, to_python(size_sum), to_python(size_product), same));
    }
    return result;
}

std::vector<counting::SizeGroup> size_groups(const nb::list& groups) {
    std::vector<counting::SizeGroup> result;
    for (const nb::handle group : groups) {
        result.push_back({nb::cast<std::uint64_t>(group[0]), nb::cast<std::uint64_t>(group[1])});
    }
    return result;
}

/// The other entries of size groups, where there are any.
std::vector<counting::Overlap> overlaps(const nb::list& groups) {
    std::vector<counting::Overlap> result;
    for (const nb::handle group : groups) {
        if (nb::len(group) == 2) continue;
        result.push_back({from_python(group[2]), nb::cast<std::uint64_t>(group[3])});
    }
    return result;
}

Spectrum spectrum_from_lists(const nb::list& rows, const nb::list& columns, const nb::list& cells) {
    counting::Spectrum spectrum;
    spectrum.rows = size_groups(rows);
    spectrum.columns = size_groups(columns);
    spectrum.row_overlaps = overlaps(rows);
    spectrum.column_overlaps = overlaps(columns);
    for (const nb::handle group : cells) {
        spectrum.cells.push_back({nb::cast<std::uint64_t>(group[0]), nb::cast<std::uint64_t>(group[1]),
                                  from_python(group[2]), from_python(group[3]), nb::cast<std::uint64_t>(group[4])});
    }
    for (const auto& [size, clusters] : spectrum.rows) spectrum.n_samples += size * clusters;
    return Spectrum(std::move(spectrum));
}

/// A function that returns one term of a spectrum.
auto term(scores::Term which) {
    return [which](const Spectrum& spectrum) { return spectrum.term(which); };
}

}  // namespace

void register_counting(nb::module_& module) {
    module.attr("MAX_SAMPLES") = nb::int_(numbers::max_samples);

    nb::class_<Spectrum>(module, "Spectrum", nb::is_final())
        .def_static("from_labels", &spectrum_from_labels,
                    nb::sig("def from_labels(row_labels: " LABELS ", column_labels: " LABELS
                            ", with_overlaps: bool = True, /) -> Spectrum"),
                    nb::arg(), nb::arg(), nb::arg() = true)
        .def_static("from_one", &spectrum_from_one, nb::sig("def from_one(labels: " LABELS ", /) -> Spectrum"))
        .def_static("from_cells", &spectrum_from_cells, nb::sig("def from_cells(" CELLS ", /) -> Spectrum"))
        .def_static("from_lists", &spectrum_from_lists,
                    nb::sig("def from_lists(rows: list[typing.Any], columns: list[typing.Any], cells: "
                            "list[typing.Any], /) -> Spectrum"))
        .def_prop_ro("n_samples", [](const Spectrum& s) { return s.spectrum().n_samples; })
        .def_prop_ro("n_rows", [](const Spectrum& s) { return counting::number_of_clusters(s.spectrum().rows); })
        .def_prop_ro("n_columns", [](const Spectrum& s) { return counting::number_of_clusters(s.spectrum().columns); })
        .def_prop_ro("n_cells", [](const Spectrum& s) { return counting::number_of_cells(s.spectrum().cells); })
        .def_prop_ro("is_identical", [](const Spectrum& s) { return counting::is_identical(s.spectrum()); })
        .def_prop_ro(
            "rows", [](const Spectrum& s) { return size_groups(s.spectrum().rows); },
            nb::sig("def rows(self) -> list[tuple[int, int]]"))
        .def_prop_ro(
            "columns", [](const Spectrum& s) { return size_groups(s.spectrum().columns); },
            nb::sig("def columns(self) -> list[tuple[int, int]]"))
        .def_prop_ro(
            "row_overlaps", [](const Spectrum& s) { return overlaps(s.spectrum().row_overlaps); },
            nb::sig("def row_overlaps(self) -> list[tuple[int, int]]"))
        .def_prop_ro(
            "column_overlaps", [](const Spectrum& s) { return overlaps(s.spectrum().column_overlaps); },
            nb::sig("def column_overlaps(self) -> list[tuple[int, int]]"))
        .def_prop_ro(
            "cells", [](const Spectrum& s) { return cell_groups(s.spectrum().cells); },
            nb::sig("def cells(self) -> list[tuple[int, int, int, int, int]]"))
        .def_prop_ro("cached_terms", [](const Spectrum& s) { return s.cached().to_ulong(); })
        .def("transposed", &Spectrum::transposed)
        .def("uncached_copy", [](const Spectrum& s) { return Spectrum(s.spectrum()); })
        .def(
            "__eq__", [](const Spectrum& s, const Spectrum& other) { return s.spectrum() == other.spectrum(); },
            nb::sig("def __eq__(self, other: object, /) -> bool"));

    nb::class_<many::Clusterings>(module, "Clusterings", nb::is_final())
        .def(nb::init<std::size_t>(), nb::sig("def __init__(self, n_samples: int, /) -> None"))
        .def("add", &add_clustering,
             nb::sig("def add(self, codes: numpy.typing.NDArray[numpy.uint32], n_clusters: int, /) -> None"),
             nb::lock_self())
        .def("pack", &pack_clusterings, nb::lock_self());

    nb::class_<many::PackedClusterings>(module, "PackedClusterings", nb::is_final())
        .def_prop_ro("n_units", &many::PackedClusterings::n_units)
        .def("spectra", &spectra,
             nb::sig("def spectra(self, first_unit: int, last_unit: int, wanted: int, /) -> list[tuple[int, int, "
                     "Spectrum]]"));

    module.def("count_cells", &count_cells,
               nb::sig("def count_cells(row_labels: " LABELS ", column_labels: " LABELS
                       ", /) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64], " INTEGERS
                       ", " INTEGERS ", " INTEGERS "]"));
    module.def("merge_cells", &merge_cells,
               nb::sig("def merge_cells(" CELLS ", /) -> tuple[" INTEGERS ", " INTEGERS ", " INTEGERS "]"));
    module.def("encode", &encode,
               nb::sig("def encode(labels: " LABELS
                       ", /) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint64]]"));
    module.def("renumber", &renumber<std::uint8_t>,
               nb::sig("def renumber(codes: numpy.typing.NDArray[numpy.uint8], new_codes: "
                       "numpy.typing.NDArray[numpy.uint32], /) -> numpy.typing.NDArray[numpy.uint8]"));
    module.def("renumber", &renumber<std::uint32_t>,
               nb::sig("def renumber(codes: numpy.typing.NDArray[numpy.uint32], new_codes: "
                       "numpy.typing.NDArray[numpy.uint32], /) -> numpy.typing.NDArray[numpy.uint32]"));
    module.def("row_entropy", term(scores::Term::row_entropy));
    module.def("column_entropy", term(scores::Term::column_entropy));
    module.def("joint_entropy", term(scores::Term::joint_entropy));
    module.def("mutual_information", term(scores::Term::mutual_information));
    module.def("variation_of_information", term(scores::Term::variation_of_information));
    module.def("pairwise_adjusted_mutual_information", term(scores::Term::pairwise_adjusted_mutual_information));
    module.def("pairwise_adjusted_row_entropy", term(scores::Term::pairwise_adjusted_row_entropy));
    module.def("pairwise_adjusted_column_entropy", term(scores::Term::pairwise_adjusted_column_entropy));
}

}  // namespace chanceless::python
