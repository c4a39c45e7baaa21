#include "bench/temporary_folder.hpp"

#include <stdlib.h>

#include <system_error>

#include "collectives/error.hpp"

namespace arb {

TemporaryFolder::TemporaryFolder(const std::string& option) {
  std::string name = (std::filesystem::temp_directory_path() / "allreduce-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::kEnvironment, option + ": cannot create a folder in " +
                                             std::filesystem::temp_directory_path().string() +
                                             "; set TMPDIR");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace arb
