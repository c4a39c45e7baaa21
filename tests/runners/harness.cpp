#include "tests/runners/harness.hpp"

#include <map>
#include <stdexcept>
#include <tuple>

namespace arb {

Team& shared_team() {
  static Team team(2, {});
  return team;
}

Prepared make(const std::string& algorithm, const Shape& shape, bool in_place,
              const SlotConfig& config) {
  Prepared prepared;
  prepared.algorithm = algorithm;
  if (const NativeAlgorithm* native = find_native(shape.collective, algorithm)) {
    prepared.kind = "native";
    prepared.operation =
        native->prepare(shape, in_place, {config.stream}, host_locality(shape.ranks));
    return prepared;
  }
  using Key = std::tuple<Collective, std::string, int, int, int, bool>;
  static std::map<Key, std::pair<Schedule, Proof>> proved;
  const Key key{shape.collective, algorithm, shape.ranks, shape.root, config.slots, in_place};
  auto found = proved.find(key);
  if (found == proved.end()) {
    Schedule schedule = find_algorithm(shape.collective, algorithm)->build(shape.ranks, shape.root);
    Proof proof = prove(schedule, shape.collective, shape.root, config.slots, in_place);
    if (!proof.ok()) throw std::runtime_error(proof.findings.front().message);
    found = proved.emplace(key, std::pair(std::move(schedule), std::move(proof))).first;
  }
  const auto& [schedule, proof] = found->second;
  prepared.kind = "scheduled";
  prepared.operation = std::make_unique<ScheduledOperation>(
      schedule, proof.facts, proof.order, shape, config, host_locality(shape.ranks));
  return prepared;
}

std::string identifier(const Named& named) {
  std::string text = std::string(name(named.collective)) + "_" + named.algorithm;
  for (char& c : text) {
    if (c == '-') c = '_';
  }
  return text;
}

void PrintTo(const Named& named, std::ostream* out) { *out << identifier(named); }

std::vector<Named> every_algorithm() {
  std::vector<Named> all;
  for (const Algorithm& row : algorithms()) all.push_back({row.collective, std::string(row.name)});
  for (const NativeAlgorithm& row : natives())
    all.push_back({row.collective, std::string(row.name)});
  return all;
}

Ran run_checked(Team& team, const Prepared& prepared, const Shape& shape, bool in_place,
                int unalign, int times) {
  Ran ran;
  ran.context = std::string(name(shape.collective)) + " " + prepared.algorithm + ", " +
                std::to_string(shape.ranks) + " ranks, " + std::to_string(shape.count) + " " +
                std::string(name(shape.dtype)) + " " + std::string(name(shape.op)) +
                (in_place ? ", in place" : "");
  const CaseBuffers buffers(shape, {in_place, unalign, 0});
  for (int t = 0; t < times; ++t) {
    const DataKind kind = t % 2 == 0 ? DataKind::kExact : DataKind::kRandom;
    const CheckRequest request{shape, in_place, kind, 7919u + static_cast<unsigned>(t), true, {}};
    CheckedRun checked(request, prepared, buffers, 0, team);
    Execution execution{prepared.operation.get(), buffers.set(0), shape.ranks, 1, t};
    checked.attach(execution);
    team.run({&execution, 1});
    ran.verdict.merge(checked.verdict());
  }
  if (!ran.verdict.ok()) {
    ran.context += ": " + std::to_string(ran.verdict.wrong) + " wrong, " + ran.verdict.check +
                   ", rank " + std::to_string(ran.verdict.rank) + ", index " +
                   std::to_string(ran.verdict.index) + ", wanted " + ran.verdict.wanted + ", got " +
                   ran.verdict.got;
  }
  return ran;
}

}  // namespace arb
