#include "bench/accept/profile_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "bench/files.hpp"
#include "collectives/error.hpp"
#include "reports/suggest.hpp"

namespace arb {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEnding = ".json";

/// Of an installed program and of one in its build folder, and where it was built.
std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    all.push_back((program.parent_path() / "../configs/accept").lexically_normal());
    all.push_back((program.parent_path() / "../../configs/accept").lexically_normal());
    all.push_back((program.parent_path() / "../share/allreduce-bench/accept").lexically_normal());
  }
  const fs::path source = fs::path(ARB_SOURCE_DIR) / "configs/accept";
  if (std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
  return all;
}

/// Names of the profiles that come with the program.
std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() == kEnding &&
          std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> profile_paths(const std::string& wanted) {
  std::vector<std::string> paths{wanted};
  if (wanted.find('/') != std::string::npos || wanted.ends_with(kEnding)) return paths;
  for (const fs::path& folder : folders()) paths.push_back((folder / (wanted + kEnding)).string());
  return paths;
}

ProfileText find_profile(const std::string& wanted) {
  const std::vector<std::string> paths = profile_paths(wanted);
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    if (auto text = read_file(path)) return {path, std::move(*text)};
  }
  const std::vector<std::string> names = shipped();
  throw Error(
      ErrorKind::kUsage,
      fmt::format(
          "--profile {}: there is no such file{}; tried {}{}", wanted, did_you_mean(wanted, names),
          fmt::join(paths, ", "),
          names.empty() ? "" : fmt::format(". With the program come: {}", fmt::join(names, ", "))));
}

}  // namespace arb
