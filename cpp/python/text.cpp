// Strings of numpy, Arrow and Python: converts arguments, releases the GIL and calls the core. Functions return a code
// of 8 or 32 bits for each sample (all bits are set if it has no string), the distinct strings, and whether samples may
// be without one.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "counting/arrow.hpp"
#include "python/convert.hpp"

namespace chanceless::python {

namespace {

/// The codes of all samples, as narrow as they are.
nb::object codes_of(counting::TextCodes& codes) {
    return codes.wide.empty() ? to_array(std::move(codes.narrow)) : to_array(std::move(codes.wide));
}

/// Encodes adjacent strings of fixed width. Returns codes, and the position of a sample of each.
nb::tuple encode_fixed_width(const Bytes& bytes, std::size_t width) {
    if (width == 0 || bytes.size() % width != 0)
        throw std::invalid_argument("the number of bytes must be a multiple of the width");
    const char* data = reinterpret_cast<const char*>(bytes.data());
    const std::size_t n = bytes.size() / width;
    counting::TextCodes codes;
    {
        const WithoutGil released(n);
        codes = counting::encode_text(n, PythonCancellationCheck(),
                                      [&](std::size_t start, std::size_t stop, const auto& visit) {
                                          for (std::size_t i = start; i < stop; ++i)
                                              visit(i, counting::Text({data + i * width, width}));
                                      });
    }
    return nb::make_tuple(codes_of(codes), to_array(std::move(codes.positions)));
}

nb::list names_of(const std::vector<counting::Text>& texts) {
    nb::list names;
    for (const counting::Text& text : texts) {
        const std::string_view bytes = text.view();
        PyObject* name = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
        if (name == nullptr) throw nb::python_error();
        names.append(nb::steal(name));
    }
    return names;
}

/// Encodes the strings of an Arrow stream. Returns None if it has something else than strings.
nb::object encode_arrow(const nb::capsule& capsule) {
    auto* const stream =
        static_cast<counting::ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    if (stream->release == nullptr) throw std::invalid_argument("the Arrow stream was read before");
    const std::optional<counting::ArrowStrings> strings =
        counting::ArrowStrings::read(counting::Owned<counting::ArrowArrayStream>(*stream), PythonCancellationCheck());
    if (!strings) return nb::none();
    auto codes = without_gil(strings->size(), [&] {
        return counting::encode_text(
            strings->size(), PythonCancellationCheck(),
            [&](std::size_t start, std::size_t stop, const auto& visit) { strings->for_each(start, stop, visit); });
    });
    nb::list names = names_of(codes.texts);
    return nb::make_tuple(codes_of(codes), names, strings->may_have_nulls());
}

/// Access to the strings of an array of numpy's StringDType, for a scope: nobody changes them meanwhile. Who holds it
/// must not wait for the GIL, which somebody may hold who waits for it.
class StringAccess {
  public:
    explicit StringAccess(PyArrayObject* array)
        : allocator_(NpyString_acquire_allocator(reinterpret_cast<PyArray_StringDTypeObject*>(PyArray_DESCR(array)))),
          data_(PyArray_BYTES(array)),
          step_(PyArray_STRIDE(array, 0)) {}
    ~StringAccess() { NpyString_release_allocator(allocator_); }
    StringAccess(const StringAccess&) = delete;
    StringAccess& operator=(const StringAccess&) = delete;

    /// A string; nothing for a null.
    [[nodiscard]] std::optional<std::string_view> operator[](std::size_t i) const {
        npy_static_string string = {0, nullptr};
        const char* place = data_ + static_cast<npy_intp>(i) * step_;
        const int state = NpyString_load(allocator_, reinterpret_cast<const npy_packed_static_string*>(place), &string);
        if (state < 0) throw std::runtime_error("numpy cannot load a string");
        if (state > 0) return std::nullopt;
        return std::string_view(string.buf, string.size);
    }

  private:
    npy_string_allocator* allocator_;
    const char* data_;
    npy_intp step_;
};

/// Strings of numpy -> codes, in parts: between two of them, strings may change or be freed.
class NumpyEncoder {
  public:
    NumpyEncoder(PyArrayObject* array, std::size_t n) : array_(array), codes_(n) {}

    /// Returns false if there is a null.
    bool encode(std::size_t start, std::size_t stop, bool nulls_are_missing) {
        const StringAccess strings(array_);
        for (std::size_t i = start; i < stop; ++i) {
            if (const std::optional<std::string_view> string = strings[i]) {
                codes_[i] = dictionary_.code_of(counting::Text(*string), i);
                if (codes_[i] == n_kept_) keep(*string);
            } else if (nulls_are_missing) {
                codes_[i] = counting::no_text<std::uint32_t>;
                has_gaps_ = true;
            } else {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] nb::tuple result() && {
        nb::list names = names_of(dictionary_.texts());
        return nb::make_tuple(to_array(std::move(codes_)), names, has_gaps_);
    }

  private:
    void keep(std::string_view string) {
        if (string.size() > counting::Text::most_inside)
            dictionary_.replace(static_cast<std::uint32_t>(n_kept_), counting::Text(kept_.emplace_back(string)));
        ++n_kept_;
    }

    PyArrayObject* array_;
    counting::TextCodeVector<std::uint32_t> codes_;
    counting::TextDictionary dictionary_;
    std::deque<std::string> kept_;
    std::size_t n_kept_ = 0;
    bool has_gaps_ = false;
};

/// Encodes an array of numpy's StringDType. Returns None if there is a null that is not a missing label.
nb::object encode_numpy_strings(const nb::object& given, bool nulls_are_missing) {
    if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
    auto* const array = reinterpret_cast<PyArrayObject*>(given.ptr());
    if (!PyArray_Check(given.ptr()) || PyArray_TYPE(array) != NPY_VSTRING || PyArray_NDIM(array) != 1)
        throw nb::type_error("strings must be in a one-dimensional array of StringDType");
    const auto n = static_cast<std::size_t>(PyArray_DIM(array, 0));
    NumpyEncoder encoder(array, n);
    bool is_encoded = true;
    {
        const WithoutGil released(n);
        const PythonCancellationCheck check_cancelled;
        constexpr std::size_t block = 4096;
        for (std::size_t start = 0; is_encoded && start < n; start += block) {
            check_cancelled();
            is_encoded = encoder.encode(start, std::min(n, start + block), nulls_are_missing);
        }
    }
    if (!is_encoded) return nb::none();
    return std::move(encoder).result();
}

#ifdef Py_GIL_DISABLED
using Item = nb::object;

/// An item of a list, which other threads may change meanwhile.
Item item_of(const nb::list& list, std::size_t i) {
    PyObject* item = PyList_GetItemRef(list.ptr(), static_cast<Py_ssize_t>(i));
    if (item == nullptr) throw nb::python_error();
    return nb::steal(item);
}
#else
using Item = nb::handle;

/// An item of a list, borrowed: with the GIL nobody frees it until a signal handler runs.
Item item_of(const nb::list& list, std::size_t i) {
    PyObject* item = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
    if (item == nullptr) throw nb::python_error();
    return item;
}
#endif

/// Codes of Python strings, one after another.
///
/// Signal handlers may change the container meanwhile, and free its strings. So there is a reference to each distinct
/// string, since the dictionary may point to its bytes.
class StringEncoder {
  public:
    /// The code of a string; nothing if it is no string, or contains a surrogate and has no UTF-8 form.
    std::optional<std::uint32_t> code_of(const Item& item, std::size_t position) {
        PyObject* const string = item.ptr();
        auto& [known, code] = seen_[(reinterpret_cast<std::uintptr_t>(string) >> 4) % seen_.size()];
        if (known.ptr() == string) return code;
        Py_ssize_t size = 0;
        const char* data = PyUnicode_CheckExact(string) ? PyUnicode_AsUTF8AndSize(string, &size) : nullptr;
        if (data == nullptr) {
            PyErr_Clear();
            return std::nullopt;
        }
        known = item;
        code = dictionary_.code_of(counting::Text({data, static_cast<std::size_t>(size)}), position);
        if (code == distinct_.size()) distinct_.push_back(nb::borrow(string));
        return code;
    }

    /// Forgets strings that may be freed: another one could get the address.
    void forget() { seen_.assign(seen_.size(), {}); }

    /// The distinct strings, as they were given.
    [[nodiscard]] nb::list names() const {
        nb::list names;
        for (const nb::object& name : distinct_) names.append(name);
        return names;
    }

  private:
    // Labels are often the same few objects, so that their codes are cached by address.
    std::vector<std::pair<Item, std::uint32_t>> seen_{1024};
    counting::TextDictionary dictionary_;
    std::vector<nb::object> distinct_;
};

/// Encodes n items, strings and None.
template <class ItemAt>
nb::object encode_items(std::size_t n, const ItemAt& item_at) {
    counting::TextCodeVector<std::uint32_t> codes(n);
    StringEncoder encoder;
    bool has_gaps = false;
    const PythonCancellationCheck check_cancelled;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 4096 == 4095) {
            encoder.forget();
            check_cancelled();
        }
        const Item item = item_at(i);
        if (item.is_none()) {
            has_gaps = true;
            codes[i] = counting::no_text<std::uint32_t>;
        } else if (const std::optional<std::uint32_t> code = encoder.code_of(item, i)) {
            codes[i] = *code;
        } else {
            return nb::none();
        }
    }
    return nb::make_tuple(to_array(std::move(codes)), encoder.names(), has_gaps);
}

/// An item of an array of objects, borrowed; an empty place is None to numpy.
nb::handle item_of(const Py_buffer& buffer, std::size_t i) noexcept {
    PyObject* item = nullptr;
    const auto place = static_cast<Py_ssize_t>(i) * buffer.strides[0];
    std::memcpy(&item, static_cast<const char*>(buffer.buf) + place, sizeof(item));
    return item == nullptr ? Py_None : item;
}

/// Encodes a list of strings and None, or an array of such objects. Returns None if an item is something else, or if a
/// string contains a surrogate.
nb::object encode_strings(const nb::object& strings) {
#ifdef Py_GIL_DISABLED  // arrays lend their items, which other threads may free meanwhile
    const nb::list list = nb::isinstance<nb::list>(strings) ? nb::list(strings) : nb::list(strings.attr("tolist")());
    return encode_items(nb::len(list), [&](std::size_t i) { return item_of(list, i); });
#else
    if (nb::isinstance<nb::list>(strings)) {
        const nb::list list = nb::borrow<nb::list>(strings);
        return encode_items(nb::len(list), [&](std::size_t i) { return item_of(list, i); });
    }
    const HeldBuffer held(strings);
    if (held.type() != 'O') throw nb::type_error("strings must be in a list or in a one-dimensional array of objects");
    const Py_buffer& items = held.view();
    const auto n = static_cast<std::size_t>(items.shape[0]);
    constexpr std::size_t ahead = 16;
    return encode_items(n, [&](std::size_t i) {
        if (i + ahead < n) prefetch(item_of(items, i + ahead).ptr());
        return item_of(items, i);
    });
#endif
}

}  // namespace

void register_text(nb::module_& module) {
    module.def(
        "encode_fixed_width", &encode_fixed_width,
        nb::sig("def encode_fixed_width(data: numpy.typing.NDArray[numpy.uint8], width: int, /) -> tuple[" TEXT_CODES
                ", numpy.typing.NDArray[numpy.uint64]]"));
    module.def("encode_arrow", &encode_arrow,
               nb::sig("def encode_arrow(stream: object, /) -> tuple[" TEXT_CODES ", list[str], bool] | None"));
    module.def("encode_numpy_strings", &encode_numpy_strings,
               nb::sig("def encode_numpy_strings(array: numpy.typing.NDArray[typing.Any], nulls_are_missing: bool, /) "
                       "-> tuple[" TEXT_CODES ", list[str], bool] | None"));
    module.def(
        "encode_strings", &encode_strings,
        nb::sig(
            "def encode_strings(strings: list[typing.Any] | numpy.typing.NDArray[typing.Any], /) -> tuple[" TEXT_CODES
            ", list[str], bool] | None"));
}

}  // namespace chanceless::python
