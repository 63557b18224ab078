// Scores for Python: of a spectrum, and of two arrays of labels without anything between.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <string_view>

#include "many/pair_scores.hpp"
#include "python/convert.hpp"
#include "scores/matching.hpp"

namespace chanceless::python {

namespace {

scores::Score score_of(std::string_view name) {
    if (const auto score = scores::find_name<scores::Score>(scores::score_names, name)) return *score;
    throw std::invalid_argument("there is no score " + std::string(name));
}

scores::Average average_of(std::string_view name) {
    if (const auto average = scores::find_name<scores::Average>(scores::average_names, name)) return *average;
    throw std::invalid_argument("there is no average method " + std::string(name));
}

/// Calls use(terms); releases the GIL if that may take long.
template <class Use>
auto with_terms(const Spectrum& spectrum, const CancellationCheck& check_cancelled, const Use& use) {
    const bool known = spectrum.cached()[scores::expected_bit];
    // Each pair of sizes takes about as long as a hundred samples do to be counted.
    const WithoutGil released(known ? 0 : 100 * spectrum.spectrum().rows.size() * spectrum.spectrum().columns.size());
    return use(scores::SpectrumTerms(spectrum, check_cancelled));
}

template <class Use>
auto with_terms(const Spectrum& spectrum, const Use& use) {
    return with_terms(spectrum, PythonCancellationCheck(), use);
}

double score(const char* name, const Spectrum& spectrum, const char* average_method) {
    const scores::Score wanted = score_of(name);
    const scores::Average average = average_of(average_method);
    return with_terms(spectrum, [&](const auto& terms) { return scores::compute(wanted, terms, average); });
}

/// The integers of an array, if their width is that of one of the types.
template <class... Integers>
std::optional<counting::Labels> labels_of_width(const Py_buffer& view) noexcept {
    std::optional<counting::Labels> found;
    const auto size = static_cast<std::size_t>(view.shape[0]);
    const auto try_type = [&]<class T>(T) {
        if (view.itemsize == sizeof(T)) found = counting::labels_of<T>(view.buf, view.strides[0], size);
    };
    (try_type(Integers{}), ...);
    return found;
}

/// Integers in one dimension, of this machine's byte order; else nothing.
std::optional<counting::Labels> labels_of(const HeldBuffer& buffer) noexcept {
    const char type = buffer.type();
    if (type != 0 && std::string_view("bhilq").find(type) != std::string_view::npos)
        return labels_of_width<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(buffer.view());
    if (type != 0 && std::string_view("BHILQ").find(type) != std::string_view::npos)
        return labels_of_width<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(buffer.view());
    return std::nullopt;
}

/// numpy.ndarray, once it is imported.
nb::handle array_type;

/// The enumerator of an average method, if it is a string that names one.
std::optional<scores::Average> find_average(nb::handle name) noexcept {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_CheckExact(name.ptr()) ? PyUnicode_AsUTF8AndSize(name.ptr(), &size) : nullptr;
    if (text == nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return scores::find_name<scores::Average>(scores::average_names, {text, static_cast<std::size_t>(size)});
}

/// The score of two numpy arrays of integers, of the same length; None for labels or an average method that need a
/// closer look.
nb::object score_labels(const char* name, nb::handle labels_true, nb::handle labels_pred, nb::handle average_method) {
    const scores::Score wanted = score_of(name);
    const auto average = find_average(average_method);
    if (!average || !labels_true.type().is(array_type) || !labels_pred.type().is(array_type)) return nb::none();
    const HeldBuffer true_buffer(labels_true);
    const HeldBuffer pred_buffer(labels_pred);
    const auto rows = labels_of(true_buffer);
    const auto columns = labels_of(pred_buffer);
    if (!rows || !columns || rows->size != columns->size) return nb::none();
    const CancellationCheck check_cancelled = PythonCancellationCheck();
    const auto count = [&] {
        const WithoutGil released(rows->size);
        return Spectrum(counting::count_spectrum(*rows, *columns, check_cancelled));
    };
    return nb::float_(with_terms(count(), check_cancelled,
                                 [&](const auto& terms) { return scores::compute(wanted, terms, *average); }));
}

double v_measure(const Spectrum& spectrum, double beta) {
    return with_terms(spectrum, [&](const auto& terms) { return scores::v_measure(terms, beta); });
}

double mean(double left, double right, const char* average_method) {
    return scores::mean(left, right, average_of(average_method));
}

nb::tuple beyond_chance(const Spectrum& spectrum) {
    const scores::BeyondChance beyond =
        with_terms(spectrum, [](const auto& terms) { return scores::beyond_chance(terms); });
    return nb::make_tuple(beyond.information, beyond.rows, beyond.columns, beyond.error);
}

double mean_beyond_chance(const Spectrum& spectrum, double rows, double columns, const char* average_method) {
    const scores::Average average = average_of(average_method);
    return scores::mean_beyond_chance(scores::SpectrumTerms(spectrum, never_cancelled), rows, columns, average);
}

nb::tuple expected_information(const Spectrum& spectrum) {
    const chance::ExpectedInformation expected =
        with_terms(spectrum, [](const auto& terms) { return terms.expected(); });
    return nb::make_tuple(expected.information, expected.log_count, expected.error);
}

nb::tuple pairs_of_samples(const Spectrum& spectrum) {
    const terms::PairsOfSamples pairs = terms::pairs_of_samples(spectrum.spectrum());
    return nb::make_tuple(to_python(pairs.cells), to_python(pairs.rows), to_python(pairs.columns),
                          to_python(pairs.all));
}

nb::object best_matching(const Integers& row_codes, const Integers& column_codes, const Integers& counts,
                         std::size_t n_rows, std::size_t n_columns) {
    const counting::ListedCells cells = listed_cells(row_codes, column_codes, counts, n_rows, n_columns);
    return to_array(
        without_gil(counts.size(), [&] { return scores::best_matching(cells, PythonCancellationCheck()); }));
}

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntegerMatrix = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void make_scorer(many::PairScorer* self, const many::PackedClusterings& clusterings) {
    const nb::gil_scoped_release released;
    new (self) many::PairScorer(clusterings, PythonCancellationCheck());
}

template <class Array>
auto* data_of(const Array& matrix, std::size_t n_clusterings) {
    if (matrix.shape(0) != n_clusterings || matrix.shape(1) != n_clusterings)
        throw std::invalid_argument("matrices must have a row and a column for each clustering");
    return matrix.data();
}

/// Scores all pairs of some units. `wanted` has the name of a score, whether it may change when the clusterings are
/// exchanged, and the matrix for it. Returns the number of pairs.
std::size_t score_pairs(many::PairScorer& scorer, std::size_t first_unit, std::size_t last_unit, const nb::list& wanted,
                        const char* average_method, const IntegerMatrix& counted) {
    const scores::Average average = average_of(average_method);
    std::vector<many::WantedScore> scores;
    for (const nb::handle one : wanted) {
        const auto matrix = nb::cast<Matrix>(one[2]);
        scores.push_back(
            {score_of(nb::cast<const char*>(one[0])), nb::cast<bool>(one[1]), data_of(matrix, scorer.n_clusterings())});
    }
    std::int64_t* const n_counted = data_of(counted, scorer.n_clusterings());
    const nb::gil_scoped_release released;
    return scorer.score(first_unit, last_unit, scores, average, n_counted, PythonCancellationCheck());
}

}  // namespace

void register_scores(nb::module_& module) {
    array_type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release();  // as long as the process lives
    nb::class_<many::PairScorer>(module, "PairScorer", nb::is_final())
        .def("__init__", &make_scorer, nb::sig("def __init__(self, clusterings: PackedClusterings, /) -> None"),
             nb::keep_alive<1, 2>())
        .def("score", &score_pairs,
             nb::sig("def score(self, first_unit: int, last_unit: int, wanted: list[tuple[str, bool, " DOUBLES
                     "]], average_method: str, counted: " INTEGERS ", /) -> int"));
    module.def("score", &score, nb::sig("def score(name: str, spectrum: Spectrum, average_method: str, /) -> float"));
    module.def("score_labels", &score_labels,
               nb::sig("def score_labels(name: str, labels_true: object, labels_pred: object, average_method: str, /) "
                       "-> float | None"),
               nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none());
    module.def("v_measure", &v_measure, nb::sig("def v_measure(spectrum: Spectrum, beta: float, /) -> float"));
    module.def("mean", &mean, nb::sig("def mean(left: float, right: float, average_method: str, /) -> float"));
    module.def("beyond_chance", &beyond_chance,
               nb::sig("def beyond_chance(spectrum: Spectrum, /) -> tuple[float, float, float, float]"));
    module.def("mean_beyond_chance", &mean_beyond_chance,
               nb::sig("def mean_beyond_chance(spectrum: Spectrum, rows: float, columns: float, average_method: str, "
                       "/) -> float"));
    module.def("expected_information", &expected_information,
               nb::sig("def expected_information(spectrum: Spectrum, /) -> tuple[float, float, float]"));
    module.def("pairs_of_samples", &pairs_of_samples,
               nb::sig("def pairs_of_samples(spectrum: Spectrum, /) -> tuple[int, int, int, int]"));
    module.def("best_matching", &best_matching, nb::sig("def best_matching(" CELLS ", /) -> " INTEGERS));
}

}  // namespace chanceless::python
