#include "reports/accept/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "reports/accept/profile_rules.hpp"
#include "reports/json_node.hpp"
#include "reports/size_text.hpp"
#include "reports/suggest.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

using Node = JsonNode;
using Names = std::vector<std::string>;

constexpr Stage kStages[] = {Stage::kAlone, Stage::kPairs, Stage::kGroups, Stage::kAll,
                             Stage::kSoak};

Names stage_names() {
  Names all;
  for (const Stage stage : kStages) all.emplace_back(name(stage));
  return all;
}

[[noreturn]] void refuse_choice(const Node& node, std::string_view what, const std::string& word,
                                const Names& choices) {
  node.fail(fmt::format("unknown {} '{}'{}; there are: {}", what, word, did_you_mean(word, choices),
                        fmt::join(choices, ", ")));
}

void expect_keys(const Node& node, const Names& known) {
  node.expect(node.json.is_object(), "an object");
  for (const auto& [key, ignored] : node.json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse_choice(node, "field", key, known);
    }
  }
}

std::string read_text(const Node& node) {
  node.expect(node.json.is_string(), "a text");
  auto text = node.json.get<std::string>();
  if (text.empty()) node.fail("must not be empty");
  return text;
}

double read_number(const Node& node) {
  node.expect(node.json.is_number(), "a number");
  return node.json.get<double>();
}

int64_t read_count(const Node& node, int64_t least) {
  const bool whole = node.json.is_number_integer() &&
                     (!node.json.is_number_unsigned() ||
                      node.json.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()});
  node.expect(whole, "a whole number");
  const auto count = node.json.get<int64_t>();
  if (count < least) node.fail(fmt::format("{}: it must be at least {}", count, least));
  return count;
}

int64_t read_bytes(const Node& node) {
  if (!node.json.is_string()) {
    node.expect(node.json.is_number_integer(), "a size like \"64KB\", or a number of bytes");
    return read_count(node, 0);
  }
  const auto text = node.json.get<std::string>();
  try {
    return parse_size(text);
  } catch (const std::invalid_argument& error) {
    node.fail(fmt::format("'{}': {}", text, error.what()));
  }
}

/// The number of an object's field, if it has one, within (low, high).
std::optional<double> read_within(const Node& node, const std::string& field, double low,
                                  double high, const char* what) {
  if (!node.json.contains(field)) return std::nullopt;
  const Node at = node.field(field);
  const double value = read_number(at);
  if (!(value > low && value < high)) at.fail(fmt::format("{}: {}", shortest(value), what));
  return value;
}

constexpr double kAny = std::numeric_limits<double>::max();

std::optional<double> read_positive(const Node& node, const std::string& field) {
  return read_within(node, field, 0, kAny, "it must be above 0; leave it out to demand nothing");
}

std::optional<double> read_share(const Node& node, const std::string& field) {
  return read_within(node, field, 0, 1, "a share lies above 0 and below 1, like 0.8");
}

Stage read_stage(const Node& node) {
  const std::string word = read_text(node);
  for (const Stage stage : kStages) {
    if (word == name(stage)) return stage;
  }
  refuse_choice(node, "stage", word, stage_names());
}

std::string read_option(const Node& node) {
  if (node.json.is_number()) return node.json.dump();
  node.expect(node.json.is_string(), "a text or a number, as on the command line");
  return read_text(node);
}

StagePlan read_plan(const Node& node, Stage stage) {
  StagePlan plan{stage, {}, 0, 0};
  Names known(profile_options().begin(), profile_options().end());
  if (stage == Stage::kPairs) known.insert(known.begin(), "rounds");
  if (stage == Stage::kSoak) known.insert(known.begin(), "minutes");
  expect_keys(node, known);
  for (const auto& [key, ignored] : node.json.items()) {
    if (key == "rounds" || key == "minutes") continue;
    plan.options.emplace_back(key, read_option(node.field(key)));
  }
  if (node.json.contains("rounds")) plan.rounds = read_count(node.field("rounds"), 1);
  if (stage == Stage::kSoak) {
    const Node minutes = node.field("minutes");
    plan.minutes = read_number(minutes);
    constexpr double kWeek = 7 * 24 * 60;
    if (!(plan.minutes > 0 && plan.minutes <= kWeek)) {
      minutes.fail(fmt::format("{}: it must be above 0 and at most {} (a week)",
                               shortest(plan.minutes), kWeek));
    }
  }
  return plan;
}

Limit read_limit(const Node& node) {
  static const Names kKnown = {"stage",
                               "algorithm",
                               "ranks",
                               "min_bytes",
                               "max_bytes",
                               "min_busbw_gbps",
                               "max_time_us",
                               "max_time_s",
                               "min_busbw_of_limit",
                               "min_busbw_of_fleet",
                               "max_time_of_fleet",
                               "source"};
  expect_keys(node, kKnown);
  Limit limit;
  if (node.json.contains("stage")) limit.stage = read_stage(node.field("stage"));
  if (node.json.contains("algorithm")) limit.algorithm = read_text(node.field("algorithm"));
  if (node.json.contains("ranks")) limit.ranks = read_count(node.field("ranks"), 2);
  if (node.json.contains("min_bytes")) limit.min_bytes = read_bytes(node.field("min_bytes"));
  if (node.json.contains("max_bytes")) limit.max_bytes = read_bytes(node.field("max_bytes"));
  if (node.json.contains("source")) limit.source = read_text(node.field("source"));
  limit.min_busbw_gbps = read_positive(node, "min_busbw_gbps");
  limit.min_busbw_of_limit = read_share(node, "min_busbw_of_limit");
  limit.min_busbw_of_fleet = read_share(node, "min_busbw_of_fleet");
  limit.max_time_of_fleet = read_within(
      node, "max_time_of_fleet", 1, kAny,
      "the slower half of a healthy fleet is slower than its median; give a ratio above 1, like "
      "1.3");
  limit.max_time_s = read_positive(node, "max_time_s");
  if (const auto microseconds = read_positive(node, "max_time_us")) {
    if (limit.max_time_s) node.fail("max_time_us and max_time_s say the same; keep one");
    limit.max_time_s = *microseconds * 1e-6;
  }
  return limit;
}

}  // namespace

std::span<const std::string> profile_options() {
  static const Names kOptions = {
      "algorithms", "cache",    "check",         "collective", "dtype",  "gpus",
      "iterations", "launch",   "max-time",      "op",         "path",   "place",
      "precision",  "protocol", "ranks-per-gpu", "root",       "seed",   "sizes",
      "slot-bytes", "slots",    "unalign",       "warmup",     "workers"};
  return kOptions;
}

Profile read_profile(std::string_view json) {
  const nlohmann::json document = parse_strictly(json, "profile");
  const Node node{document, "", "profile"};
  expect_keys(node,
              {"profile_version", "name", "description", "source", "backend", "stages", "limits",
               "min_copy_of_fleet", "max_straggler_share", "max_spread", "max_drift"});
  const Node version = node.field("profile_version");
  if (read_count(version, 0) != kProfileVersion) {
    version.fail(fmt::format("this profile has version {}, this program reads version {}",
                             version.json.get<int64_t>(), kProfileVersion));
  }
  Profile profile;
  profile.name = read_text(node.field("name"));
  profile.description = read_text(node.field("description"));
  profile.source = read_text(node.field("source"));
  if (node.json.contains("backend")) {
    static const Names kBackends = {"auto", "host", "mpi", "cuda"};
    const Node backend = node.field("backend");
    profile.backend = read_text(backend);
    if (std::find(kBackends.begin(), kBackends.end(), profile.backend) == kBackends.end()) {
      refuse_choice(backend, "backend", profile.backend, kBackends);
    }
  }
  const Node stages = node.field("stages");
  expect_keys(stages, stage_names());
  for (const Stage stage : kStages) {
    const std::string word(name(stage));
    if (!stages.json.contains(word)) continue;
    profile.stages.push_back(read_plan(stages.field(word), stage));
  }
  if (profile.stages.empty()) {
    stages.fail(
        fmt::format("nothing to measure; give at least one of {}", fmt::join(stage_names(), ", ")));
  }
  if (node.json.contains("limits")) {
    const Node limits = node.field("limits");
    limits.expect(limits.json.is_array(), "a list");
    for (size_t i = 0; i < limits.json.size(); ++i) {
      profile.limits.push_back(read_limit(limits.item(i)));
      if (const auto why = without_effect(profile.limits.back(), profile); !why.empty()) {
        limits.item(i).fail(why);
      }
    }
  }
  profile.min_copy_of_fleet = read_share(node, "min_copy_of_fleet");
  profile.max_straggler_share = read_share(node, "max_straggler_share");
  profile.max_spread = read_positive(node, "max_spread");
  profile.max_drift = read_positive(node, "max_drift");
  if (const auto why = without_effect(profile); !why.empty()) node.fail(why);
  return profile;
}

}  // namespace arb
