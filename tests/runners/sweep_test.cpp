// Counts 1..70 and around powers of two, ranks 1..9, every algorithm, dtype and op, in and out of
// place.
#include <gtest/gtest.h>

#include "tests/runners/harness.hpp"

namespace arb {
namespace {

std::vector<size_t> awkward_counts() {
  std::vector<size_t> counts;
  for (size_t n = 0; n <= 70; ++n) counts.push_back(n);
  for (size_t n = 128; n <= 4096; n *= 2) {
    for (const size_t m : {n - 1, n, n + 1}) counts.push_back(m);
  }
  return counts;
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr size_t kStride =
    11;  // sanitizers cost a factor of ten and more; the release build runs all
#else
constexpr size_t kStride = 1;
#endif

/// One count of a batch that the workers run in one go.
struct Trial {
  Shape shape;
  Prepared prepared;
  CaseBuffers buffers;
  CheckedRun checked;

  Trial(const Shape& wanted, Prepared made, bool in_place, size_t number, Team& team)
      : shape(wanted),
        prepared(std::move(made)),
        buffers(shape, {in_place, 0, 0}),
        checked({shape,
                 in_place,
                 number % 2 == 0 ? DataKind::kExact : DataKind::kRandom,
                 number,
                 true,
                 {}},
                prepared, buffers, 0, team) {}
};

/// Slots of one cache line in every second trial, so that these small counts already take many
/// tiles.
SlotConfig varied_slots(size_t number) {
  SlotConfig config;
  config.slot_bytes = number % 2 == 0 ? 64 : 4096;
  config.slots = 2 + static_cast<int>(number % 3);
  config.direct_bytes = number % 5 < 3 ? 0 : 1 << 20;
  config.stream = number % 7 < 3;
  return config;
}

class Sweep : public testing::TestWithParam<Named> {
 protected:
  void try_all_counts(int ranks, Dtype dtype, Op op, bool in_place) {
    const auto& [collective, algorithm] = GetParam();
    Team& team = shared_team();
    std::vector<std::unique_ptr<Trial>> trials;
    std::vector<Execution> executions;
    for (size_t count : awkward_counts()) {
      if (number_++ % kStride != 0) continue;
      if (blocked(collective)) count *= static_cast<size_t>(ranks);  // elements of a block
      const Shape shape{collective, ranks, ranks / 2, count, dtype, op};
      trials.push_back(
          std::make_unique<Trial>(shape, make(algorithm, shape, in_place, varied_slots(number_)),
                                  in_place, number_ / kStride, team));
      Execution execution{trials.back()->prepared.operation.get(), trials.back()->buffers.set(0),
                          ranks};
      trials.back()->checked.attach(execution);
      executions.push_back(execution);
    }
    team.run(executions);
    for (const auto& trial : trials) {
      const Verdict verdict = trial->checked.verdict();
      ASSERT_TRUE(verdict.ok()) << ranks << " ranks, " << trial->shape.count << " " << name(dtype)
                                << " " << name(op) << (in_place ? ", in place: " : ": ")
                                << verdict.check << ", rank " << verdict.rank << ", index "
                                << verdict.index << ", wanted " << verdict.wanted << ", got "
                                << verdict.got;
    }
    tried_ += trials.size();
  }

  size_t number_ = 0;
  size_t tried_ = 0;
};

TEST_P(Sweep, EveryElementIsRight) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const Dtype dtype : kDtypes) {
      for (const Op op : kOps) {
        if (unsupported(dtype, op)) continue;
        if (!reduces(GetParam().collective) && op != Op::kSum) continue;
        for (const bool in_place : {false, true}) try_all_counts(ranks, dtype, op, in_place);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(tried_, 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, Sweep, testing::ValuesIn(every_algorithm()),
                         [](const auto& each) { return identifier(each.param); });

}  // namespace
}  // namespace arb
