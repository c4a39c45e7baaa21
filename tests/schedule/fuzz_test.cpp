// Schedules made of noise: the proof never crashes, and what it accepts really works.
#include <gtest/gtest.h>

#include <random>

#include "collectives/algorithms/registry.hpp"
#include "toy_runner.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

class Noise {
 public:
  explicit Noise(uint64_t seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }

  Slice slice(int chunks) {
    return {static_cast<Buffer>(below(4)), between(-1, chunks), between(0, chunks + 1)};
  }

  Step step(int ranks, int chunks) {
    return {between(-2, ranks), between(-2, ranks), slice(chunks),
            slice(chunks),      between(-2, 2),     between(-2, 2)};
  }

  /// One random change of one random step.
  void disturb(Schedule& schedule) {
    auto& lanes = schedule.lanes[static_cast<size_t>(below(schedule.ranks))];
    if (lanes.empty()) return;
    auto& steps = lanes[static_cast<size_t>(below(static_cast<int>(lanes.size())))].steps;
    if (steps.empty()) return;
    const size_t i = static_cast<size_t>(below(static_cast<int>(steps.size())));
    const size_t k = static_cast<size_t>(below(static_cast<int>(steps.size())));
    switch (below(8)) {
      case 0:
        std::swap(steps[i], steps[k]);
        break;
      case 1:
        steps[i].after = kNone;
        break;
      case 2:
        std::swap(steps[i].local, steps[k].local);
        break;
      case 3:
        steps[i].local.buffer = steps[i].local ? Buffer::kOutput : Buffer::kNowhere;
        break;
      case 4:
        steps[i].local.buffer = steps[i].local ? Buffer::kInput : Buffer::kNowhere;
        break;
      case 5:
        std::swap(steps[i].store, steps[k].store);
        break;
      case 6: {  // a lane of its own for the end of this lane, ordered by nothing
        Lane rest{
            "rest", between(0, 1), {steps.begin() + static_cast<std::ptrdiff_t>(i), steps.end()}};
        steps.resize(i);
        lanes.push_back(std::move(rest));
        break;
      }
      default:
        std::swap(steps[i], steps[std::min(i + 1, steps.size() - 1)]);
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(Fuzz, GarbageIsReportedAndNeverCrashes) {
  Noise noise(1);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    Schedule schedule(noise.between(1, 3), noise.between(1, 3));
    for (auto& lanes : schedule.lanes) {
      lanes.resize(static_cast<size_t>(noise.below(3)));
      for (Lane& lane : lanes) {
        lane.channel = noise.between(-1, 1);
        for (int i = noise.below(4); i > 0; --i) {
          lane.steps.push_back(noise.step(schedule.ranks, schedule.chunks));
        }
      }
    }
    const Collective collective = kCollectives[noise.below(5)];
    accepted +=
        prove(schedule, collective, noise.between(-1, 3), noise.between(0, 3), round % 2 == 0).ok();
  }
  EXPECT_LT(accepted, 200);
}

TEST(Fuzz, WhatIsAcceptedWorksAndWhatDeadlocksDeadlocks) {
  Noise noise(2);
  int accepted = 0, deadlocks = 0;
  for (int round = 0; round < 30000; ++round) {
    const Algorithm& row =
        algorithms()[static_cast<size_t>(noise.below(static_cast<int>(algorithms().size())))];
    const int ranks = noise.between(2, 6);
    const int root = has_root(row.collective) ? noise.below(ranks) : 0;
    Schedule schedule = row.build(ranks, root);
    for (int changes = noise.between(1, 4); changes > 0; --changes) noise.disturb(schedule);
    const ToyCase spec{row.collective, root, noise.between(1, 3), round % 2 == 0, 3};
    const Proof proof = prove(schedule, row.collective, root, spec.slots, spec.in_place);
    if (proof.ok()) {
      ++accepted;
      for (uint64_t seed = 1; seed <= 4; ++seed) {
        ASSERT_EQ(toy_run(schedule, spec, seed, &proof.facts), "")
            << name(row.collective) << " " << row.name << ", " << ranks << " ranks, round "
            << round;
      }
    } else if (proof.findings[0].kind == "deadlock") {
      ++deadlocks;
      ASSERT_EQ(toy_run(schedule, spec, 1), "deadlock")
          << proof.findings[0].message << ", round " << round;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(deadlocks, 1000);
}

}  // namespace
}  // namespace arb
