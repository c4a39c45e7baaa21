#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/accept/field.hpp"
#include "bench/set_up.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

/// What a process says after a round: of its group, if it leads one, else only whether it was told
/// to end.
std::string to_text(const GroupResult* result, bool interrupted) {
  nlohmann::json said = {{"interrupted", interrupted}};
  if (result != nullptr) {
    Report report;
    report.records = result->records;
    said["report"] = write_json(report);
    said["seconds"] = result->seconds;
    said["error"] = result->error;
    if (result->copy_limit_gbps) said["copy_limit_gbps"] = *result->copy_limit_gbps;
  }
  return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void from_text(const nlohmann::json& said, GroupResult& result) {
  result.records = read_json(said.at("report").get<std::string>()).records;
  result.seconds = said.at("seconds");
  result.error = said.at("error");
  if (said.contains("copy_limit_gbps")) result.copy_limit_gbps = said.at("copy_limit_gbps");
}

class NodesField final : public Field {
 public:
  NodesField(const World* world, const GroupTask& task, const System& system,
             const std::atomic<bool>& interrupted)
      : world_(world), system_(system), signal_(interrupted) {
    // Of GPUs a process may have several, each with ranks of its own.
    const auto platform =
        make_platform(task.backend, world, task.options, system, control_of({}, interrupted));
    const int ranks = platform->rank_counts().back();
    std::map<std::string, int> seen;
    for (const Node& node : platform->nodes(ranks)) {
      Unit unit{node.host.empty() ? system.host : node.host, node.ranks};
      for (int r = 0; world == nullptr && r < ranks; ++r) unit.ranks.push_back(r);
      const int same = seen[unit.name]++;
      if (same > 0) unit.name += fmt::format("#{}", same + 1);
      units_.push_back(std::move(unit));
    }
    if (world == nullptr) return;
    for (const Node& node : world->nodes(world->size())) processes_.push_back(node.ranks);
  }

  bool leads() const override { return world_ == nullptr || world_->rank() == 0; }
  std::string noun() const override { return "node"; }
  std::vector<Unit> units() const override { return units_; }
  std::string follow(const std::string& of_leader) override {
    return world_ != nullptr ? world_->broadcast(of_leader) : of_leader;
  }
  bool interrupted() const override { return interrupted_; }

  std::vector<GroupResult> measure(const Round& round, const GroupTask& task) override {
    const Seat seat = seat_of(round);
    std::optional<GroupResult> own;
    bool cut = signal_;
    if (world_ == nullptr) {
      own = measure_own(round, seat, nullptr, task, cut);
      interrupted_ = cut;
      return {*own};
    }
    rest(round, task);
    {
      const std::unique_ptr<World> part = world_->split(seat.group, seat.place);
      if (part != nullptr) {
        own = measure_own(round, seat, part.get(), task, cut);
        if (part->rank() != 0) own.reset();
      }
    }
    rest(round, task);
    world_->meet();
    return collect(round, world_->exchange(to_text(own ? &*own : nullptr, cut)));
  }

 private:
  /// Of this process in a round.
  struct Seat {
    int group = kNone, place = 0;
  };

  Seat seat_of(const Round& round) const {
    if (world_ == nullptr) return {0, 0};
    for (size_t g = 0; g < round.groups.size(); ++g) {
      int place = 0;
      for (const int unit : round.groups[g]) {
        for (const int process : processes_[static_cast<size_t>(unit)]) {
          if (process == world_->rank()) return {static_cast<int>(g), place};
          ++place;
        }
      }
    }
    return {};
  }

  /// What this process does if the time limit comes now.
  void rest(const Round& round, const GroupTask& task) const {
    if (task.program == nullptr) return;
    task.program->ask(
        [text = fmt::format("rank {}: waits for the other groups of {}, round {}", world_->rank(),
                            name(round.stage), round.number + 1)] { return text; });
  }

  GroupResult measure_own(const Round& round, const Seat& seat, const World* part,
                          const GroupTask& task, bool& cut) {
    const std::vector<int>& group = round.groups[static_cast<size_t>(seat.group)];
    GroupResult result;
    const auto begin = Clock::now();
    try {
      Watchdog watchdog(task.limit_seconds, world_ != nullptr ? world_->rank() : 0);
      GroupOutcome outcome =
          measure_group(task, part, system_, ranks_of(group, units_), signal_, &watchdog);
      result.records = std::move(outcome.records);
      result.copy_limit_gbps = outcome.copy_limit_gbps;
      result.error = outcome.error;
      cut = cut || outcome.interrupted;
    } catch (const Error& error) {
      throw Error(error.kind(), in_group(round, group, units_) + error.what());
    }
    result.stage = round.stage;
    result.round = round.number;
    result.units = group;
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return result;
  }

  std::vector<GroupResult> collect(const Round& round, const std::vector<std::string>& said) {
    interrupted_ = false;
    std::vector<GroupResult> results;
    std::map<size_t, nlohmann::json> by_group;
    for (size_t process = 0; process < said.size(); ++process) {
      nlohmann::json words = nlohmann::json::parse(said[process]);
      interrupted_ = interrupted_ || words.at("interrupted").get<bool>();
      if (leads() && words.contains("report")) {
        by_group.emplace(group_of(round, static_cast<int>(process)), std::move(words));
      }
    }
    for (const auto& [group, words] : by_group) {
      GroupResult& result = results.emplace_back();
      result.stage = round.stage;
      result.round = round.number;
      result.units = round.groups[group];
      from_text(words, result);
    }
    return results;
  }

  size_t group_of(const Round& round, int process) const {
    for (size_t g = 0; g < round.groups.size(); ++g) {
      for (const int unit : round.groups[g]) {
        const std::vector<int>& own = processes_[static_cast<size_t>(unit)];
        if (std::find(own.begin(), own.end(), process) != own.end()) return g;
      }
    }
    return round.groups.size();
  }

  const World* world_;
  const System& system_;
  const std::atomic<bool>& signal_;
  std::vector<Unit> units_;
  std::vector<std::vector<int>> processes_;  // [unit]
  bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<Field> field_of_nodes(const World* world, const GroupTask& task,
                                      const System& system, const std::atomic<bool>& interrupted) {
  return std::make_unique<NodesField>(world, task, system, interrupted);
}

}  // namespace arb
