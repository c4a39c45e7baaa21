#include "reports/compare/state.hpp"

#include <gtest/gtest.h>

#include "tests/compare/builds.hpp"

namespace arb {
namespace {

Record in_state(double before, double after) {
  Record record = timed("ring", 8, 1e-6);
  record.handoff_s = {before, after};
  return record;
}

std::vector<bool> of(std::initializer_list<bool> values) { return values; }

TEST(State, ThatOfMostStartsIsChosen) {
  const Record slow = in_state(210e-9, 205e-9), fast = in_state(70e-9, 72e-9);
  const StateChoice choice = choose_state({&slow, &slow, &fast, &slow}, {&slow, &fast});
  EXPECT_EQ(choice.base, of({true, true, false, true}));
  EXPECT_EQ(choice.fresh, of({true, false}));
  EXPECT_EQ(choice.why, "");
}

TEST(State, OneThatBothWereInIsPreferred) {
  const Record slow = in_state(210e-9, 205e-9), fast = in_state(70e-9, 72e-9);
  const StateChoice choice = choose_state({&slow, &slow, &fast}, {&fast});
  EXPECT_EQ(choice.base, of({false, false, true}));
  EXPECT_EQ(choice.fresh, of({true}));
}

TEST(State, NoneInCommonIsSaid) {
  const Record slow = in_state(210e-9, 205e-9), fast = in_state(70e-9, 70e-9);
  const StateChoice choice = choose_state({&fast, &fast}, {&slow});
  EXPECT_EQ(choice.fresh, of({false}));
  EXPECT_EQ(choice.why,
            "the machine is in another state: a cache line takes 207 ns between cores, 70.0 ns in "
            "the baseline; measure again, or use --ab");
}

TEST(State, ThatChangesWithinTheCaseIsNone) {
  const Record steady = in_state(70e-9, 75e-9), changed = in_state(70e-9, 210e-9);
  EXPECT_EQ(choose_state({&steady, &changed}, {&steady}).base, of({true, false}));
  const StateChoice choice = choose_state({&steady}, {&changed});
  EXPECT_NE(choice.why, "");
  EXPECT_FALSE(same_state(changed, changed));
}

TEST(State, BothEndsOfTheCaseMustBeInIt) {
  const Record steady = in_state(100e-9, 100e-9), leaving = in_state(119e-9, 139e-9),
               coming = in_state(139e-9, 119e-9);
  EXPECT_EQ(choose_state({&steady, &steady, &steady}, {&leaving, &coming, &steady}).fresh,
            of({false, false, true}));
}

TEST(State, UnknownOnesAlwaysCount) {
  const Record known = in_state(70e-9, 75e-9), unknown = timed("ring", 8, 1e-6);
  EXPECT_EQ(choose_state({&unknown, nullptr}, {&known}).base, of({true, false}));
  EXPECT_EQ(choose_state({&known}, {&unknown}).fresh, of({true}));
  EXPECT_TRUE(same_state(known, unknown));
}

TEST(State, TwoAreTheSameWithinAFactor) {
  EXPECT_TRUE(same_state(in_state(100e-9, 105e-9), in_state(119e-9, 110e-9)));
  EXPECT_FALSE(same_state(in_state(100e-9, 105e-9), in_state(121e-9, 110e-9)));
}

}  // namespace
}  // namespace arb
