// Who is blamed, and what that was concluded from.
#pragma once

#include <string>
#include <vector>

#include "reports/accept/evidence.hpp"
#include "reports/accept/judge.hpp"

namespace arb {

/// A bad pair may have been disturbed by something else; twice is no accident. The same for a unit
/// alone.
inline constexpr size_t kFewestBad = 2;
/// After so many measurements another one would not change much.
inline constexpr size_t kMostMeasured = 4;

/// One demand on units alone.
struct AloneTest {
  CaseKey key;  // of memory_copy: none
  bool memory_copy = false;
  bool sparse = true;  // false: as good as all are bad, so that none of them is to blame
  struct Unit {
    int unit = 0;
    size_t measured = 0;
    bool bad = false;
    double beyond = 0;  // above 1: bad
    std::string why;    // the numbers and the limit
  };
  std::vector<Unit> units;
  std::string unsure;  // why it cannot be judged; empty: it can
};
std::vector<AloneTest> alone_tests(const Fleet& fleet, const Profile& profile,
                                   const std::vector<MeasuredGroup>& subjects);

struct Blame {
  PairEvidence evidence;
  std::vector<AloneTest> alone;
  std::vector<Lateness> lateness;  // [unit]
  std::vector<Culprit> culprits;   // wrong data first, then the clearest
};
Blame blame_by(const Fleet& fleet, const Profile& profile);

/// Who of these units (ascending), or which link between two, is to blame for wrong data (`wrong`)
/// or for being slow; nullptr: nobody.
const Culprit* culprit_among(const Blame& blame, const std::vector<int>& units, bool wrong);

}  // namespace arb
