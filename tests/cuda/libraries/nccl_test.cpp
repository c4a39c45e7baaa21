// NCCL that is there, that is not, that lacks a function; and what its rows say about a shape.
#include "collectives/runners/cuda/nccl.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "collectives/runners/cuda/nccl_list.hpp"
#include "tests/bench/refusal.hpp"

namespace arb {
namespace {

constexpr int kRecent = 22809;

Shape shape(Dtype dtype, Op op) { return {Collective::kAllReduce, 4, 0, 16, dtype, op}; }

const NcclAlgorithm& row(const char* name) { return *find_nccl(Collective::kAllReduce, name); }

TEST(Nccl, IsFoundAndAskedForItsVersion) {
  const Nccl nccl(ARB_FAKE_NCCL);
  EXPECT_EQ(nccl.off(), "");
  EXPECT_EQ(nccl.version_text(), "2.28.9");
  expect_refused([&] { nccl.require(4, "ncclAllReduce"); }, ErrorKind::kEnvironment,
                 {"ncclAllReduce of NCCL 2.28.9: invalid argument", "NCCL_DEBUG"});
  EXPECT_NO_THROW(nccl.require(0, "ncclAllReduce"));
}

TEST(Nccl, SaysWhyItIsOff) {
  EXPECT_NE(Nccl("/no/such/libnccl.so.2").off().find("/no/such/libnccl.so.2"), std::string::npos);
  EXPECT_NE(Nccl(ARB_FAKE_NCCL_BARE).off().find("has no ncclBroadcast"), std::string::npos);
  setenv("FAKE_NCCL_VERSION", "30100", 1);
  const Nccl next(ARB_FAKE_NCCL);
  unsetenv("FAKE_NCCL_VERSION");
  EXPECT_NE(next.off().find("is NCCL 3.1.0"), std::string::npos) << next.off();
}

TEST(Nccl, TheVariableNamesTheLibrary) {
  setenv("ARB_NCCL_LIBRARY", ARB_FAKE_NCCL, 1);
  const Nccl nccl;
  unsetenv("ARB_NCCL_LIBRARY");
  EXPECT_EQ(nccl.off(), "");
}

TEST(Nccl, ARealLibraryHasAllThatIsUsed) {
  for (const char* path : {"/usr/local/cuda/lib64/libnccl.so.2", "/usr/local/cuda/lib/libnccl.so.2",
                           "/usr/lib/x86_64-linux-gnu/libnccl.so.2"}) {
    if (!std::filesystem::exists(path)) continue;
    const Nccl nccl(path);
    EXPECT_EQ(nccl.off(), "");
    EXPECT_EQ(nccl.version_text().rfind("2.", 0), 0U) << nccl.version_text();
    return;
  }
  GTEST_SKIP() << "there is no libnccl.so.2 here";
}

TEST(NcclList, VersionsAreReadInBothCodes) {
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_EQ(nccl_version_text(20304), "2.3.4");
  EXPECT_EQ(nccl_version_text(2804), "2.8.4");
}

TEST(NcclList, EveryCollectiveHasADefaultAndNoNameTwice) {
  std::set<std::pair<Collective, std::string_view>> names;
  for (const NcclAlgorithm& each : nccl_algorithms()) {
    EXPECT_TRUE(names.insert({each.collective, each.name}).second) << each.name;
    EXPECT_EQ(each.name.rfind("nccl:", 0), 0U);
  }
  for (const Collective collective : kCollectives) {
    ASSERT_NE(find_nccl(collective, "nccl:default"), nullptr);
    EXPECT_EQ(find_nccl(collective, "nccl:default")->forced, "");
  }
  EXPECT_EQ(find_nccl(Collective::kBroadcast, "nccl:tree"), nullptr);
}

TEST(NcclList, OldVersionsLackTypesAndOperators) {
  const NcclAlgorithm& ring = row("nccl:ring");
  EXPECT_EQ(nccl_unsupported(ring, shape(Dtype::kBfloat16, Op::kAvg), kRecent, {}), std::nullopt);
  EXPECT_EQ(nccl_unsupported(ring, shape(Dtype::kBfloat16, Op::kSum), 2804, {}),
            "NCCL 2.8.4 has no bfloat16");
  EXPECT_EQ(nccl_unsupported(ring, shape(Dtype::kFloat32, Op::kAvg), 20908, {}),
            "NCCL 2.9.8 has no operator avg");
  EXPECT_EQ(nccl_unsupported(row("nccl:nvls-off"), shape(Dtype::kFloat32, Op::kSum), 21602, {}),
            "NCCL 2.16.2 has no NVLink SHARP to switch off");
}

TEST(NcclList, WhatIsSetFromOutsideIsNotOverruled) {
  const Shape plain = shape(Dtype::kFloat32, Op::kSum);
  const auto reason = nccl_unsupported(row("nccl:ring"), plain, kRecent, "Tree");
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->rfind("NCCL_ALGO=Tree is set from outside", 0), 0U) << *reason;
  EXPECT_EQ(nccl_unsupported(row("nccl:tree"), plain, kRecent, "tree"), std::nullopt);
  EXPECT_EQ(nccl_unsupported(row("nccl:default"), plain, kRecent, "Tree"), std::nullopt);
}

TEST(NcclList, NumbersAreThoseOfItsHeader) {
  std::set<int> numbers;
  for (const Dtype dtype : kDtypes) numbers.insert(nccl_dtype(dtype));
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(nccl_dtype(Dtype::kFloat32), 7);
  EXPECT_EQ(nccl_dtype(Dtype::kBfloat16), 9);
  EXPECT_EQ(nccl_op(Op::kMax), 2);
  EXPECT_EQ(nccl_op(Op::kMin), 3);
  EXPECT_EQ(nccl_op(Op::kAvg), 4);
}

}  // namespace
}  // namespace arb
