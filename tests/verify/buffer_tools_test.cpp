// The tools for plain memory are the plain functions.
#include "verify/buffer_tools.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "tests/verify/message.hpp"

namespace arb {
namespace {

using test::Message;
using test::MessageSpec;

std::vector<MutableRank> buffers_of(Message& message, int ranks) {
  std::vector<MutableRank> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back({message.input(rank), message.output(rank)});
  }
  return all;
}

TEST(BufferTools, WriteAndReadAsThePlainFunctionsDo) {
  const BufferTools& tools = host_buffer_tools();
  const DataSpec spec{DataKind::kRandom, Dtype::kFloat32, Op::kSum, 3, 9};
  std::vector<std::byte> wanted(400), got(400);
  generate(spec, 2, 65500, 100, wanted.data());
  tools.generate(spec, 2, 65500, 100, got.data());
  EXPECT_EQ(got, wanted);
  poison(wanted.data() + 1, 30);
  tools.poison(2, got.data() + 1, 30);
  EXPECT_EQ(got, wanted);
  tools.set_guard(2, got.data(), kGuardBytes, 4);
  EXPECT_EQ(changed_guard(got.data(), kGuardBytes, 4), -1);
  got[9] ^= std::byte{1};
  EXPECT_EQ(tools.changed_guard(2, got.data(), kGuardBytes, 4), 9);
  std::vector<std::byte> copy(400);
  tools.read(2, got.data(), 400, copy.data());
  EXPECT_EQ(copy, got);
}

TEST(BufferTools, WorkersTogetherCheckEveryTileOnce) {
  const MessageSpec spec{.data = {DataKind::kRandom, Dtype::kInt32, Op::kSum, 3, 9}, .count = 4100};
  Message message(spec, rank_order(3, 4));
  const CheckSpec check = message.check_spec();
  host_buffer_tools().apply({.kind = FaultKind::kStale}, check, buffers_of(message, 3));
  std::vector<RankView> views;
  for (const MutableRank& rank : buffers_of(message, 3)) views.push_back({rank.input, rank.output});
  for (const size_t workers : {1, 2, 4, 20}) {
    Verdict verdict;
    for (size_t worker = 0; worker < workers; ++worker) {
      verdict.merge(host_buffer_tools().check(check, views, worker, workers));
    }
    EXPECT_EQ(verdict.wrong, message.difference().elements) << workers;
    EXPECT_EQ(verdict.wrong, 3 * 4100) << workers;
  }
}

TEST(BufferTools, ADigestDependsOnEveryElementAndTheirOrder) {
  const auto digest = [](const std::vector<float>& values) {
    return host_buffer_tools().digest(
        0, Dtype::kFloat32, reinterpret_cast<const std::byte*>(values.data()), values.size());
  };
  const uint64_t before = digest({1, 2, 3});
  EXPECT_EQ(digest({1, 2, 3}), before);
  EXPECT_NE(digest({1, 2, 4}), before);
  EXPECT_NE(digest({2, 1, 3}), before);
  EXPECT_NE(digest({1, 2}), before);
  EXPECT_NE(digest({0.0F}), digest({-0.0F}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(digest({nan}), digest({-nan}));
}

TEST(CheckPart, SeesItsOwnElementsOnly) {
  const MessageSpec spec{.data = {DataKind::kExact, Dtype::kFloat32, Op::kSum, 3, 9}};
  Message message(spec, rank_order(3, 4));  // tiles of 400, chunks of 100
  *message.output(1, 450) ^= std::byte{1};
  std::vector<RankView> views;
  for (const MutableRank& rank : buffers_of(message, 3)) views.push_back({rank.input, rank.output});
  const auto wrong = [&](int chunk, const Range& part) {
    return check_part(message.check_spec(), views, chunk, part).wrong;
  };
  EXPECT_EQ(wrong(0, {400, 100}), 1);
  EXPECT_EQ(wrong(0, {450, 1}), 1);
  EXPECT_EQ(wrong(0, {400, 50}), 0);
  EXPECT_EQ(wrong(0, {451, 49}), 0);
  EXPECT_EQ(wrong(0, {450, 0}), 0);
  EXPECT_EQ(wrong(1, {500, 100}), 0);
}

}  // namespace
}  // namespace arb
