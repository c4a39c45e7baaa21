// A GPU that did nothing, or is contradicted by the host, is not believed.
#include <gtest/gtest.h>

#include "tests/cuda/verify/device_message.hpp"
#include "verify/cuda/device_judge.hpp"

namespace arb {
namespace {

using test::words;

CheckFinding finding(uint64_t compared, uint64_t wrong = 0, uint64_t rank = 0, uint64_t index = 0) {
  CheckFinding found;
  found.compared = compared;
  found.wrong = wrong;
  if (wrong > 0) found.first_key = rank << 48 | index;
  return found;
}

Verdict host_verdict(int64_t wrong, int rank, int64_t index) {
  Verdict verdict;
  verdict.wrong = wrong;
  verdict.check = "oracle";
  verdict.rank = rank;
  verdict.index = index;
  verdict.wanted = "1";
  verdict.got = "2";
  return verdict;
}

const CheckItem kItem{1, {4096, 100}};

TEST(DeviceVerdict, ACheckThatComparedNothingIsWrong) {
  const Verdict verdict = DeviceVerdict(finding(0), 1000).verdict();
  EXPECT_EQ(verdict.check, "device check");
  EXPECT_EQ(verdict.wrong, 1);
  EXPECT_EQ(verdict.wanted, "1000 comparisons");
  EXPECT_EQ(verdict.got, "0");
  EXPECT_EQ(DeviceVerdict(finding(999), 1000).verdict().check, "device check");
  EXPECT_EQ(DeviceVerdict(finding(1001), 1000).verdict().check, "device check");
  EXPECT_TRUE(DeviceVerdict(finding(1000), 1000).verdict().ok());
}

TEST(DeviceVerdict, AnErrorThatOnlyTheHostSeesIsAContradiction) {
  DeviceVerdict device(finding(1000), 1000);
  device.compare(kItem, finding(0), host_verdict(3, 2, 4100));
  const Verdict verdict = device.verdict();
  EXPECT_EQ(verdict.check, "device check");
  EXPECT_EQ(verdict.wrong, 3);
  EXPECT_EQ(verdict.rank, 2);
  EXPECT_EQ(verdict.wanted, "of the host: 3 wrong, first at rank 2, index 4100");
  EXPECT_EQ(verdict.got, "of the GPU: nothing wrong");
}

TEST(DeviceVerdict, AnErrorThatOnlyTheGpuSeesIsAContradiction) {
  DeviceVerdict device(finding(1000, 5, 1, 4097), 1000);
  device.compare(kItem, finding(100, 5, 1, 4097), Verdict{});
  EXPECT_EQ(device.verdict().check, "device check");
  EXPECT_EQ(device.verdict().rank, 1);
  EXPECT_EQ(device.verdict().wrong, 5);
}

TEST(DeviceVerdict, CountAndPlaceMustBeTheSame) {
  for (const CheckFinding& other :
       {finding(100, 2, 1, 4097), finding(100, 1, 2, 4097), finding(100, 1, 1, 4098)}) {
    DeviceVerdict device(finding(1000, 1, 1, 4097), 1000);
    device.compare(kItem, other, host_verdict(1, 1, 4097));
    EXPECT_EQ(device.verdict().check, "device check");
  }
}

TEST(DeviceVerdict, TheHostNamesTheFirstAndTheGpuCounts) {
  DeviceVerdict device(finding(1000, 40, 1, 4097), 1000);
  device.compare(kItem, finding(100, 2, 1, 9000), host_verdict(2, 1, 9000));
  device.compare(kItem, finding(100, 1, 1, 4097), host_verdict(1, 1, 4097));
  EXPECT_EQ(words(device.verdict()), words(host_verdict(40, 1, 4097)));
}

}  // namespace
}  // namespace arb
