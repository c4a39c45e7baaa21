#include "verify/prove_reach.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace arb {

void Reach::answer() {
  answers_.assign(questions_.size(), false);
  if (questions_.empty()) return;
  std::vector<int> sorted(questions_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto source = [this](int q) {
    return graph_.position(questions_[static_cast<size_t>(q)].from);
  };
  const auto target = [this](int q) {
    return graph_.position(questions_[static_cast<size_t>(q)].to);
  };
  std::sort(sorted.begin(), sorted.end(), [&](int a, int b) { return source(a) < source(b); });

  // By position, so that a pass walks memory forwards.
  const auto order = graph_.order();
  std::vector<std::array<int, 4>> before(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    before[i] = graph_.before(order[i]);
    for (int& node : before[i]) node = node == kNone ? kNone : graph_.position(node);
  }
  std::vector<uint64_t> reached(order.size(),
                                0);  // bit b: source b of the batch ends before or is it
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin;
    int sources = 0;
    const int first = source(sorted[begin]);
    int last = first;
    for (int previous = kNone; end < sorted.size(); ++end) {
      if (source(sorted[end]) != previous && ++sources > 64) break;
      previous = source(sorted[end]);
      last = std::max(last, target(sorted[end]));
    }
    size_t next = begin;
    int bit = -1;
    for (int at = first; at <= last; ++at) {
      uint64_t word = 0;
      for (const int node : before[static_cast<size_t>(at)]) {
        if (node >= first) word |= reached[static_cast<size_t>(node)];
      }
      if (next < end && source(sorted[next]) == at) {
        word |= uint64_t{1} << ++bit;
        while (next < end && source(sorted[next]) == at) ++next;
      }
      reached[static_cast<size_t>(at)] = word;
    }
    bit = -1;
    for (int previous = kNone; begin < end; ++begin) {
      const int question = sorted[begin];
      if (source(question) != previous) ++bit;
      previous = source(question);
      const bool later = target(question) > previous;
      answers_[static_cast<size_t>(question)] =
          later && (reached[static_cast<size_t>(target(question))] >> bit & 1) != 0;
    }
  }
}

}  // namespace arb
