// From profiles to what is measured.
#include "bench/accept/legs.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "bench/accept/profile_file.hpp"
#include "bench/config.hpp"
#include "bench/files.hpp"
#include "bench/known_algorithms.hpp"
#include "collectives/error.hpp"
#include "tests/bench/folder.hpp"

namespace arb {
namespace {

namespace fs = std::filesystem;

const fs::path kShipped = fs::path(ARB_SOURCE_DIR) / "configs/accept";

Profile profile_of(std::vector<StagePlan> plans) {
  Profile profile;
  profile.name = "test";
  profile.backend = "host";
  profile.stages = std::move(plans);
  return profile;
}

Options asked(std::vector<std::string> stages = {}) {
  Options options;
  options.accept.profile = "test.json";
  options.accept.stages = std::move(stages);
  return options;
}

std::string refusal(const Profile& profile, const Options& options) {
  try {
    legs_of(profile, options, nullptr);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(Legs, HaveTheOptionsOfTheirStage) {
  const Profile profile =
      profile_of({{Stage::kAlone, {{"sizes", "8B"}, {"max-time", "2s"}}, 0, 0},
                  {Stage::kPairs, {{"sizes", "1K,1M"}, {"dtype", "half"}}, 3, 0},
                  {Stage::kSoak, {}, 0, 1.5}});
  Options options = asked();
  options.inject = "flip-bit:rank=3";
  const std::vector<Leg> legs = legs_of(profile, options, nullptr);
  ASSERT_EQ(legs.size(), 3U);
  EXPECT_EQ(legs[0].stage, Stage::kAlone);
  EXPECT_EQ(legs[0].task.options.sizes, std::vector<uint64_t>{8});
  EXPECT_EQ(legs[0].task.options.case_seconds, 2);
  EXPECT_TRUE(legs[0].task.wants_copy_limit);
  EXPECT_EQ(legs[1].rounds, 3);
  EXPECT_EQ(legs[1].task.options.dtype, Dtype::kFloat16);
  EXPECT_FALSE(legs[1].task.wants_copy_limit);
  EXPECT_EQ(legs[2].soak_seconds, 90);
  for (const Leg& leg : legs) {
    EXPECT_EQ(leg.task.backend, "host");
    EXPECT_EQ(leg.task.fault.rank, 3);
    EXPECT_GT(leg.task.limit_seconds, leg.round_seconds) << "what takes long is no hang yet";
  }
}

TEST(Legs, AreThoseThatWereAskedFor) {
  const Profile profile =
      profile_of({{Stage::kAlone, {}, 0, 0}, {Stage::kPairs, {}, 0, 0}, {Stage::kSoak, {}, 0, 1}});
  Options options = asked({"soak", "alone"});
  options.accept.minutes = 7;
  const std::vector<Leg> legs = legs_of(profile, options, nullptr);
  ASSERT_EQ(legs.size(), 2U);
  EXPECT_EQ(legs[0].stage, Stage::kAlone) << "in the order of the profile";
  EXPECT_EQ(legs[1].soak_seconds, 7 * 60);
}

TEST(Legs, WhatCannotBeMeasuredIsRefusedByItsPlace) {
  const auto said = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << words << ": " << text;
  };
  const Profile lame = profile_of({{Stage::kPairs, {{"algorithms", "rnig"}}, 0, 0}});
  const std::string text = refusal(lame, asked());
  said(text, "--profile test.json: stages.pairs: algorithms");
  said(text, "ring");
  said(refusal(profile_of({{Stage::kPairs, {}, 0, 0}}), asked({"all"})), "it has: pairs");
  Options options = asked();
  options.accept.minutes = 1;
  said(refusal(profile_of({{Stage::kPairs, {}, 0, 0}}), options), "nothing is to be soaked");
}

TEST(Profiles, EveryShippedOneHasOptionsThatRunUnderstands) {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(kShipped)) {
    const ProfileText file = find_profile(entry.path().stem().string());
    const Profile profile = read_profile(file.text);
    EXPECT_EQ(profile.name, entry.path().stem().string());
    for (const StagePlan& plan : profile.stages) {
      try {
        options_from(plan.options, profile.name, known_algorithms());
      } catch (const Error& error) {  // this build may have no GPUs
        EXPECT_EQ(error.kind(), ErrorKind::kEnvironment) << error.what();
      }
    }
    ++seen;
  }
  EXPECT_GE(seen, 5);
}

TEST(Profiles, AreFoundByPathBeforeName) {
  const Folder folder;
  folder.put("laptop.json", "{}");
  const std::string path = (folder.path() / "laptop.json").string();
  EXPECT_EQ(find_profile(path).text, "{}");
  EXPECT_EQ(find_profile(path).path, path);
  const ProfileText shipped = find_profile("laptop");
  EXPECT_NE(shipped.path, "laptop");
  EXPECT_EQ(profile_paths("a/b").size(), 1U) << "a path is no name";
  EXPECT_EQ(profile_paths("b.json").size(), 1U);
  EXPECT_GT(profile_paths("b").size(), 1U);
  try {
    find_profile("labtop");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    for (const char* words : {"labtop", "did you mean 'laptop'", "tried", "cpu-cluster-tcp"}) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace arb
