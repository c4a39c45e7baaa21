#include "reports/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace arb {

namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  // cost[i][j]: edits from the first i letters of a to the first j letters of b.
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices) {
  std::optional<std::string> best;
  size_t best_distance = 0;
  for (const std::string& choice : choices) {
    const size_t distance = edit_distance(word, choice);
    if (!best || distance < best_distance) {
      best = choice;
      best_distance = distance;
    }
  }
  // A third of the letters may differ (dashes in front do not count); beyond that the guess would
  // only distract.
  const auto letters = [](std::string_view text) {
    return text.size() - std::min(text.find_first_not_of('-'), text.size());
  };
  if (!best) return std::nullopt;
  const size_t longest = std::max(letters(word), letters(*best));
  return best_distance > std::max<size_t>(1, longest / 3) ? std::nullopt : best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> choices) {
  const auto guess = nearest(word, choices);
  return guess ? "; did you mean '" + *guess + "'?" : "";
}

}  // namespace arb
