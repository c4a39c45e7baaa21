// Every algorithm at many rank counts: proved, and run by an interpreter that knows nothing of the
// proof.
#include <gtest/gtest.h>

#include <numeric>

#include "collectives/algorithms/registry.hpp"
#include "toy_runner.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

class EveryAlgorithm : public testing::TestWithParam<Algorithm> {
 protected:
  std::vector<int> roots(int ranks) const {
    if (!has_root(GetParam().collective)) return {0};
    if (ranks > 9) return {0, ranks / 2, ranks - 1};
    std::vector<int> all(static_cast<size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

std::string show(const Proof& proof) {
  std::string text;
  for (const Finding& finding : proof.findings)
    text += finding.kind + ": " + finding.message + "\n";
  return text;
}

TEST_P(EveryAlgorithm, IsProved) {
  const Algorithm& row = GetParam();
  std::vector<int> counts(33);
  std::iota(counts.begin(), counts.end(), 1);
  counts.push_back(64);
  for (const int ranks : counts) {
    if (row.unsupported != nullptr && row.unsupported(ranks)) continue;
    for (const int root : roots(ranks)) {
      const Schedule schedule = row.build(ranks, root);
      for (int slots = row.min_slots; slots <= 8; ++slots) {
        for (const bool in_place : {false, true}) {
          const Proof proof = prove(schedule, row.collective, root, slots, in_place);
          ASSERT_TRUE(proof.ok()) << ranks << " ranks, root " << root << ", " << slots
                                  << " slots, in place " << in_place << "\n"
                                  << show(proof);
        }
      }
    }
  }
}

TEST_P(EveryAlgorithm, RunsRightAndDirectBuffersStayStable) {
  const Algorithm& row = GetParam();
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
    for (const int root : roots(ranks)) {
      const Schedule schedule = row.build(ranks, root);
      for (const int slots : {row.min_slots, 3}) {
        for (const bool in_place : {false, true}) {
          const Proof proof = prove(schedule, row.collective, root, slots, in_place);
          ASSERT_TRUE(proof.ok());
          for (uint64_t seed = 1; seed <= 5; ++seed) {
            ASSERT_EQ(
                toy_run(schedule, {row.collective, root, slots, in_place}, seed, &proof.facts), "")
                << ranks << " ranks, root " << root << ", slots " << slots << ", in place "
                << in_place << ", seed " << seed;
          }
        }
      }
    }
  }
}

TEST_P(EveryAlgorithm, CompletesEachResultExactlyWhereItBecomesWhole) {
  const Algorithm& row = GetParam();
  for (const int ranks : {2, 3, 4, 7, 8}) {
    const Schedule schedule = row.build(ranks, 0);
    const Proof proof = prove(schedule, row.collective, 0, row.min_slots, false);
    ASSERT_TRUE(proof.ok());
    int completed = 0;  // chunks
    for (size_t rank = 0; rank < proof.facts.size(); ++rank) {
      for (size_t lane = 0; lane < proof.facts[rank].size(); ++lane) {
        for (size_t i = 0; i < proof.facts[rank][lane].size(); ++i) {
          if (!proof.facts[rank][lane][i].completes) continue;
          const Step& step = schedule.lanes[rank][lane].steps[i];
          EXPECT_TRUE(step.reduces());
          EXPECT_TRUE(step.store) << "a completed sum has to be kept";
          completed += step.local.count;
        }
      }
    }
    if (!reduces(row.collective)) {
      EXPECT_EQ(completed, 0);
    } else if (row.name == "recursive-doubling") {
      EXPECT_EQ(completed, ranks >= 8 ? 8 : ranks >= 4 ? 4 : 2);  // every core rank, for itself
    } else {
      EXPECT_EQ(completed, schedule.chunks);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryAlgorithm,
                         testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& row) {
                           std::string text = std::string(name(row.param.collective)) + "_" +
                                              std::string(row.param.name);
                           for (char& c : text) c = c == '-' ? '_' : c;
                           return text;
                         });

TEST(Prove, RingOf1024Ranks) {
  const Algorithm& ring = *find_algorithm(Collective::kAllReduce, "ring");
  const Schedule schedule = ring.build(1024, 0);
  const Proof proof = prove(schedule, ring.collective, 0, 2, true);
  ASSERT_TRUE(proof.ok()) << show(proof);
  EXPECT_EQ(proof.latency_steps, 2 * 1023);
  EXPECT_EQ(proof.max_sent_chunks(), 2 * 1023);
  const Proof stuck = prove(schedule, ring.collective, 0, 1, false);
  ASSERT_EQ(stuck.findings.size(), 1U);
  EXPECT_EQ(stuck.findings[0].kind, "deadlock");
  EXPECT_NE(stuck.findings[0].message.find("cycle of 1024 steps"), std::string::npos);
  EXPECT_LT(stuck.findings[0].message.size(), 1000U) << "long cycles are shortened";
}

}  // namespace
}  // namespace arb
