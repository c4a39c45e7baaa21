// What belongs to one running lab-switch is named after its process id, so that instances do not
// collide and what a crashed one left is recognised.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace arb::lab {

/// arb-lab-OWNER-hK
std::string namespace_name(pid_t owner, int host);

/// A folder in memory for whatever the programs on the hosts put aside; gone with its owner.
class Folder {
 public:
  /// Throws Error{kEnvironment}.
  explicit Folder(pid_t owner);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Removes the namespaces and folders whose owner is no lab-switch any more; their paths.
std::vector<std::string> remove_abandoned();

}  // namespace arb::lab
