#include "reports/accept/profile.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bench/option_table.hpp"
#include "bench/sweep.hpp"
#include "reports/accept/profile_rules.hpp"

namespace arb {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> shipped() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(ARB_SOURCE_DIR "/configs/accept")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  return paths;
}

/// A small profile, changed.
template <typename Change>
std::string refusal(Change change) {
  Json profile = {{"profile_version", 1},
                  {"name", "small"},
                  {"description", "for a test"},
                  {"source", "nobody"},
                  {"stages",
                   {{"alone", {{"sizes", "1M"}}},
                    {"pairs", {{"rounds", 2}, {"sizes", "8,1M"}, {"algorithms", "ring"}}},
                    {"all", Json::object()}}},
                  {"limits", {{{"stage", "pairs"}, {"max_time_of_fleet", 1.3}}}}};
  EXPECT_NO_THROW(read_profile(profile.dump()));
  change(profile);
  try {
    read_profile(profile.dump());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

void expect_in(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
  }
}

TEST(ShippedProfiles, AreRead) {
  std::set<std::string> names;
  for (const fs::path& path : shipped()) {
    SCOPED_TRACE(path);
    const Profile profile = read_profile(text_of(path));
    EXPECT_EQ(profile.name, path.stem());
    EXPECT_FALSE(profile.source.empty());
    names.insert(profile.name);
    for (const Limit& limit : profile.limits) EXPECT_FALSE(limit.source.empty());
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"cpu-cluster-tcp", "dgx-a100", "dgx-h100", "h200", "laptop"}));
}

TEST(ShippedProfiles, MeasureASizeForEachLimit) {
  for (const fs::path& path : shipped()) {
    const Profile profile = read_profile(text_of(path));
    for (const Limit& limit : profile.limits) {
      SCOPED_TRACE(path.string() + ": " + describe(limit));
      bool found = false;
      for (const StagePlan& plan : profile.stages) {
        if (!holds_in(limit, plan.stage)) continue;
        for (const auto& [key, value] : plan.options) {
          if (key != "sizes") continue;
          for (const uint64_t bytes : read_sizes({Argument{"sizes", value}, {}, {}, {}, {}})) {
            const auto size = static_cast<int64_t>(bytes);
            found = found ||
                    (size >= limit.min_bytes && (!limit.max_bytes || size <= *limit.max_bytes));
          }
        }
      }
      EXPECT_TRUE(found);
    }
  }
}

TEST(ProfileOptions, AreOptionsOfRun) {
  for (const std::string& option : profile_options()) {
    bool found = false;
    for (const OptionRow& row : option_table()) {
      if ((row.verbs & kForRun) == 0 || row.value == nullptr) continue;
      for (const std::string& name : names_of(row)) found = found || name == "--" + option;
    }
    EXPECT_TRUE(found) << option;
  }
}

TEST(ProfileOptions, AreThoseOfTheSchema) {
  const Json schema = Json::parse(text_of(ARB_SOURCE_DIR "/configs/schema/profile.schema.json"));
  for (const auto& [stage, form] : schema["properties"]["stages"]["properties"].items()) {
    std::set<std::string> known(profile_options().begin(), profile_options().end());
    if (stage == "pairs") known.insert("rounds");
    if (stage == "soak") known.insert("minutes");
    std::set<std::string> written;
    for (const auto& [key, ignored] : form["properties"].items()) written.insert(key);
    EXPECT_EQ(written, known) << stage;
  }
}

TEST(ReadProfile, TakesTheNumbersAsTheyStand) {
  const Profile profile = read_profile(R"({
    "profile_version": 1, "name": "x", "description": "d", "source": "s", "backend": "mpi",
    "stages": {"pairs": {"sizes": "8,1M", "rounds": 3, "iterations": 20},
               "soak": {"minutes": 0.5}},
    "limits": [{"stage": "pairs", "algorithm": "ring", "ranks": 4, "min_bytes": "64KB",
                "max_bytes": 1048576, "min_busbw_gbps": 1.5, "max_time_us": 20, "source": "t"}],
    "max_drift": 0.1})");
  EXPECT_EQ(profile.backend, "mpi");
  ASSERT_EQ(profile.stages.size(), 2U);
  EXPECT_EQ(profile.stages[0].rounds, 3);
  EXPECT_EQ(profile.stages[0].options, (std::vector<std::pair<std::string, std::string>>{
                                           {"iterations", "20"}, {"sizes", "8,1M"}}));
  EXPECT_EQ(profile.stages[1].minutes, 0.5);
  ASSERT_EQ(profile.limits.size(), 1U);
  const Limit& limit = profile.limits[0];
  EXPECT_EQ(limit.min_bytes, 65536);
  EXPECT_EQ(limit.max_bytes, 1048576);
  EXPECT_EQ(limit.ranks, 4);
  EXPECT_DOUBLE_EQ(*limit.max_time_s, 20e-6);
  EXPECT_EQ(describe(limit), "pairs, ring, 4 ranks, 64 KiB to 1 MiB");
  EXPECT_EQ(profile.max_drift, 0.1);
}

TEST(ReadProfile, RefusesUnknownWordsWithTheNearest) {
  expect_in(refusal([](Json& p) { p["max_sprad"] = 1; }),
            {"profile: ", "'max_sprad'", "did you mean 'max_spread'?", "max_drift"});
  expect_in(refusal([](Json& p) { p["limits"][0]["min_busbw_gbs"] = 1; }),
            {"limits[0]: ", "did you mean 'min_busbw_gbps'?"});
  expect_in(refusal([](Json& p) { p["stages"]["pair"] = Json::object(); }),
            {"stages: ", "did you mean 'pairs'?"});
  expect_in(refusal([](Json& p) { p["stages"]["pairs"]["algoritms"] = "ring"; }),
            {"stages.pairs: ", "did you mean 'algorithms'?"});
  expect_in(refusal([](Json& p) { p["stages"]["all"]["rounds"] = 2; }), {"stages.all: ", "rounds"});
  expect_in(refusal([](Json& p) { p["limits"][0]["stage"] = "paris"; }),
            {"limits[0].stage: ", "did you mean 'pairs'?"});
  expect_in(refusal([](Json& p) { p["backend"] = "hots"; }), {"backend: ", "'host'?"});
}

TEST(ReadProfile, RefusesWhatMakesNoSense) {
  const auto limit = [](const char* field, Json value) {
    return refusal([&](Json& p) { p["limits"][0][field] = value; });
  };
  expect_in(limit("min_busbw_of_fleet", 1.2), {"limits[0].min_busbw_of_fleet: 1.2", "below 1"});
  expect_in(limit("min_busbw_gbps", -3), {"limits[0].min_busbw_gbps: -3", "above 0"});
  expect_in(limit("max_time_of_fleet", 0.9), {"max_time_of_fleet: 0.9", "above 1"});
  expect_in(limit("max_time_us", "fast"), {"max_time_us: ", "expected a number", "fast"});
  expect_in(limit("min_bytes", "64Q"), {"limits[0].min_bytes: '64Q'", "unknown unit"});
  expect_in(limit("min_bytes", 1.5), {"limits[0].min_bytes", "a size like"});
  expect_in(limit("ranks", 1), {"limits[0].ranks: 1", "at least 2"});
  expect_in(limit("algorithm", "tree"), {"limits[0]: no stage measures it", "'tree'"});
  expect_in(limit("stage", "soak"), {"limits[0]: no stage measures it", "\"soak\""});
  expect_in(limit("stage", "all"), {"limits[0]: there is nothing to compare with"});
  expect_in(refusal([](Json& p) {
              p["limits"][0] = {{"stage", "pairs"}};
            }),
            {"limits[0]: nothing is demanded", "min_busbw_gbps"});
  expect_in(refusal([](Json& p) {
              p["limits"][0]["min_bytes"] = "1M";
              p["limits"][0]["max_bytes"] = "1K";
            }),
            {"limits[0]: max_bytes lies below min_bytes"});
  expect_in(refusal([](Json& p) {
              p["stages"].erase("alone");
              p["limits"][0]["min_busbw_of_limit"] = 0.5;
            }),
            {"limits[0]: min_busbw_of_limit", "\"alone\""});
  expect_in(refusal([](Json& p) { p["max_drift"] = 0.1; }), {"max_drift", "\"soak\""});
  expect_in(refusal([](Json& p) { p["stages"]["soak"] = Json::object(); }),
            {"stages.soak.minutes: this field is missing"});
  expect_in(refusal([](Json& p) {
              p["stages"]["soak"] = {{"minutes", -1}};
            }),
            {"stages.soak.minutes: -1"});
  expect_in(refusal([](Json& p) { p["stages"] = Json::object(); }), {"stages: nothing to measure"});
  expect_in(refusal([](Json& p) { p["profile_version"] = 2; }),
            {"profile_version: this profile has version 2"});
  expect_in(refusal([](Json& p) { p.erase("name"); }), {"name: this field is missing"});
  EXPECT_THROW(read_profile("{"), std::invalid_argument);
  EXPECT_THROW(read_profile("[]"), std::invalid_argument);
  EXPECT_THROW(read_profile(R"({"name": "a", "name": "b"})"), std::invalid_argument);
}

}  // namespace
}  // namespace arb
