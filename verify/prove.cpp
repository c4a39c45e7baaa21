#include "verify/prove.hpp"

#include <algorithm>
#include <utility>

#include "verify/prove_findings.hpp"
#include "verify/prove_graph.hpp"
#include "verify/prove_values.hpp"

namespace arb {
namespace {

void check_shape(const Schedule& schedule, Collective collective, int root, int slots,
                 FindingList& findings) {
  const auto add = [&](const std::string& text) {
    findings.add("malformed", kNone, kNone, kNone, text);
  };
  const std::string ranks = std::to_string(schedule.ranks) + " ranks";
  if (schedule.ranks < 1 || static_cast<size_t>(schedule.ranks) != schedule.lanes.size()) {
    add("has " + ranks + " but programs for " + std::to_string(schedule.lanes.size()));
  }
  if (schedule.chunks < 1) add("has no chunks");
  if (blocked(collective) && schedule.chunks != schedule.ranks) {
    add("has " + std::to_string(schedule.chunks) + " chunks, but in " +
        std::string(name(collective)) + " each of its " + ranks + " owns one");
  }
  if (has_root(collective) && (root < 0 || root >= schedule.ranks)) {
    add("has " + ranks + ", but the root is rank " + std::to_string(root));
  }
  if (slots < 1) add("cannot run with FIFOs of " + std::to_string(slots) + " slots");
}

Facts collect_facts(const StepGraph& graph, const Schedule& schedule,
                    const std::vector<bool>& completes, const std::vector<bool>& direct) {
  Facts facts(static_cast<size_t>(schedule.ranks));
  for (const auto& lane : graph.lanes()) {
    auto& steps = facts[static_cast<size_t>(lane.rank)].emplace_back();
    for (int node = lane.begin; node < lane.end; ++node) {
      steps.push_back({completes[static_cast<size_t>(node)], direct[static_cast<size_t>(node)]});
    }
  }
  return facts;
}

}  // namespace

int64_t Proof::max_sent_chunks() const {
  int64_t most = 0;
  for (const RankTraffic& rank : traffic) most = std::max(most, rank.sent_chunks);
  return most;
}

int64_t Proof::max_received_chunks() const {
  int64_t most = 0;
  for (const RankTraffic& rank : traffic) most = std::max(most, rank.received_chunks);
  return most;
}

double Proof::traffic_factor() const {
  return static_cast<double>(std::max(max_sent_chunks(), max_received_chunks())) /
         static_cast<double>(chunks);
}

Proof prove(const Schedule& schedule, Collective collective, int root, int slots, bool in_place) {
  Proof proof;
  proof.chunks = schedule.chunks;
  FindingList findings(schedule, proof.findings);
  check_shape(schedule, collective, root, slots, findings);
  if (!findings.empty()) return proof;
  check_steps(schedule, collective, root, findings);
  if (!findings.empty()) return proof;
  StepGraph graph(schedule, slots, findings);
  if (!findings.empty() || !graph.sort(findings)) return proof;

  const auto direct = check_memory(graph, schedule, in_place, findings);
  Values values = execute(graph, schedule, collective, in_place, findings);
  proof.traffic = std::move(values.traffic);
  proof.latency_steps = values.latency_steps;
  if (!findings.empty()) return proof;
  proof.order.result = check_results(graph, schedule, collective, root, values, findings);
  if (!findings.empty()) return proof;
  proof.order.arena = values.expressions.take();
  proof.facts = collect_facts(graph, schedule, values.completes, direct);
  return proof;
}

}  // namespace arb
