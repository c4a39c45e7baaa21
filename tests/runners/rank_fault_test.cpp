// A rank that takes longer: how long its driver holds back, and that it does.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "collectives/runners/host/team.hpp"

namespace arb {
namespace {

TEST(RankFault, ADriverHoldsBackForItsShareOfTheTimeSoFar) {
  RankFault fault;
  fault.slow_rank = 2;
  fault.slow_share = 0.25;
  EXPECT_DOUBLE_EQ(fault.held_back_seconds(2, 3, 8e-6), 2e-6);
  EXPECT_DOUBLE_EQ(fault.held_back_seconds(0, 4, 1), 0.25);  // among others
  EXPECT_EQ(fault.held_back_seconds(0, 2, 1), 0);
  EXPECT_EQ(fault.held_back_seconds(3, 9, 1), 0);
  EXPECT_EQ(fault.held_back_seconds(2, 2, 1), 0);  // of no rank
  EXPECT_EQ(RankFault{}.held_back_seconds(0, 9, 1), 0);
}

/// Takes a moment, and knows how long it took.
class Slow final : public Operation {
 public:
  using Clock = std::chrono::steady_clock;
  void begin(int, const RankBuffers&) override { begin_ = Clock::now(); }
  Advance advance(int) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count();
    return Advance::kDone;
  }
  std::string where(int) const override { return ""; }
  int waits_for(int) const override { return kNone; }
  const Tiling& tiling() const override { throw std::logic_error("nobody asks"); }
  const ReductionOrder* order() const override { return nullptr; }

  double seconds() const { return seconds_; }  // of all that were run

 private:
  Clock::time_point begin_;
  double seconds_ = 0;
};

TEST(RankFault, TheTeamHoldsBackTheEndOfEveryOperationOfABatch) {
  constexpr double kShare = 3;
  Team team(1, {});
  const RankBuffers buffers;
  Slow operation;
  Execution execution{&operation, &buffers, 1, 2};
  team.set_fault({.slow_rank = 0, .slow_share = kShare});
  const Sample sample = team.run({&execution, 1}).front();
  // Not a matter of speed: what the operation saw of its time is part of what the team saw.
  EXPECT_GE(sample.seconds, (1 + kShare) * operation.seconds());
}

}  // namespace
}  // namespace arb
