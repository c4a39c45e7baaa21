// A folder that is gone when its owner is.
#pragma once

#include <filesystem>
#include <string>

namespace arb {

class TemporaryFolder {
 public:
  /// `option`: who wants it, for the message. Throws Error{kEnvironment}.
  explicit TemporaryFolder(const std::string& option);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace arb
