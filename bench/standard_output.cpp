#include "bench/standard_output.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "collectives/error.hpp"

namespace arb {

bool print_result(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  if (errno != EPIPE) {
    throw Error(ErrorKind::kEnvironment,
                "cannot write to standard output: " + std::generic_category().message(errno));
  }
  std::clearerr(stdout);
  return false;
}

}  // namespace arb
