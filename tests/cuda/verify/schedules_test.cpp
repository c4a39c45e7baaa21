// Every schedule of the registry: its reduction order as GPUs replay it, against the order replayed
// with whole buffers.
#include <gtest/gtest.h>

#include "collectives/algorithms/registry.hpp"
#include "tests/cuda/verify/device_message.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

using test::DeviceMessage;
using test::MessageSpec;
using test::words;

class SchedulesTest : public testing::TestWithParam<Algorithm> {};

TEST_P(SchedulesTest, ResultsAreRecognised) {
  const Algorithm& algorithm = GetParam();
  int tried = 0;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    if (algorithm.unsupported != nullptr && algorithm.unsupported(ranks)) continue;
    for (int root = 0; root < (has_root(algorithm.collective) ? ranks : 1); ++root) {
      const Schedule schedule = algorithm.build(ranks, root);
      const Proof proof = prove(schedule, algorithm.collective, root, 4, false);
      ASSERT_TRUE(proof.ok());
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
        MessageSpec spec{
            .collective = algorithm.collective,
            .data = {DataKind::kRandom, dtype, ranks % 2 == 0 ? Op::kSum : Op::kAvg, ranks, 11},
            .count = static_cast<size_t>(schedule.chunks) * 9,
            .chunks = schedule.chunks,
            .tile = static_cast<size_t>(schedule.chunks) * 4,
            .root = root};
        DeviceMessage message(spec, proof.order);
        ASSERT_EQ(words(message.check()), words({})) << ranks << " ranks, root " << root;
        message.inject({.kind = FaultKind::kOneRank, .rank = ranks - 1});
        EXPECT_EQ(words(message.check()), words(message.host().check()));
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 4);
}

INSTANTIATE_TEST_SUITE_P(All, SchedulesTest, testing::ValuesIn(algorithms()),
                         [](const auto& which) {
                           std::string text = std::string(name(which.param.collective)) + "_" +
                                              std::string(which.param.name);
                           for (char& c : text) {
                             if (c == '-') c = '_';
                           }
                           return text;
                         });

}  // namespace
}  // namespace arb
