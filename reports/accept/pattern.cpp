#include "reports/accept/pattern.hpp"

#include <algorithm>
#include <numeric>

#include "reports/accept/robust.hpp"

namespace arb {
namespace {

constexpr double kUnitCost = 1.5;  // in bad links: two bad pairs of a unit are rather the unit

struct Search {
  std::span<const Edge> edges;
  double factor;
  std::optional<double> fixed;
  std::vector<std::vector<size_t>> of;  // [unit]: its edges
  std::vector<double> score;            // [unit]: value that nearly all of its pairs reach
  std::vector<int> order;               // units with pairs, worst first

  Search(std::span<const Edge> all, int units, double allowed, std::optional<double> reference)
      : edges(all), factor(allowed), fixed(reference) {
    of.resize(static_cast<size_t>(units));
    score.resize(of.size());
    for (size_t e = 0; e < edges.size(); ++e) {
      for (const int unit : {edges[e].a, edges[e].b}) of[static_cast<size_t>(unit)].push_back(e);
    }
    for (int unit = 0; unit < units; ++unit) {
      const auto& own = of[static_cast<size_t>(unit)];
      if (own.empty()) continue;
      std::vector<double> values;
      for (const size_t e : own) values.push_back(edges[e].value);
      score[static_cast<size_t>(unit)] = smallest(values, values.size() / 5);
      order.push_back(unit);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return score[static_cast<size_t>(a)] > score[static_cast<size_t>(b)];
    });
  }

  /// What healthy pairs show at the very least: the fast tenth of all.
  double floor() const {
    if (fixed) return *fixed;
    std::vector<double> values;
    for (const Edge& edge : edges) values.push_back(edge.value);
    return smallest(values, (values.size() - 1) / 10);
  }

  bool guilty(int unit, const Pattern& pattern, const std::vector<bool>& blamed) const {
    size_t bad = 0;
    size_t bad_with_good = 0;
    const auto& own = of[static_cast<size_t>(unit)];
    for (const size_t e : own) {
      if (!pattern.bad[e]) continue;
      ++bad;
      const int other = edges[e].a == unit ? edges[e].b : edges[e].a;
      if (!blamed[static_cast<size_t>(other)]) ++bad_with_good;
    }
    return bad >= 2 && bad_with_good >= 1 && nearly_all(bad, own.size());
  }

  /// The explanation that blames the worst `count` units; nullopt if they are not guilty.
  std::optional<Pattern> blaming(size_t count) const {
    std::vector<bool> blamed(of.size());
    for (size_t i = 0; i < count; ++i) blamed[static_cast<size_t>(order[i])] = true;
    const auto healthy = [&](const Edge& edge) {
      return !blamed[static_cast<size_t>(edge.a)] && !blamed[static_cast<size_t>(edge.b)];
    };
    std::vector<double> core;
    for (const Edge& edge : edges) {
      if (healthy(edge)) core.push_back(edge.value);
    }
    if (core.empty()) return std::nullopt;
    Pattern pattern;
    pattern.reference = fixed ? *fixed : lower_median(core);
    for (const Edge& edge : edges) {
      pattern.bad.push_back(edge.value > factor * pattern.reference);
      if (pattern.bad.back() && healthy(edge)) pattern.links.emplace_back(edge.a, edge.b);
    }
    pattern.units.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    for (const int unit : pattern.units) {
      if (!guilty(unit, pattern, blamed)) return std::nullopt;
    }
    const size_t bad = pattern.links.size();
    pattern.explained = bad * 4 <= core.size() || (bad == 1 && core.size() >= 3);
    return pattern;
  }
};

double cost(const Pattern& pattern) {
  return kUnitCost * static_cast<double>(pattern.units.size()) +
         static_cast<double>(pattern.links.size());
}

}  // namespace

Pattern explain(std::span<const Edge> edges, int units, double factor,
                std::optional<double> reference) {
  if (edges.empty()) return {};
  const Search search(edges, units, factor, reference);
  std::optional<Pattern> best;
  const double suspicious = factor * search.floor();
  for (size_t count = 1; count * 2 < search.order.size(); ++count) {
    if (search.score[static_cast<size_t>(search.order[count - 1])] <= suspicious) break;
    const auto pattern = search.blaming(count);
    if (!pattern || !pattern->explained) continue;
    if (!best || cost(*pattern) < cost(*best)) best = pattern;
  }
  if (!best) best = search.blaming(0);
  if (!best->explained) best->links.clear();
  std::sort(best->units.begin(), best->units.end());
  return *best;
}

}  // namespace arb
