#include "collectives/algorithms/registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "verify/prove.hpp"

namespace arb {
namespace {

TEST(Registry, RowsAreCompleteAndUnique) {
  std::set<std::pair<Collective, std::string_view>> seen;
  for (const Algorithm& row : algorithms()) {
    EXPECT_TRUE(seen.emplace(row.collective, row.name).second) << row.name << " twice";
    EXPECT_NE(row.build, nullptr) << row.name;
    EXPECT_GT(row.summary.size(), 30U) << row.name;
    EXPECT_GE(row.min_slots, 1) << row.name;
    EXPECT_EQ(find_algorithm(row.collective, row.name), &row);
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos)
        << row.name;
  }
  for (const Collective collective : kCollectives) {
    bool any = false;
    for (const Algorithm& row : algorithms()) any |= row.collective == collective;
    EXPECT_TRUE(any) << name(collective);
  }
}

TEST(Registry, UnknownNamesAreNotReplaced) {
  EXPECT_EQ(find_algorithm(Collective::kAllReduce, "rnig"), nullptr);
  EXPECT_EQ(find_algorithm(Collective::kBroadcast, "rabenseifner"), nullptr);
}

TEST(Registry, OneSlotTooFewIsADeadlockThatNamesTheCycle) {
  int tried = 0;
  for (const Algorithm& row : algorithms()) {
    for (const int ranks : {3, 4, 5, 8, 16}) {
      if (row.min_slots == 1) continue;
      ++tried;
      const Proof proof = prove(row.build(ranks, 0), row.collective, 0, row.min_slots - 1, false);
      ASSERT_EQ(proof.findings.size(), 1U) << row.name;
      const Finding& finding = proof.findings[0];
      EXPECT_EQ(finding.kind, "deadlock");
      EXPECT_EQ(finding.rank, 0);
      EXPECT_EQ(finding.step, 1);
      const std::string cycle = "in a cycle of " + std::to_string(ranks) + " steps";
      EXPECT_NE(finding.message.find(cycle), std::string::npos) << finding.message;
      for (int rank = 0; rank < ranks && ranks <= 8; ++rank) {
        const std::string link = "free slot from rank " + std::to_string(rank) + " lane 0 step 1";
        EXPECT_NE(finding.message.find(link), std::string::npos) << finding.message;
      }
    }
  }
  EXPECT_EQ(tried, 15);
}

}  // namespace
}  // namespace arb
