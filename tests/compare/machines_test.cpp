#include <gtest/gtest.h>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

bool has(const std::vector<std::string>& warnings, const std::string& part) {
  for (const std::string& each : warnings) {
    if (each.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Machines, AnotherOneIsRefused) {  // cases.md 57
  Report other = build();
  other.environment.host = "farm7";
  other.environment.fingerprint = "feedfeedfeedfeed";
  const std::string text = refusal([&] { compared(build(), other); });
  for (const char* part :
       {"box", "farm7", "0123456789abcdef", "feedfeedfeedfeed", "--allow-other-machine"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(Machines, AnotherOneIsAWarningIfAllowed) {
  Report other = build();
  other.environment.fingerprint = "feedfeedfeedfeed";
  CompareRules rules;
  rules.allow_other_machine = true;
  const Comparison comparison = compared(build(), other, rules);
  EXPECT_TRUE(has(comparison.warnings, "another machine"));
  EXPECT_EQ(row_of(comparison, "ring", 8).change, Change::kSame);
}

TEST(Machines, BaselinesMustBeOfOne) {
  std::vector<Report> base = {build(), build()};
  base[1].environment.fingerprint = "feedfeedfeedfeed";
  const Report fresh = build();
  EXPECT_NE(refusal([&] { compare(base, {&fresh, 1}, {}); }), "");
}

TEST(Machines, OtherGpusAreAnotherMachine) {
  Report base = build(), fresh = build();
  base.environment.gpus = {"NVIDIA A100, GPU-1, driver 1"};
  fresh.environment.gpus = {"NVIDIA H200, GPU-2, driver 1"};
  EXPECT_NE(refusal([&] { compared(base, fresh); }), "");
  fresh.environment.gpus = {"NVIDIA A100, GPU-1, driver 2"};
  EXPECT_TRUE(has(compared(base, fresh).warnings, "different GPUs: NVIDIA A100"));
}

TEST(Machines, WhatMayMakeADifferenceIsSaid) {
  Report fresh = build();
  fresh.environment.kernel = "6.2";
  fresh.environment.mpi = "Open MPI 5";
  fresh.environment.nccl = "2.20";
  fresh.environment.variables["NCCL_ALGO"] = "Ring";
  fresh.config["slots"] = "8";
  fresh.build = "Debug";
  const auto warnings = compared(build(), fresh).warnings;
  for (const char* part : {"kernel", "MPI", "NCCL", "NCCL_ALGO", "--slots", "kind of build"}) {
    EXPECT_TRUE(has(warnings, "different " + std::string(part) + ": ")) << part;
  }
  EXPECT_FALSE(has(compared(build(), build()).warnings, "different "));
}

TEST(Machines, APartialReportIsSaidAndCounts) {
  Report fresh = build();
  fresh.complete = false;
  fresh.partial_reason = "interrupted";
  const Comparison comparison = compared(build(), fresh);
  EXPECT_TRUE(has(comparison.warnings, "the new report is partial (interrupted)"));
  EXPECT_EQ(row_of(comparison, "ring", 8).change, Change::kSame);
}

}  // namespace
}  // namespace arb
