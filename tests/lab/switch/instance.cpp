#include "tests/lab/switch/instance.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/lab/switch/file_descriptor.hpp"
#include "tests/lab/switch/network_namespace.hpp"

namespace arb::lab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMemory = "/dev/shm";
constexpr std::string_view kPrefix = "arb-lab-";

/// Entries of `folder` that are called kPrefix OWNER ... with an owner that does not run.
std::vector<fs::path> abandoned(const char* folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.rfind(kPrefix, 0) != 0) continue;
    const std::string rest = name.substr(kPrefix.size());
    const std::string owner = rest.substr(0, rest.find('-'));
    if (owner.empty() || owner.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string program;
    std::ifstream("/proc/" + owner + "/comm") >> program;
    if (program != "lab-switch") found.push_back(entry.path());
  }
  return found;
}

}  // namespace

std::string namespace_name(pid_t owner, int host) {
  return fmt::format("{}{}-h{}", kPrefix, owner, host + 1);
}

Folder::Folder(pid_t owner) : path_(fmt::format("{}/{}{}", kMemory, kPrefix, owner)) {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (::mkdir(path_.c_str(), 0700) != 0) fail(path_.c_str());
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> remove_abandoned() {
  std::vector<std::string> removed;
  for (const fs::path& path : abandoned(NetworkNamespace::kFolder)) {
    NetworkNamespace::remove(path.filename());
    removed.push_back(path);
  }
  for (const fs::path& path : abandoned(kMemory)) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    removed.push_back(path);
  }
  return removed;
}

}  // namespace arb::lab
