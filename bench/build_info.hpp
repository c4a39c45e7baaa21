// What this binary was built from and with; set by CMake.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace arb {

struct BuildInfo {
  std::string version;   // "0.1.0"
  std::string revision;  // git, or "unknown"
  std::string build;     // "Release, GNU 12.2.0"
};

BuildInfo build_info();
std::string version_text();  // of --version

struct Backend {
  std::string name;  // "host", "mpi", "cuda"
  std::string off;   // why this build cannot use it; empty: it can
  std::string summary;
};

std::vector<Backend> backends();

/// Throws Error{kEnvironment} naming what was asked for and why it is not there.
void require_backend(const std::string& backend, std::optional<int> gpus);

}  // namespace arb
