#include "bench/accept/accept_command.hpp"

#include "collectives/error.hpp"

namespace arb {

int run_accept(const Options&, const std::vector<std::string>&, const std::atomic<bool>&,
               const World*, Watchdog*) {
  throw Error(ErrorKind::kUsage, "accept: not in this build yet");
}

}  // namespace arb
