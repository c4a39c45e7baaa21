#include "bench/accept/accept_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/accept/course.hpp"
#include "bench/accept/legs.hpp"
#include "bench/accept/profile_file.hpp"
#include "bench/build_info.hpp"
#include "bench/gate_files.hpp"
#include "bench/progress.hpp"
#include "bench/set_up.hpp"
#include "bench/standard_output.hpp"
#include "bench/system.hpp"
#include "collectives/error.hpp"
#include "reports/accept/judge.hpp"

namespace arb {
namespace {

constexpr int kInterrupted = 130;

Profile read(const ProfileText& file) {
  try {
    return read_profile(file.text);
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::kUsage, fmt::format("--profile {}: {}", file.path, error.what()));
  }
}

/// Only the first process needs to see the file.
ProfileText share(const std::string& wanted, const World* world) {
  if (wanted.empty()) {
    throw Error(ErrorKind::kUsage,
                "accept: --profile is missing: it says what a healthy machine shows; start with "
                "--profile laptop, or under mpirun with --profile cpu-cluster-tcp");
  }
  if (world == nullptr) return find_profile(wanted);
  nlohmann::json said;
  if (world->rank() == 0) {
    try {
      const ProfileText found = find_profile(wanted);
      said = {{"path", found.path}, {"text", found.text}};
    } catch (const Error& error) {
      said = {{"error", error.what()}};
    }
  }
  said = nlohmann::json::parse(world->broadcast(said.dump()));
  if (said.contains("error")) throw Error(ErrorKind::kUsage, said.at("error"));
  return {said.at("path"), said.at("text")};
}

std::unique_ptr<Field> make_field(const World* world, const Leg& leg, const System& system,
                                  const std::atomic<bool>& interrupted) {
  if (leg.task.backend == "host") return field_of_cores(system, interrupted);
  return field_of_nodes(world, leg.task, system, interrupted);
}

/// The leader's: what it says on the way, and the verdicts.
class Desk {
 public:
  Desk(const Options& options, const std::vector<std::string>& command, const Profile& profile)
      : options_(options),
        command_(command),
        profile_(profile),
        files_(options.gate),
        started_(utc_now()),
        screen_(stderr_screen(options.progress)),
        progress_(screen_, 1) {}

  CourseEvents events(Fleet& fleet) {
    CourseEvents events;
    events.begin = [this, &fleet](const Leg& leg, size_t rounds, size_t groups) {
      begin(leg, rounds, groups, fleet);
    };
    events.before_round = [this](const Round& round, double done, double total) {
      progress_.update(done / total,
                       fmt::format("{}, round {}", name(round.stage), round.number + 1));
    };
    events.end = [this, &fleet] { keep(fleet); };
    events.suspects = [this](Stage stage, const Fleet& so_far) {
      return suspicious(stage, so_far);
    };
    return events;
  }

  /// What there is so far, after an error too. As long as nothing can be judged, the files wait.
  void keep(const Fleet& fleet) const {
    try {
      files_.write_so_far(gate(fleet));
    } catch (const std::invalid_argument&) {
      return;
    }
  }

  int finish(const Fleet& fleet) {
    progress_.clear();
    try {
      const Gate judged = gate(fleet);
      const int code = deliver(judged, files_, options_.gate.format);
      return fleet.complete ? code : kInterrupted;
    } catch (const std::invalid_argument& error) {
      if (!fleet.complete) return kInterrupted;  // before there was anything to judge
      throw Error(ErrorKind::kUsage, fmt::format("--profile {}: {}", profile_.name, error.what()));
    }
  }

 private:
  std::vector<std::vector<int>> suspicious(Stage stage, const Fleet& fleet) const {
    std::vector<std::vector<int>> groups;
    if (stage == Stage::kAlone) {
      for (const int unit : suspects_alone(fleet, profile_)) groups.push_back({unit});
    } else if (stage == Stage::kPairs) {
      for (const auto& [a, b] : suspects(fleet, profile_)) groups.push_back({a, b});
    }
    return groups;
  }

  Gate gate(const Fleet& fleet) const {
    Gate judged = judge(fleet, profile_);
    judged.version = build_info().version;
    judged.started = started_;
    judged.command = command_;
    judged.complete = fleet.complete;
    judged.unsure_fails = options_.gate.rules.unsure_fails;
    return judged;
  }

  void begin(const Leg& leg, size_t rounds, size_t groups, const Fleet& fleet) {
    if (screen_.on) return;  // the bar tells
    const char* const many = fleet.units.size() == 1 ? "" : "s";
    const std::string those = fmt::format("{} {}{}", fleet.units.size(), fleet.noun, many);
    std::string what = fmt::format("skipped: {} {} too few", those, *many == '\0' ? "is" : "are");
    if (rounds > 0 && leg.soak_seconds > 0) {
      what = fmt::format("{} for {}", those, format_duration(leg.soak_seconds));
    } else if (rounds > 0) {
      what = fmt::format("{} in {} round{}", those, rounds, rounds == 1 ? "" : "s");
      if (groups > 1 && leg.stage != Stage::kAlone) what += fmt::format(", {} at once", groups);
    }
    fmt::print(stderr, "allreduce-bench: {}: {}\n", name(leg.stage), what);
  }

  const Options& options_;
  const std::vector<std::string>& command_;
  const Profile& profile_;
  GateFiles files_;
  std::string started_;
  Progress::Screen screen_;
  Progress progress_;
};

}  // namespace

int run_accept(const Options& options, const std::vector<std::string>& command,
               const std::atomic<bool>& interrupted, const World* world, Watchdog* watchdog) {
  const Profile profile = read(share(options.accept.profile, world));
  std::vector<Leg> legs = legs_of(profile, options, world);
  System system = read_system();
  if (world != nullptr) share_caches(system, *world);
  for (Leg& leg : legs) {
    leg.task.program = watchdog;
    leg.task.program_seconds = options.timeout_seconds.value_or(0);
  }
  const std::unique_ptr<Field> field = make_field(world, legs.front(), system, interrupted);
  Fleet fleet;
  for (const StagePlan& plan : profile.stages) {
    const bool asked = std::any_of(legs.begin(), legs.end(),
                                   [&](const Leg& leg) { return leg.stage == plan.stage; });
    if (!asked) fleet.unasked.push_back(plan.stage);
  }
  std::optional<Desk> desk;
  if (field->leads()) desk.emplace(options, command, profile);
  try {
    run_course(*field, legs, desk ? desk->events(fleet) : CourseEvents{}, fleet);
  } catch (const Error&) {
    if (desk) desk->keep(fleet);
    throw;
  }
  return std::stoi(field->follow(desk ? std::to_string(desk->finish(fleet)) : ""));
}

}  // namespace arb
