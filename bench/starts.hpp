// Fresh starts of this program or another build of it, each of which measures a sweep.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/temporary_folder.hpp"
#include "reports/record.hpp"

namespace arb {

/// Thrown when a signal ended a start.
struct StartInterrupted {};

class Starts {
 public:
  /// `launcher`: words before every start ("mpirun -np 4"), empty: none.
  Starts(const std::string& launcher, std::optional<std::chrono::steady_clock::time_point> deadline,
         const std::atomic<bool>* interrupted);

  /// Runs `program run WORDS` to its end. Wrong data is in the report; throws Error of the kind
  /// that the exit code says for everything else, with what the program said.
  Report measure(const std::string& program, const std::vector<std::string>& words);

  /// A file for the starts, gone in the end.
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  double seconds_left() const;

  TemporaryFolder folder_{"--launcher"};
  std::vector<std::string> launcher_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  const std::atomic<bool>* interrupted_;
};

}  // namespace arb
