#include "reports/model/point.hpp"

namespace arb {

CommonSizes common_sizes(const Series& first, const Series& second) {
  CommonSizes common;
  auto other = second.begin();
  for (const Point& point : first) {
    while (other != second.end() && other->bytes < point.bytes) ++other;
    if (other == second.end()) break;
    if (other->bytes != point.bytes) continue;
    common.first.push_back(point);
    common.second.push_back(*other);
  }
  return common;
}

bool told_apart(const Point& first, const Point& second) {
  if (!first.ci95 || !second.ci95) return false;
  return first.ci95->second < second.ci95->first || second.ci95->second < first.ci95->first;
}

}  // namespace arb
