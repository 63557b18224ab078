// The Python module: converts arguments, releases the GIL and calls the core.
//
// The module does not need the GIL, and free-threaded Python does not enable it:
// - a `Spectrum` never changes, and its cache of terms is made of atomic numbers;
// - `Clusterings::add` and `pack` change the list of clusterings: they lock the object, and do the long work without
//   the lock, on data that no other thread can reach;
// - `encode_strings` owns a reference to each item of its list while it reads it (text.cpp);
// - all else works on arguments by value, on immutable objects (`PackedClusterings`, strings) or on arrays.
// Arrays may be changed by other threads meanwhile: results are then wrong, but memory out of bounds is neither read
// nor written, since what is used as a place is checked after it was read.

#include <nanobind/nanobind.h>

namespace chanceless::python {

namespace nb = nanobind;

void register_counting(nb::module_& module);
void register_scores(nb::module_& module);
void register_text(nb::module_& module);
void register_certainty(nb::module_& module);
void register_testing(nb::module_& module);

}  // namespace chanceless::python

NB_MODULE(_core, module) {
    using namespace chanceless::python;
    // References to functions of this module at interpreter shutdown (in a test runner, a notebook) are not leaks.
    nb::set_leak_warnings(false);
    register_counting(module);
    register_scores(module);
    register_text(module);
    register_certainty(module);
    register_testing(module);
}
