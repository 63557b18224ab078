// The only file that sees Python: it converts, drops the GIL and calls.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "chanceless/clusterings.hpp"
#include "chanceless/count.hpp"
#include "chanceless/encode.hpp"
#include "chanceless/pairs.hpp"
#include "chanceless/spectrum.hpp"
#include "chanceless/terms.hpp"
#include "chanceless/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;
namespace cl = chanceless;

namespace {

using Spectrum = cl::MeasuredSpectrum;
using Labels = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Drops the GIL for the length of a scope, where the work is long enough for another thread to profit.
class WithoutGil {
  public:
    explicit WithoutGil(std::size_t n_items) {
        constexpr std::size_t worthwhile = 4096;
        if (n_items >= worthwhile) release_.emplace();
    }

  private:
    std::optional<nb::gil_scoped_release> release_;
};

/// Lets Ctrl-C through while the core is at work; asks for the GIL, which others may want, a few times a second only.
class SignalCheck {
  public:
    void operator()() const {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

  private:
    mutable std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Labels as the core reads them, whatever their type and however far apart.
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
    throw nb::type_error("labels of this dtype are not integers");
}

std::pair<cl::Labels, cl::Labels> as_pair(const Labels& row_labels, const Labels& column_labels) {
    if (row_labels.size() != column_labels.size()) throw std::invalid_argument("labellings of different lengths");
    return {as_labels(row_labels), as_labels(column_labels)};
}

/// An array that owns the vector's memory.
template <class T, class Memory>
nb::object to_array(std::vector<T, Memory> values) {
    using Vector = std::vector<T, Memory>;
    auto* kept = new Vector(std::move(values));
    nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Vector*>(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

nb::tuple count_cells(const Labels& row_labels, const Labels& column_labels) {
    const auto [rows, columns] = as_pair(row_labels, column_labels);
    cl::Table table;
    {
        const WithoutGil released(rows.size);
        table = cl::count_table(rows, columns, SignalCheck());
    }
    return nb::make_tuple(to_array(std::move(table.row_labels)), to_array(std::move(table.column_labels)),
                          to_array(std::move(table.rows)), to_array(std::move(table.columns)),
                          to_array(std::move(table.counts)));
}

nb::tuple encode(const Labels& labels) {
    const cl::Labels values = as_labels(labels);
    cl::Codes codes;
    {
        const WithoutGil released(values.size);
        codes = cl::encode(values, SignalCheck());
    }
    return nb::make_tuple(to_array(std::move(codes.codes)), to_array(std::move(codes.labels)));
}

/// The new number of each code; codes beyond the new numbers (there are none where every sample has a label) become 0.
nb::object renumber(const Codes& codes, const Codes& numbers) {
    std::vector<std::uint32_t> result(codes.size(), 0);
    const std::uint32_t* number = numbers.data();
    const std::size_t n_numbers = numbers.size();
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::uint32_t code = codes.data()[i];
        if (code < n_numbers) result[i] = number[code];
    }
    return to_array(std::move(result));
}

nb::tuple to_tuple(cl::TextCodes codes) {
    return nb::make_tuple(to_array(std::move(codes.codes)), to_array(std::move(codes.positions)));
}

/// Strings of fixed width, one after the other.
nb::tuple encode_fixed_width(const Bytes& bytes, std::size_t width) {
    if (width == 0 || bytes.size() % width != 0) throw std::invalid_argument("bytes are no strings of this width");
    const char* data = reinterpret_cast<const char*>(bytes.data());
    const std::size_t n = bytes.size() / width;
    cl::TextCodes codes;
    {
        const WithoutGil released(n);
        codes =
            cl::encode_text(n, SignalCheck(), [&](std::size_t i) { return std::string_view(data + i * width, width); });
    }
    return to_tuple(std::move(codes));
}

/// Strings one after the other, each from one place to the next.
nb::tuple encode_variable_width(const Bytes& bytes, const Integers& places) {
    const char* data = reinterpret_cast<const char*>(bytes.data());
    const std::int64_t* place = places.data();
    const std::size_t n = places.size() > 0 ? places.size() - 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (place[i] < 0 || place[i] > place[i + 1] || place[i + 1] > static_cast<std::int64_t>(bytes.size())) {
            throw std::invalid_argument("places outside of the bytes");
        }
    }
    cl::TextCodes codes;
    {
        const WithoutGil released(n);
        codes = cl::encode_text(n, SignalCheck(), [&](std::size_t i) {
            return std::string_view(data + place[i], static_cast<std::size_t>(place[i + 1] - place[i]));
        });
    }
    return to_tuple(std::move(codes));
}

/// Python strings, and None, whose code is the highest there is; nothing as soon as something else is among them, or a
/// string that is no Unicode.
nb::object encode_strings(const nb::list& strings) {
    constexpr std::uint32_t no_string = 0xFFFFFFFFU;
    const std::size_t n = nb::len(strings);
    cl::TextCodes codes;
    codes.codes.resize(n);
    cl::TextNumbers numbers;
    const SignalCheck check;
    // Labels are often the same few objects, which need not be read again.
    constexpr std::size_t n_seen = 1024;
    std::vector<std::pair<PyObject*, std::uint32_t>> seen(n_seen, {nullptr, 0});
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 4096 == 4095) check();
        PyObject* string = PyList_GetItem(strings.ptr(), static_cast<Py_ssize_t>(i));
        if (string == nullptr) throw nb::python_error();
        if (string == Py_None) {
            codes.codes[i] = no_string;
            continue;
        }
        auto& [known, number] = seen[(reinterpret_cast<std::uintptr_t>(string) >> 4) % n_seen];
        if (known != string) {
            Py_ssize_t size = 0;
            const char* data = PyUnicode_CheckExact(string) ? PyUnicode_AsUTF8AndSize(string, &size) : nullptr;
            if (data == nullptr) {
                PyErr_Clear();
                return nb::none();
            }
            known = string;
            number = numbers.number_of({data, static_cast<std::size_t>(size)}, i);
        }
        codes.codes[i] = number;
    }
    codes.positions = std::move(numbers).positions();
    return to_tuple(std::move(codes));
}

Spectrum spectrum_from_labels(const Labels& row_labels, const Labels& column_labels) {
    const auto [rows, columns] = as_pair(row_labels, column_labels);
    const WithoutGil released(rows.size);
    return Spectrum(cl::count_spectrum(rows, columns, SignalCheck()));
}

Spectrum spectrum_from_one(const Labels& labels) {
    const cl::Labels values = as_labels(labels);
    const WithoutGil released(values.size);
    return Spectrum(cl::count_spectrum(values, SignalCheck()));
}

Spectrum spectrum_from_cells(const Integers& rows, const Integers& columns, const Integers& counts, std::size_t n_rows,
                             std::size_t n_columns) {
    const auto view = [](const Integers& array) { return std::span(array.data(), array.size()); };
    const auto inside = [&](const Integers& codes, std::size_t limit) {
        const auto fits = [&](std::int64_t code) { return code >= 0 && static_cast<std::size_t>(code) < limit; };
        return codes.size() == counts.size() && std::ranges::all_of(view(codes), fits);
    };
    const WithoutGil released(counts.size());
    if (!inside(rows, n_rows) || !inside(columns, n_columns)) throw std::invalid_argument("cells outside of the table");
    const cl::Pause no_pause = [] {};
    const cl::ListedCells cells{view(rows), view(columns), view(counts), n_rows, n_columns};
    return Spectrum(cl::summarise(cells, {1, no_pause}));
}

nb::tuple expected_information(Spectrum& spectrum) {
    if (!spectrum.known()[cl::expected_bit]) {
        std::optional<cl::ExpectedInformation> expected;
        {
            // Each pair of sizes takes about as long as a hundred samples do to be counted.
            const WithoutGil released(100 * spectrum.spectrum().rows.size() * spectrum.spectrum().columns.size());
            expected = spectrum.compute_expected(SignalCheck());
        }
        spectrum.know_expected(*expected);  // with the GIL, as others may ask at the same time
    }
    const cl::ExpectedInformation& expected = spectrum.expected([] {});
    return nb::make_tuple(expected.information, expected.log_count, expected.error);
}

void add_clustering(cl::Clusterings& clusterings, const Codes& codes, std::size_t n_clusters) {
    if (codes.size() != clusterings.n_samples()) throw std::invalid_argument("clusterings of different lengths");
    const WithoutGil released(codes.size());
    clusterings.add({codes.data(), codes.size()}, n_clusters);
}

void pack_clusterings(cl::Clusterings& clusterings) {
    const WithoutGil released(clusterings.n_samples());
    clusterings.pack(SignalCheck());
}

/// All pairs of some units as (row, column, spectrum); `wanted` has a bit for each term to know beforehand.
nb::list spectra(const cl::Clusterings& clusterings, std::size_t first_unit, std::size_t last_unit, unsigned wanted) {
    if (first_unit > last_unit || last_unit > clusterings.n_units()) throw std::invalid_argument("no such units");
    std::vector<cl::Clusterings::Pair> pairs;
    {
        const nb::gil_scoped_release released;
        pairs = clusterings.spectra(first_unit, last_unit, cl::TermSet(wanted), SignalCheck());
    }
    nb::list result;
    for (auto& [row, column, spectrum] : pairs) result.append(nb::make_tuple(row, column, std::move(spectrum)));
    return result;
}

nb::object to_python(cl::uint128 value) {
    return (nb::int_(cl::high_half(value)) << nb::int_(64)) | nb::int_(cl::low_half(value));
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

/// A function of Python that gives one term of a spectrum.
auto term(cl::Term which) {
    return [which](Spectrum& spectrum) { return spectrum.term(which); };
}

}  // namespace

NB_MODULE(_native, module) {
    // Whoever still holds a function of ours when Python ends (a test runner, a notebook) has not made a mistake.
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
        .def_prop_ro("rows", [](const Spectrum& s) { return size_groups(s.spectrum().rows); })
        .def_prop_ro("columns", [](const Spectrum& s) { return size_groups(s.spectrum().columns); })
        .def_prop_ro("cells", [](const Spectrum& s) { return cell_groups(s.spectrum().cells); })
        .def_prop_ro("known", [](const Spectrum& s) { return s.known().to_ulong(); })
        .def("transposed", &Spectrum::transposed)
        .def("forgetful_copy", [](const Spectrum& s) { return Spectrum(s.spectrum()); })
        .def("__eq__", [](const Spectrum& s, const Spectrum& other) { return s.spectrum() == other.spectrum(); });

    nb::class_<cl::Clusterings>(module, "Clusterings")
        .def(nb::init<std::size_t>())
        .def("add", &add_clustering)
        .def("pack", &pack_clusterings)
        .def_prop_ro("n_units", &cl::Clusterings::n_units)
        .def("spectra", &spectra);

    module.def("count_cells", &count_cells);
    module.def("encode", &encode);
    module.def("renumber", &renumber);
    module.def("encode_fixed_width", &encode_fixed_width);
    module.def("encode_variable_width", &encode_variable_width);
    module.def("encode_strings", &encode_strings);
    module.def("row_entropy", term(cl::Term::row_entropy));
    module.def("column_entropy", term(cl::Term::column_entropy));
    module.def("joint_entropy", term(cl::Term::joint_entropy));
    module.def("mean_log_row_size", term(cl::Term::mean_log_row_size));
    module.def("mean_log_column_size", term(cl::Term::mean_log_column_size));
    module.def("mean_log_count", term(cl::Term::mean_log_count));
    module.def("expected_information", &expected_information);
    module.def("mutual_information", term(cl::Term::mutual_information));
    module.def("variation_of_information", term(cl::Term::variation_of_information));
    module.def("pairwise_adjusted_mutual_information", term(cl::Term::pairwise_adjusted_mutual_information));
    module.def("pairwise_adjusted_row_entropy", term(cl::Term::pairwise_adjusted_row_entropy));
    module.def("pairwise_adjusted_column_entropy", term(cl::Term::pairwise_adjusted_column_entropy));
    module.def("pairs_within_rows", [](const Spectrum& s) { return to_python(cl::pairs_within(s.spectrum().rows)); });
    module.def("pairs_within_columns",
               [](const Spectrum& s) { return to_python(cl::pairs_within(s.spectrum().columns)); });
    module.def("pairs_within_cells", [](const Spectrum& s) { return to_python(cl::pairs_within(s.spectrum().cells)); });
}
