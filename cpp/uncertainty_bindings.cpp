// Bindings of variances, p-values and leave-one-out scores.

#include "bindings.hpp"

namespace chanceless_python {

void bind_uncertainty([[maybe_unused]] nb::module_& module) {}

}  // namespace chanceless_python
