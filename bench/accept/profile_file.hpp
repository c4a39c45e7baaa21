// Where the profile of an acceptance is.
#pragma once

#include <string>
#include <vector>

namespace arb {

struct ProfileText {
  std::string path, text;
};

/// Files that `wanted` may mean, the best first: a path, or the name of a profile that comes with
/// the program.
std::vector<std::string> profile_paths(const std::string& wanted);

/// Throws Error{kUsage} with what was tried.
ProfileText find_profile(const std::string& wanted);

}  // namespace arb
