// Exceptions that cross the binding layer. Everything else a user can do wrong is
// caught in Python, before the core is called.
#pragma once

#include <stdexcept>
#include <string>

namespace dpdtree {

// Becomes a ValueError.
struct InputError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Stored data is not that of a valid model. Becomes a ModelFormatError.
struct FormatError : InputError {
  using InputError::InputError;
};

// The user pressed Ctrl-C; the Python error is already set.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace dpdtree
