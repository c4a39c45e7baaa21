#include "verify/verdict.hpp"

#include <algorithm>
#include <utility>

namespace arb {

void Verdict::merge(const Verdict& other) {
  const bool earlier =
      !other.ok() && (ok() || std::pair(other.rank, other.index) < std::pair(rank, index));
  const int64_t total = wrong + other.wrong;
  const double ratio = std::max(max_error_ratio, other.max_error_ratio);
  if (earlier) *this = other;
  wrong = total;
  max_error_ratio = ratio;
}

}  // namespace arb
