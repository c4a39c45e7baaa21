// The one exception type of the program. Only main() prints it and picks the exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace arb {

enum class ErrorKind {
  kUsage,        // exit 2: bad option, bad file, nothing to judge
  kEnvironment,  // exit 5: no such device, not enough memory, an unusable machine
  kTimeLimit,    // exit 4: a hang was cut, and named
  kInternal,     // a broken invariant of this program
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace arb
