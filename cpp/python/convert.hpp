#pragma once

// What all bindings share: types of arguments, the GIL, cancellation, arrays. The only files that use the Python API
// are the ones that include this header.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <string_view>

#include "chance/cumulants.hpp"
#include "counting/listed_cells.hpp"
#include "scores/measured_spectrum.hpp"

// Types in the signatures of functions: _core.pyi is made of them.
#define DOUBLES "numpy.typing.NDArray[numpy.float64]"
#define INTEGERS "numpy.typing.NDArray[numpy.int64]"
#define CELLS "row_codes: " INTEGERS ", column_codes: " INTEGERS ", counts: " INTEGERS ", n_rows: int, n_columns: int"
#define LABELS "numpy.typing.NDArray[numpy.integer[typing.Any] | numpy.bool_]"
#define TEXT_CODES "numpy.typing.NDArray[numpy.uint8] | numpy.typing.NDArray[numpy.uint32]"

namespace chanceless::python {

namespace nb = nanobind;

using Spectrum = scores::MeasuredSpectrum;
using Labels = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Releases the GIL for a scope, if the work is long enough for other threads to benefit.
class WithoutGil {
  public:
    explicit WithoutGil(std::size_t n_items) {
        constexpr std::size_t worthwhile = 4096;
        if (n_items >= worthwhile) release_.emplace();
    }

  private:
    std::optional<nb::gil_scoped_release> release_;
};

/// The result of work for which the GIL is released, if it is long enough.
template <class Work>
auto without_gil(std::size_t n_items, const Work& work) {
    const WithoutGil released(n_items);
    return work();
}
inline constexpr std::size_t always = std::numeric_limits<std::size_t>::max();

/// Cancellation check that runs pending signal handlers, so that Ctrl-C raises KeyboardInterrupt; takes the GIL at most
/// five times a second.
class PythonCancellationCheck {
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

/// The memory of an array, held where it is for a scope; not of every array, such as those of dates.
class HeldBuffer {
  public:
    explicit HeldBuffer(nb::handle array) noexcept {
        held_ = PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
        if (!held_) PyErr_Clear();
    }
    ~HeldBuffer() {
        if (held_) PyBuffer_Release(&view_);
    }
    HeldBuffer(const HeldBuffer&) = delete;
    HeldBuffer& operator=(const HeldBuffer&) = delete;

    [[nodiscard]] const Py_buffer& view() const noexcept { return view_; }
    /// The type of the items, in one letter, if the array has one dimension; else 0.
    [[nodiscard]] char type() const noexcept {
        const bool is_simple = held_ && view_.ndim == 1 && view_.format != nullptr && view_.format[0] != 0;
        return is_simple && view_.format[1] == 0 ? view_.format[0] : '\0';
    }

  private:
    Py_buffer view_{};
    bool held_;
};

/// An array that owns the vector's memory.
template <class T, class Memory>
nb::object to_array(std::vector<T, Memory> values) {
    using Vector = std::vector<T, Memory>;
    auto* owned = new Vector(std::move(values));
    nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<Vector*>(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

inline nb::object to_python(uint128 value) {
    return (nb::int_(high_half(value)) << nb::int_(64)) | nb::int_(low_half(value));
}

/// View of the cells of a table, given by three arrays.
inline counting::ListedCells listed_cells(const Integers& row_codes, const Integers& column_codes,
                                          const Integers& counts, std::size_t n_rows, std::size_t n_columns) {
    if (row_codes.size() != counts.size() || column_codes.size() != counts.size())
        throw std::invalid_argument("each cell must have a row, a column and a count");
    const auto view = [](const Integers& array) { return std::span(array.data(), array.size()); };
    return {view(row_codes), view(column_codes), view(counts), n_rows, n_columns};
}

/// The statistic with this name.
inline chance::Statistic statistic_named(std::string_view name) {
    if (name == "information") return chance::Statistic::information;
    if (name == "pairs") return chance::Statistic::pairs;
    if (name == "pairwise") return chance::Statistic::pairwise;
    throw std::invalid_argument("not a statistic");
}

}  // namespace chanceless::python
