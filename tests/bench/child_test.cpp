#include "bench/child.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace arb {
namespace {

ChildResult shell(const std::string& text, double seconds = 60,
                  const std::map<std::string, std::string>& environment = {}) {
  return run_child({"sh", "-c", text}, environment, seconds);
}

TEST(Child, KeepsWhatItSaidAndItsExitCode) {
  const ChildResult child = shell("echo one; echo two >&2; exit 7");
  EXPECT_EQ(child.exit_code, 7);
  EXPECT_FALSE(child.timed_out);
  EXPECT_EQ(child.output, "one\ntwo\n");
}

TEST(Child, SignalsCountFrom128) { EXPECT_EQ(shell("kill -TERM $$").exit_code, 128 + 15); }

TEST(Child, VariablesAreAddedAndRemoved) {
  ::setenv("ARB_CHILD_TEST", "old", 1);
  EXPECT_EQ(shell("echo ${ARB_CHILD_TEST-none}").output, "old\n");
  EXPECT_EQ(shell("echo ${ARB_CHILD_TEST-none}", 60, {{"ARB_CHILD_TEST", "new"}}).output, "new\n");
  EXPECT_EQ(shell("echo ${ARB_CHILD_TEST-none}", 60, {{"ARB_CHILD_TEST", ""}}).output, "none\n");
  ::unsetenv("ARB_CHILD_TEST");
}

TEST(Child, IsEndedAtTheLimit) {
  const ChildResult child = shell("echo begun; exec sleep 600", 0.3);
  EXPECT_TRUE(child.timed_out);
  EXPECT_EQ(child.exit_code, 128 + 15);
  EXPECT_EQ(child.output, "begun\n");
}

TEST(Child, ClosingItsOutputIsNoEnd) {
  const ChildResult quiet = shell("echo said; exec >&- 2>&-; sleep 0.3; exit 7");
  EXPECT_EQ(quiet.exit_code, 7);
  EXPECT_EQ(quiet.output, "said\n");
  const ChildResult stuck = shell("exec >&- 2>&-; exec sleep 600", 0.3);
  EXPECT_TRUE(stuck.timed_out);
  EXPECT_EQ(stuck.exit_code, 128 + 15);
}

TEST(Child, WhatItLeavesBehindIsNotWaitedFor) {
  const ChildResult child = shell("sleep 5 & echo begun; exit 7", 2);
  EXPECT_FALSE(child.timed_out);
  EXPECT_EQ(child.exit_code, 7);
  EXPECT_EQ(child.output, "begun\n");
}

TEST(Child, OfALongTextTheEndIsKept) {
  const ChildResult child = shell("i=0; while [ $i -lt 40000 ]; do echo $i; i=$((i+1)); done");
  EXPECT_LE(child.output.size(), 65536U);
  EXPECT_EQ(child.output.substr(child.output.size() - 6), "39999\n");
}

TEST(Child, AProgramThatIsNotThereIsTheEnvironmentsFault) {
  expect_refused([] { run_child({"no-such-program"}, {}, 1); }, ErrorKind::kEnvironment,
                 {"no-such-program"});
}

}  // namespace
}  // namespace arb
