#include "reports/compare/family.hpp"

#include <algorithm>
#include <numeric>

namespace arb {

std::vector<double> holm(const std::vector<double>& p, double level) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> levels(p.size());
  double step = level;
  bool finding = true;
  for (size_t k = 0; k < order.size(); ++k) {
    if (finding) step = level / static_cast<double>(order.size() - k);
    finding = finding && p[order[k]] <= step;
    levels[order[k]] = step;
  }
  return levels;
}

}  // namespace arb
