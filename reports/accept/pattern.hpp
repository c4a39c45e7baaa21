// Which units, and which links between them, explain which pairs are bad.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace arb {

/// A pair of units, and what it showed: the larger, the worse.
struct Edge {
  int a = 0, b = 0;
  double value = 0;
};

struct Pattern {
  double reference = 1;                    // of a healthy pair
  std::vector<int> units;                  // bad with nearly all of their partners
  std::vector<std::pair<int, int>> links;  // bad, though both units are fine with others
  std::vector<bool> bad;                   // [edge]: beyond `factor` times the reference
  bool explained = true;                   // false: too many bad pairs for so simple a reason
};

/// May one in five pairs be an exception: are `bad` of `all` nearly all?
constexpr bool nearly_all(size_t bad, size_t all) { return bad > 0 && bad + all / 5 >= all; }

/// A pair is bad if its value is above `factor` times the reference. Without one it is the median
/// of the pairs between units that are not to blame: half the pairs may be bad because of a third
/// of the units, so that the median of all would already be that of a bad pair.
///
/// Sought is the least number of units (always a minority) such that each is bad with nearly all of
/// its partners, two at least, while the pairs of the others are good but for a few, which are then
/// the links.
Pattern explain(std::span<const Edge> edges, int units, double factor,
                std::optional<double> reference);

}  // namespace arb
