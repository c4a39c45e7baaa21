#include "bench/compare_command.hpp"

#include "collectives/error.hpp"

namespace arb {

int run_compare(const Options&, const std::vector<std::string>&) {
  throw Error(ErrorKind::kUsage, "compare: not in this build yet");
}

}  // namespace arb
