// The lane loop and both protocols, held bit for bit to the host runner.
#include <gtest/gtest.h>

#include <tuple>

#include "collectives/runners/cuda/device/lines.hpp"
#include "cpu_memory.hpp"
#include "job.hpp"

namespace arb {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr bool kRaceChecked = true;
#else
constexpr bool kRaceChecked = false;
#endif

Shape shape_of(int ranks, size_t count, Dtype dtype = Dtype::kFloat32, Op op = Op::kSum) {
  Shape shape;
  shape.ranks = ranks;
  shape.count = count;
  shape.dtype = dtype;
  shape.op = op;
  return shape;
}

/// In place, the two lanes of a tree's node share a chunk. With lines it is the data themselves
/// that order the read before the write (no thin air), which C++ and its race detector do not know.
bool ordered_by_data(const std::string& algorithm, const JobConfig& config) {
  return algorithm == "tree" && config.in_place && config.protocol == Protocol::kLl;
}

using Case = std::tuple<std::string, Protocol, int>;
class Interpreter : public ::testing::TestWithParam<Case> {};

TEST_P(Interpreter, GivesTheBitsOfTheHostForEveryCount) {
  const auto& [algorithm, protocol, ranks] = GetParam();
  for (const size_t count : {0, 1, 3, 17, 64, 133, 1000}) {
    for (const bool in_place : {false, true}) {
      JobConfig config;
      config.protocol = protocol;
      config.in_place = in_place;
      config.channels = count % 2 == 0 ? 2 : 1;
      config.unalign = count % 3;
      if (kRaceChecked && ordered_by_data(algorithm, config)) continue;
      Job job(algorithm, shape_of(ranks, count), config);
      for (uint64_t seed = 1; seed <= 3; ++seed) {  // counters survive
        ASSERT_EQ(job.run_checked(seed), "") << count << " elements, in place " << in_place;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Interpreter,
                         ::testing::Combine(::testing::Values("ring", "tree", "naive-root"),
                                            ::testing::Values(Protocol::kSimple, Protocol::kLl),
                                            ::testing::Values(1, 2, 3, 4)),
                         [](const auto& each) {
                           std::string name = std::get<0>(each.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name +
                                  (std::get<1>(each.param) == Protocol::kLl ? "_ll_" : "_simple_") +
                                  std::to_string(std::get<2>(each.param));
                         });

class Types : public ::testing::TestWithParam<Protocol> {};

TEST_P(Types, EveryElementTypeAndOperator) {
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      if (unsupported(dtype, op)) continue;
      for (const size_t unalign : {0, 1}) {
        JobConfig config;
        config.protocol = GetParam();
        config.slot_bytes = 512;
        config.unalign = unalign;
        Job job("ring", shape_of(3, 397, dtype, op), config);
        ASSERT_EQ(job.run_checked(1), "") << name(dtype) << ' ' << name(op) << ' ' << unalign;
      }
    }
  }
}

TEST_P(Types, FlagsAndCountersGoOnWhereTheyWrap) {
  for (const uint64_t first : {uint64_t{0xffffffff} - 5, uint64_t{0x100000000} - 5}) {
    JobConfig config;
    config.protocol = GetParam();
    config.first_message = first;
    config.slots = 3;
    Job job("ring", shape_of(2, 301), config);
    for (uint64_t seed = 1; seed <= 3; ++seed) ASSERT_EQ(job.run_checked(seed), "");
  }
}

TEST_P(Types, OtherCollectives) {
  for (const Collective collective : {Collective::kBroadcast, Collective::kReduce}) {
    Shape shape = shape_of(4, 150);
    shape.collective = collective;
    shape.root = 1;
    JobConfig config;
    config.protocol = GetParam();
    Job job("tree", shape, config);
    job.run();
    for (const DeviceReport& report : job.reports()) EXPECT_EQ(report.awaited, Awaited::kNothing);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Types, ::testing::Values(Protocol::kSimple, Protocol::kLl),
                         [](const auto& each) {
                           return each.param == Protocol::kLl ? "ll" : "simple";
                         });

TEST(LineFlag, IsNeverZeroAndDiffersFromItsNeighbours) {
  EXPECT_EQ(line_flag(0), 1U);
  EXPECT_EQ(line_flag(0xfffffffeU), 0xffffffffU);
  EXPECT_EQ(line_flag(0xffffffffU), 1U);
  for (uint64_t m = 0xfffffff0U; m < 0x100000010U; ++m) {
    EXPECT_NE(line_flag(m), 0U);
    for (uint64_t slots = 1; slots < 9; ++slots) {
      EXPECT_NE(line_flag(m), line_flag(m + slots));
    }
  }
}

}  // namespace
}  // namespace arb
