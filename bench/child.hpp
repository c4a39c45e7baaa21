// Runs another program to its end and keeps what it said.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

namespace arb {

struct ChildResult {
  int exit_code = 0;         // 128 + signal if a signal ended it
  bool timed_out = false;    // it was ended because the limit came
  bool interrupted = false;  // it was ended because this program is to end
  std::string output;        // stdout and stderr together, the last 64 KiB
};

/// `argv[0]` is looked up in PATH. `environment` is added to this process's own; an empty value
/// removes the variable. At the limit, and when `interrupted` is raised, the child gets SIGTERM,
/// and SIGKILL 5 s later. Throws Error{kEnvironment} if it cannot be started.
ChildResult run_child(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, double limit_seconds,
                      const std::atomic<bool>* interrupted = nullptr);

}  // namespace arb
