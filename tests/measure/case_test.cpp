// Which executions are samples, which are checked, and whom a finding belongs to.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/measure/case_run.hpp"
#include "collectives/runners/host/team.hpp"
#include "tests/measure/tampered.hpp"

namespace arb {
namespace {

constexpr long kCheckedBefore = 2;  // exact and random data

Team& team() {
  static Team team(2, {});
  return team;
}

const Shape kSmall{Collective::kAllReduce, 2, 0, 1000, Dtype::kFloat32, Op::kSum};

CaseSettings few(int64_t iterations) {
  CaseSettings settings;
  settings.iterations = iterations;
  settings.warmup = 0;
  settings.raw = true;
  return settings;
}

std::vector<CaseResult> run(std::vector<Prepared> algorithms, const CaseSettings& settings,
                            const Shape& shape = kSmall, bool in_place = false) {
  const CaseBuffers buffers(shape, {in_place, 0, 0});
  const size_t count = algorithms.size();
  CaseRun run(team(), shape, in_place, buffers, std::move(algorithms), settings);
  if (settings.checks > 0) run.check();
  run.measure();
  std::vector<CaseResult> results;
  for (size_t i = 0; i < count; ++i) results.push_back(run.result(i));
  return results;
}

Prepared wrong_when(const std::function<bool(long number)>& when, bool in_place = false) {
  return tampered_one_shot(kSmall, in_place, [when](int rank, long number, const RankBuffers& at) {
    if (rank == 1 && when(number)) at.output[16] ^= std::byte{1};
  });
}

template <typename... Some>
std::vector<Prepared> all(Some... some) {
  std::vector<Prepared> list;
  (list.push_back(std::move(some)), ...);
  return list;
}

TEST(Case, WhatGoesWrongOnlyWhileTheClockRunsIsSeen) {
  for (const bool in_place : {false, true}) {
    CaseSettings settings = few(20);
    settings.checked_share = 0;  // at least one all the same
    const auto wrong = [](long number) { return number >= kCheckedBefore; };
    const CaseResult result =
        run(all(wrong_when(wrong, in_place)), settings, kSmall, in_place).front();
    EXPECT_EQ(result.verify.verdict, "wrong");
    EXPECT_EQ(result.verify.timed_checks, 1);
    EXPECT_EQ(result.verify.checks, kCheckedBefore + 1);
  }
}

TEST(Case, WhatGoesWrongOnlyInACheckBeforeIsSeenForEitherKindOfData) {
  for (const long which : {0L, 1L}) {
    const CaseResult result =
        run(all(wrong_when([which](long number) { return number == which; })), few(10)).front();
    EXPECT_EQ(result.verify.verdict, "wrong");
    EXPECT_EQ(result.verify.wrong, 1);
    EXPECT_EQ(result.verify.check, which == 0 ? "exact" : "oracle");
    EXPECT_EQ(result.verify.rank, 1);
    EXPECT_EQ(result.verify.index, 4);
  }
}

TEST(Case, AFindingBelongsToTheAlgorithmThatCausedIt) {
  const auto always = [](long) { return true; };
  const auto timed = [](long number) { return number >= kCheckedBefore; };
  for (const bool only_timed : {false, true}) {
    const auto results =
        run(all(one_shot(kSmall), only_timed ? wrong_when(timed) : wrong_when(always),
                one_shot(kSmall)),
            few(10));
    EXPECT_EQ(results[0].verify.verdict, "ok");
    EXPECT_EQ(results[1].verify.verdict, "wrong");
    EXPECT_EQ(results[2].verify.verdict, "ok");
    for (const CaseResult& result : results) EXPECT_GE(result.verify.timed_checks, 1);
  }
}

TEST(Case, AnAlgorithmThatSpoilsTheInputsDoesNotSpoilTheNext) {
  const auto results = run(all(tampered_one_shot(kSmall, false,
                                                 [](int rank, long, const RankBuffers& at) {
                                                   // Its own input, once everybody has read it.
                                                   if (rank == 0) at.input[0] ^= std::byte{1};
                                                 }),
                               one_shot(kSmall)),
                           few(10));
  EXPECT_EQ(results[0].verify.verdict, "wrong");
  EXPECT_EQ(results[0].verify.check, "input changed");
  EXPECT_EQ(results[1].verify.verdict, "ok");
}

TEST(Case, TheShareOfCheckedSamplesIsWhatWasAskedFor) {
  // Slow, so that the samples take many rounds.
  const auto slow = [] {
    return tampered_one_shot(kSmall, false, [](int, long, const RankBuffers&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  };
  for (const bool cached : {false, true}) {
    CaseSettings settings = few(100);
    settings.last_level_bytes = cached ? size_t{1} << 25 : 0;
    settings.checked_share = 1;
    EXPECT_GE(run(all(slow()), settings).front().verify.timed_checks, 100);
    EXPECT_GE(run(all(tampered_one_shot(kSmall, false, {})), settings).front().verify.timed_checks,
              100);
    settings.checked_share = 0;
    EXPECT_EQ(run(all(slow()), settings).front().verify.timed_checks, 1);
    settings.checks = 3;
    EXPECT_EQ(run(all(slow()), settings).front().verify.checks, 3 * kCheckedBefore + 1);
  }
}

TEST(Case, TheWarmUpIsAsLongAsAskedFor) {
  for (const int64_t warmup : {0, 250}) {
    Tampered* counted = nullptr;
    CaseSettings settings = few(10);
    settings.warmup = warmup;
    settings.checks = 0;
    // Slow, so that rounds are short and the cap on the time would end the warm-up early.
    std::vector<Prepared> algorithms = all(tampered_one_shot(
        kSmall, false,
        [](int, long, const RankBuffers&) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        false, &counted));
    const CaseBuffers buffers(kSmall, {});
    CaseRun run(team(), kSmall, false, buffers, std::move(algorithms), settings);
    run.measure();
    EXPECT_EQ(run.result(0).time->n, 10);
    EXPECT_GE(counted->begun(0), warmup + 10);
    if (warmup == 0) {
      EXPECT_LE(counted->begun(0), 100);
    }
  }
}

TEST(Case, TheFirstAfterAnotherAlgorithmIsNoSample) {
  static constexpr auto kLate = std::chrono::milliseconds(20);
  std::atomic<int> last{-1};
  const auto late_after_another = [&last](int self) {
    return tampered_one_shot(kSmall, false, [&last, self](int rank, long, const RankBuffers&) {
      if (rank == 0 && last.exchange(self) != self) std::this_thread::sleep_for(kLate);
    });
  };
  CaseSettings settings = few(64);
  settings.checks = 0;
  for (const CaseResult& result :
       run(all(late_after_another(0), late_after_another(1)), settings)) {
    const auto late = std::count_if(result.time->samples.begin(), result.time->samples.end(),
                                    [](double seconds) { return seconds >= 0.02; });
    EXPECT_LE(late, 3) << "of 64: one in 8 or 9 if they were counted";
  }
}

TEST(Case, SamplesBelongToTheAlgorithmThatTookThem) {
  const auto slow = [](long milliseconds) {
    return tampered_one_shot(kSmall, false, [=](int rank, long, const RankBuffers&) {
      if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    });
  };
  CaseSettings settings = few(12);
  settings.checks = 0;
  const auto results = run(all(slow(2), one_shot(kSmall), slow(20)), settings);
  for (const CaseResult& result : results) EXPECT_EQ(result.time->n, 12);
  EXPECT_GE(results[0].time->min, 0.002);
  EXPECT_LT(results[1].time->min, 0.002);
  EXPECT_GE(results[2].time->min, 0.020);
}

TEST(Case, ASampleOfSeveralOperationsIsDividedByThem) {
  // One rank that does nothing: the clock is slower than it.
  const Shape alone{Collective::kAllReduce, 1, 0, 1, Dtype::kFloat32, Op::kSum};
  Tampered* counted = nullptr;
  CaseSettings settings = few(200);
  settings.warmup.reset();
  settings.checks = 0;
  const CaseBuffers buffers(alone, {});
  Team one(1, {});
  CaseRun run(one, alone, false, buffers, all(tampered_one_shot(alone, false, {}, true, &counted)),
              settings);
  run.measure();
  const CaseResult result = run.result(0);
  if (result.time->batch == 1) GTEST_SKIP() << "the clock of this machine is too slow";
  EXPECT_GE(counted->begun(0), 200 * result.time->batch);
  // Batches are for operations that one sample showed to be shorter than this; 20 or more are not.
  EXPECT_LT(result.time->min, 1e-6);  // undivided it is 2 us
}

TEST(Case, ACapOnTheTimeIsFlaggedAndKept) {
  const auto slow = [] {
    return tampered_one_shot(kSmall, false, [](int rank, long, const RankBuffers&) {
      if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(40));
    });
  };
  CaseSettings settings;
  settings.warmup = 1;
  settings.checks = 0;
  settings.precision = 1e-9;
  settings.seconds = 0.1;
  settings.seconds_given = true;
  const CaseResult capped = run(all(slow()), settings).front();
  EXPECT_EQ(capped.flags, std::vector<std::string>{"time cap"});
  EXPECT_LE(capped.time->n, 3);
  // Not given by the user, the cap gives way to a few samples.
  settings.seconds_given = false;
  EXPECT_GE(run(all(slow()), settings).front().time->n, 6);
}

TEST(Case, LargeMessagesKeepTheirDataAndAreStillChecked) {
  const Shape large{Collective::kAllReduce, 2,       0, (size_t{64} << 17) + 9,
                    Dtype::kFloat64,        Op::kSum};
  CaseSettings settings = few(2);
  settings.checked_share = 1;
  for (const CaseResult& result : run(all(one_shot(large), one_shot(large)), settings, large)) {
    EXPECT_EQ(result.verify.verdict, "ok") << result.verify.check;
    EXPECT_GE(result.verify.timed_checks, 2);
  }
}

}  // namespace
}  // namespace arb
