#include "bench/accept/legs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "bench/config.hpp"
#include "bench/job.hpp"
#include "bench/known_algorithms.hpp"
#include "collectives/error.hpp"

namespace arb {
namespace {

constexpr double kSweepSeconds = 45;  // of a sweep without a time cap
constexpr double kLeastLimit = 300;   // of a group, before it counts as a hang
constexpr double kOutsideCases = 2;   // seconds: to form groups, to check
constexpr double kLimitByExpected = 10;

/// That a group takes to measure.
double expected_seconds(const Options& options, const std::string& backend) {
  if (!options.case_seconds) return kSweepSeconds;
  const size_t algorithms = options.algorithms.empty()
                                ? names_for(known_algorithms(), options.collective, backend).size()
                                : options.algorithms.size();
  return kOutsideCases + *options.case_seconds * static_cast<double>(options.sizes.size()) *
                             static_cast<double>(algorithms);
}

void require_stages(const Profile& profile, const Options& options) {
  std::vector<std::string> there;
  for (const StagePlan& plan : profile.stages) there.emplace_back(name(plan.stage));
  for (const std::string& wanted : options.accept.stages) {
    if (std::find(there.begin(), there.end(), wanted) != there.end()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--stages {}: profile {} has no such stage; it has: {}", wanted,
                            profile.name, fmt::join(there, ", ")));
  }
}

bool wanted(const StagePlan& plan, const Options& options) {
  const std::vector<std::string>& stages = options.accept.stages;
  return stages.empty() ||
         std::find(stages.begin(), stages.end(), name(plan.stage)) != stages.end();
}

Leg leg_of(const StagePlan& plan, const Profile& profile, const Options& options,
           const World* world) {
  Leg leg;
  leg.stage = plan.stage;
  leg.rounds = plan.rounds;
  ConfigOptions pairs = plan.options;
  if (profile.backend != "auto") pairs.emplace_back("backend", profile.backend);
  const std::string source =
      fmt::format("--profile {}: stages.{}", options.accept.profile, name(plan.stage));
  leg.task.options = options_from(pairs, source, known_algorithms());
  leg.task.options.progress = false;
  leg.task.backend = settled_backend(leg.task.options, world);
  leg.task.wants_copy_limit = plan.stage == Stage::kAlone;
  leg.round_seconds = expected_seconds(leg.task.options, leg.task.backend);
  leg.task.limit_seconds = kLeastLimit + kLimitByExpected * leg.round_seconds;
  if (!options.inject.empty()) leg.task.fault = parse_fault(options.inject);
  if (plan.stage == Stage::kSoak) {
    leg.soak_seconds = 60 * options.accept.minutes.value_or(plan.minutes);
  }
  return leg;
}

}  // namespace

std::vector<Leg> legs_of(const Profile& profile, const Options& options, const World* world) {
  require_stages(profile, options);
  std::vector<Leg> legs;
  for (const StagePlan& plan : profile.stages) {
    if (wanted(plan, options)) legs.push_back(leg_of(plan, profile, options, world));
  }
  const bool soaks = std::any_of(legs.begin(), legs.end(),
                                 [](const Leg& leg) { return leg.stage == Stage::kSoak; });
  if (options.accept.minutes && !soaks) {
    throw Error(ErrorKind::kUsage,
                "--minutes: nothing is to be soaked; choose a profile and stages with a soak");
  }
  return legs;
}

}  // namespace arb
