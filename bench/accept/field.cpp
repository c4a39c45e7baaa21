#include "bench/accept/field.hpp"

#include <fmt/format.h>

namespace arb {
namespace {

constexpr size_t kMostNames = 4;

}  // namespace

std::string describe(const Round& round, const std::vector<int>& group,
                     const std::vector<Unit>& units) {
  std::string text = fmt::format("{}, round {}: ", name(round.stage), round.number + 1);
  for (size_t i = 0; i < group.size(); ++i) {
    if (i == kMostNames) return text + fmt::format(" and {} more", group.size() - i);
    text += (i == 0                  ? ""
             : i + 1 == group.size() ? " with "
                                     : ", ") +
            units[static_cast<size_t>(group[i])].name;
  }
  return text;
}

std::string in_group(const Round& round, const std::vector<int>& group,
                     const std::vector<Unit>& units) {
  std::string text = describe(round, group, units);
  if (group.size() > kMostNames) return text + " (ranks go unit by unit): ";
  size_t first = 0;
  for (const int each : group) {
    const Unit& unit = units[static_cast<size_t>(each)];
    const size_t last = first + unit.ranks.size() - 1;
    text += first == 0 ? " (" : ", ";
    text += first == last ? fmt::format("rank {}: {}", first, unit.name)
                          : fmt::format("ranks {}-{}: {}", first, last, unit.name);
    first = last + 1;
  }
  return text + "): ";
}

std::vector<int> ranks_of(const std::vector<int>& group, const std::vector<Unit>& units) {
  std::vector<int> ranks;
  for (const int unit : group) {
    const std::vector<int>& own = units[static_cast<size_t>(unit)].ranks;
    ranks.insert(ranks.end(), own.begin(), own.end());
  }
  return ranks;
}

}  // namespace arb
