#include "reports/accept/fleet.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace arb {

std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::kAlone:
      return "alone";
    case Stage::kPairs:
      return "pairs";
    case Stage::kGroups:
      return "groups";
    case Stage::kAll:
      return "all";
    case Stage::kSoak:
      return "soak";
  }
  return "";
}

// Around a circle of m = n - 1 places (n even), with the last unit in its middle, round r pairs the
// middle with place r, and the places at equal distances left and right of r:
//        0            m = 5, round 0: (0,5) (1,4) (2,3)
//     4     1                round 1: (1,5) (2,0) (3,4)
//      3   2           of an odd n the middle is empty: who would be paired with it rests.
std::vector<std::vector<std::pair<int, int>>> pair_rounds(int units, int most_rounds) {
  std::vector<std::vector<std::pair<int, int>>> rounds;
  if (units < 2) return rounds;
  const int places = units % 2 == 0 ? units - 1 : units;
  const int wanted = most_rounds <= 0 ? places : std::min(most_rounds, places);
  for (int r = 0; r < wanted; ++r) {
    auto& pairs = rounds.emplace_back();
    if (units % 2 == 0) pairs.emplace_back(r, places);
    for (int k = 1; 2 * k < places; ++k) {
      pairs.push_back(std::minmax({(r + k) % places, (r - k + places) % places}));
    }
    std::sort(pairs.begin(), pairs.end());
  }
  return rounds;
}

std::vector<std::vector<std::vector<int>>> group_rounds(int units) {
  std::vector<std::vector<std::vector<int>>> rounds;
  for (int64_t size = 2; size < units; size *= 2) {
    auto& groups = rounds.emplace_back();
    for (int64_t first = 0; first + size <= units; first += size) {
      auto& group = groups.emplace_back(static_cast<size_t>(size));
      std::iota(group.begin(), group.end(), static_cast<int>(first));
    }
  }
  return rounds;
}

}  // namespace arb
