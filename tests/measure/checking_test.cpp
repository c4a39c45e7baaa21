// A check sees an operation that does nothing, too much, too little, or elsewhere.
#include "bench/measure/checking.hpp"

#include <gtest/gtest.h>

#include "collectives/error.hpp"
#include "collectives/runners/host/team.hpp"
#include "tests/measure/tampered.hpp"

namespace arb {
namespace {

constexpr int kRanks = 3;

Team& team() {
  static Team team(2, {});
  return team;
}

Shape shape_of(size_t count = 1000) {
  return {Collective::kAllReduce, kRanks, 0, count, Dtype::kFloat32, Op::kSum};
}

/// One run of `prepared` on fresh data in `set`.
Verdict run(const Prepared& prepared, const Shape& shape, bool in_place, const CaseBuffers& buffers,
            size_t set = 0, uint64_t seed = 5, Fault fault = {}) {
  CheckedRun checked({shape, in_place, DataKind::kRandom, seed, true, fault}, prepared, buffers,
                     set, team());
  Execution execution{prepared.operation.get(), buffers.set(set), shape.ranks};
  checked.attach(execution);
  team().run({&execution, 1});
  return checked.verdict();
}

TEST(Checking, AnOperationThatDoesNothingIsWrongAfterARightOne) {
  for (const bool in_place : {false, true}) {
    const Shape shape = shape_of();
    const CaseBuffers buffers(shape, {in_place, 0, 0});
    EXPECT_TRUE(run(one_shot(shape, in_place), shape, in_place, buffers).ok());
    const Prepared idle = tampered_one_shot(shape, in_place, {}, true);
    // The same data: the right results lay there.
    EXPECT_EQ(run(idle, shape, in_place, buffers).wrong, 1000 * kRanks) << in_place;
  }
}

TEST(Checking, InPlaceDataAreMadeAnewEvenIfTheyAreSaidToBeThere) {
  const Shape shape = shape_of();
  const CaseBuffers buffers(shape, {true, 0, 0});
  const Prepared prepared = one_shot(shape, true);
  for (int again = 0; again < 2; ++again) {
    CheckedRun checked({shape, true, DataKind::kRandom, 5, false, {}}, prepared, buffers, 0,
                       team());
    Execution execution{prepared.operation.get(), buffers.set(0), kRanks};
    checked.attach(execution);
    team().run({&execution, 1});
    EXPECT_TRUE(checked.verdict().ok());
  }
}

TEST(Checking, AWriteBesideABufferIsNamedBySideRankAndDistance) {
  struct Place {
    bool of_output;
    long offset;  // bytes from the start of the buffer
    long index;
  };
  const Shape shape = shape_of();
  const auto end = static_cast<long>(shape.bytes());
  for (const Place place :
       {Place{true, -1, -1}, Place{true, -64, -64}, Place{true, end, 0}, Place{true, end + 63, 63},
        Place{false, -1, -1}, Place{false, end, 0}}) {
    for (int victim = 0; victim < kRanks; ++victim) {
      const CaseBuffers buffers(shape, {});
      const Prepared prepared =
          tampered_one_shot(shape, false, [=](int rank, long, const RankBuffers& at) {
            if (rank == victim)
              (place.of_output ? at.output : at.input)[place.offset] ^= std::byte{4};
          });
      const Verdict verdict = run(prepared, shape, false, buffers);
      EXPECT_EQ(verdict.check, "guard");
      EXPECT_EQ(verdict.rank, victim);
      EXPECT_EQ(verdict.index, place.index);
      EXPECT_NE(verdict.wanted.find(place.of_output ? "output" : "input"), std::string::npos);
      EXPECT_NE(verdict.wanted.find(place.offset < 0 ? "before" : "behind"), std::string::npos);
    }
  }
}

TEST(Checking, OneWrongElementIsFoundInEveryTileOfEveryRank) {
  // Blocks of the one-shot are tiles: the workers share them.
  const Shape shape = shape_of(40000);
  for (const bool in_place : {false, true}) {
    const CaseBuffers buffers(shape, {in_place, 0, 0});
    const size_t tiles = one_shot(shape, in_place).operation->tiling().tiles();
    ASSERT_GE(tiles, 4u);
    for (size_t tile = 0; tile < tiles; ++tile) {
      for (int victim = 0; victim < kRanks; ++victim) {
        const Prepared prepared =
            tampered_one_shot(shape, in_place, [&](int rank, long, const RankBuffers& at) {
              const Range range = one_shot(shape).operation->tiling().range(tile, 0);
              if (rank == victim) at.output[(range.begin + range.size - 1) * 4] ^= std::byte{1};
            });
        const Verdict verdict = run(prepared, shape, in_place, buffers);
        const Range range = prepared.operation->tiling().range(tile, 0);
        EXPECT_EQ(verdict.wrong, 1);
        EXPECT_EQ(verdict.rank, victim);
        EXPECT_EQ(verdict.index, static_cast<int64_t>(range.begin + range.size - 1));
      }
    }
  }
}

TEST(Checking, TheSetThatRanIsTheOneThatIsChecked) {
  const Shape shape = shape_of();
  const CaseBuffers buffers(shape, {false, 0, shape.bytes() * 24});
  ASSERT_GE(buffers.sets(), 4u);
  for (size_t set = 0; set < 4; ++set) {
    EXPECT_TRUE(run(one_shot(shape), shape, false, buffers, set, 5 + set).ok()) << set;
    const Prepared wrong = tampered_one_shot(
        shape, false, [](int, long, const RankBuffers& at) { at.output[0] ^= std::byte{1}; });
    EXPECT_EQ(run(wrong, shape, false, buffers, set, 50 + set).wrong, kRanks) << set;
    const Prepared beside = tampered_one_shot(
        shape, false, [](int, long, const RankBuffers& at) { at.output[-1] ^= std::byte{1}; });
    EXPECT_EQ(run(beside, shape, false, buffers, set, 500 + set).check, "guard") << set;
  }
}

TEST(Checking, AnInjectedFaultIsInPlaceBeforeAnybodyLooks) {
  // Large enough that a worker that does not wait has checked its tiles before the fault is there.
  const Shape shape = shape_of(200000);
  const CaseBuffers buffers(shape, {});
  for (int again = 0; again < 4; ++again) {
    const Verdict verdict = run(one_shot(shape), shape, false, buffers, 0,
                                static_cast<uint64_t>(again), parse_fault("stale"));
    // Both workers' tiles are stale; a few elements are alike by chance.
    EXPECT_GT(verdict.wrong, 200000 * kRanks * 9 / 10);
  }
}

TEST(Checking, ARefusedFaultReachesTheCallerAndNobodyWaitsForever) {
  Team team(2, {});
  Shape shape = shape_of();
  shape.dtype = Dtype::kInt32;
  const CaseBuffers buffers(shape, {});
  const Prepared prepared = one_shot(shape);
  CheckedRun checked({shape, false, DataKind::kRandom, 5, true, parse_fault("nan")}, prepared,
                     buffers, 0, team);
  Execution execution{prepared.operation.get(), buffers.set(0), kRanks};
  checked.attach(execution);
  EXPECT_THROW(team.run({&execution, 1}), Error);
}

}  // namespace
}  // namespace arb
