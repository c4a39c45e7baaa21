// What a check found. A wrong result is data, not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace arb {

struct Verdict {
  int64_t wrong = 0;  // wrong elements
  // The first failure (lowest rank, then lowest index):
  // "exact", "oracle", "bound", "guard", "input changed", "ranks differ", "runs differ",
  // "device check" (of GPUs: it did not look at everything, or the host's check contradicts it)
  std::string check = {};
  int rank = -1;
  // Element of the whole message; for guards the byte offset from the buffer's end or start.
  int64_t index = -1;
  std::string wanted = {};
  std::string got = {};
  std::optional<double> ulps = {};
  double max_error_ratio = 0;  // random float data: largest |error| / proven bound

  bool ok() const { return wrong == 0; }
  void merge(const Verdict& other);
};

}  // namespace arb
