// Which starts count for a case: those that no flag casts doubt on, in one state of the machine.
#pragma once

#include <string>

#include "reports/compare/match.hpp"

namespace arb {

struct Sifted {
  Records base, fresh;  // by start; nullptr: does not count
  std::string why;      // nothing is left on a side: why
};

Sifted sift(const MatchedCase& row);

/// Start i of one side was measured right after start i of the other: both count or none.
Sifted sift_pairs(const MatchedCase& row);

int64_t starts_of(const Records& records);

}  // namespace arb
