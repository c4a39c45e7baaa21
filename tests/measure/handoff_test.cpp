#include "bench/measure/handoff.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "collectives/runners/host/team.hpp"

namespace arb {
namespace {

TEST(Handoff, OneWorkerHasNobodyToHandAnythingTo) {
  Team team(1, {});
  EXPECT_EQ(measure_handoff(team), std::nullopt);
}

TEST(Handoff, ATokenGoesRoundAnyNumberOfWorkersAgainAndAgain) {
  for (const int workers : {2, 3, 7}) {  // more than there are cores, too: then they yield
    Team team(workers, {});
    for (int k = 0; k < 3; ++k) {
      const auto seconds = measure_handoff(team);
      ASSERT_TRUE(seconds.has_value()) << workers;
      EXPECT_GT(*seconds, 0);
      EXPECT_TRUE(std::isfinite(*seconds));
    }
  }
}

TEST(Handoff, TheTeamIsGoodForOperationsAfterwards) {
  Team team(2, {});
  measure_handoff(team);
  int calls = 0;
  team.on_all([&](int worker) { calls += worker == 0 ? 1 : 0; });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(team.run({}).empty());
}

}  // namespace
}  // namespace arb
