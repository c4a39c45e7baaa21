// Exactly once: the result of every chunk holds every contributor once, in the same order at all
// ranks.
#include <algorithm>
#include <string>
#include <utility>

#include "verify/prove_values.hpp"

namespace arb {
namespace {

std::string list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size() && i < 8; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > 8 ? text + ", ..." : text;
}

class ResultCheck {
 public:
  ResultCheck(const StepGraph& graph, const Values& values, FindingList& findings)
      : graph_(graph), values_(values), findings_(findings) {}

  /// From here on results must combine exactly these ranks, given in order.
  void expect(std::vector<int> expected) {
    if (expected == expected_) return;
    expected_ = std::move(expected);
    right_ = kNone;
    reported_.clear();
  }

  /// False: reported, unless the same expression was reported before.
  bool check(int id, int writer, int chunk) {
    if (is_right(id)) return true;
    if (std::find(reported_.begin(), reported_.end(), id) != reported_.end()) return false;
    reported_.push_back(id);
    const auto count = values_.expressions.contributions(id);
    std::vector<int> missing, doubled;
    for (int rank = 0; rank < static_cast<int>(count.size()); ++rank) {
      const bool wanted = std::binary_search(expected_.begin(), expected_.end(), rank);
      const int times = count[static_cast<size_t>(rank)];
      if (wanted && times == 0) missing.push_back(rank);
      if (times > (wanted ? 1 : 0)) doubled.push_back(rank);
    }
    const std::string where = " output[" + std::to_string(chunk) + "]";
    if (!doubled.empty()) {
      const int twice = values_.expressions.first_doubling(id, doubled.front());
      const bool known = twice != kNone && values_.expressions.maker(twice) != kNone;
      graph_.report(findings_, "doubled", known ? values_.expressions.maker(twice) : writer,
                    "adds the input of " + list(doubled) + " too often; " + graph_.where(writer) +
                        " stores the result in" + where);
    }
    if (!missing.empty()) {
      graph_.report(findings_, "missing", writer,
                    "leaves in" + where + " a result without the input of " + list(missing));
    }
    return false;
  }

 private:
  bool is_right(int id) {
    if (id == right_) return true;
    if (values_.expressions[id].leaves != static_cast<int>(expected_.size())) return false;
    const auto count = values_.expressions.contributions(id);
    const bool right = std::all_of(expected_.begin(), expected_.end(),
                                   [&](int rank) { return count[static_cast<size_t>(rank)] == 1; });
    if (right) right_ = id;
    return right;
  }

  const StepGraph& graph_;
  const Values& values_;
  FindingList& findings_;
  std::vector<int> expected_, reported_;
  int right_ = kNone;
};

}  // namespace

std::vector<int> check_results(const StepGraph& graph, const Schedule& schedule,
                               Collective collective, int root, const Values& values,
                               FindingList& findings) {
  std::vector<int> order(static_cast<size_t>(schedule.chunks), kNone);
  ResultCheck check(graph, values, findings);
  for (int chunk = 0; chunk < schedule.chunks && !findings.full(); ++chunk) {
    check.expect(contributors(collective, schedule.ranks, chunk, root));
    int& agreed = order[static_cast<size_t>(chunk)];
    int agreed_writer = kNone;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      if (!has_output(collective, rank, chunk, root)) continue;
      const size_t cell = static_cast<size_t>(rank) * static_cast<size_t>(schedule.chunks) +
                          static_cast<size_t>(chunk);
      const int id = values.output[cell];
      if (id == kNone) {
        const auto& lanes = schedule.lanes[static_cast<size_t>(rank)];
        const int last = lanes.empty() ? kNone : static_cast<int>(lanes[0].steps.size()) - 1;
        findings.add("missing", rank, 0, last,
                     "is the end of the rank's first lane, and nothing wrote output[" +
                         std::to_string(chunk) + "]");
        continue;
      }
      const int writer = values.writer[cell];
      if (!check.check(id, writer, chunk)) continue;
      if (agreed == kNone) {
        agreed = id;
        agreed_writer = writer;
      } else if (agreed != id) {
        graph.report(findings, "order", writer,
                     "reduces chunk " + std::to_string(chunk) + " in another order than " +
                         graph.where(agreed_writer) + ", so the ranks' results would differ");
      }
    }
  }
  return order;
}

}  // namespace arb
