// What the user fixes is what runs; what is not proved does not.
#include "bench/measure/prepared.hpp"

#include <gtest/gtest.h>

#include "collectives/runners/host/runner.hpp"
#include "tests/runners/harness.hpp"

namespace arb {
namespace {

Prepared prepare(Preparer& preparer, const std::string& algorithm, const Shape& shape,
                 bool in_place) {
  HostRunner runner(shape.ranks, {});
  return preparer.prepare(algorithm, shape, in_place, runner);
}

TEST(Preparer, SlotsAndTheirSizeAreTheUsersChoice) {
  const Shape shape{Collective::kAllReduce, 4, 0, 100000, Dtype::kFloat32, Op::kSum};
  Preparer preparer(host_slot_chooser({}), {.slots = 7, .slot_bytes = 1024});
  const Prepared prepared = prepare(preparer, "ring", shape, false);
  EXPECT_EQ(prepared.config->slots, 7);
  EXPECT_EQ(prepared.config->slot_bytes, 1024u);
  EXPECT_EQ(prepared.operation->tiling().tile() * 4, 4u * 1024);
  Preparer fresh(host_slot_chooser({}), {});
  const Prepared free = prepare(fresh, "ring", shape, false);
  EXPECT_EQ(free.config->slots, 4);
  EXPECT_GT(free.config->slot_bytes, 1024u);
}

TEST(Preparer, TooFewSlotsAreRefusedInWords) {
  const Preparer preparer(host_slot_chooser({}), {.slots = 1, .slot_bytes = {}});
  Shape shape{Collective::kAllReduce, 4, 0, 100, Dtype::kFloat32, Op::kSum};
  const auto reason = preparer.unsupported("ring", shape, HostRunner(shape.ranks, {}));
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("--slots 2"), std::string::npos) << *reason;
  shape.ranks = 1;
  EXPECT_FALSE(preparer.unsupported("ring", shape, HostRunner(shape.ranks, {})));
  EXPECT_FALSE(Preparer(host_slot_chooser({}), {})
                   .unsupported("ring", {Collective::kAllReduce, 4, 0, 100}, HostRunner(4, {})));
}

TEST(Preparer, TheProtocolSaysWhetherBuffersAreReadDirectly) {
  Preparer preparer(host_slot_chooser({}), {});
  Shape shape{Collective::kAllReduce, 2, 0, 1 << 20, Dtype::kFloat32, Op::kSum};
  EXPECT_EQ(prepare(preparer, "ring", shape, false).protocol, "direct");
  EXPECT_EQ(prepare(preparer, "two-shot", shape, false).protocol, "shared");
  shape.count = 8;
  EXPECT_EQ(prepare(preparer, "ring", shape, false).protocol, "slots");
}

TEST(Preparer, TheMemoryAnnouncedCoversTheSlots) {
  for (const Named& named : every_algorithm()) {
    for (const int ranks : {2, 3, 8}) {
      for (const size_t count : {size_t{24}, size_t{24} << 12}) {
        const Shape shape{named.collective, ranks, 0, count, Dtype::kFloat32, Op::kSum};
        for (const bool in_place : {false, true}) {
          Preparer preparer(host_slot_chooser({}), {});
          const Prepared prepared = prepare(preparer, named.algorithm, shape, in_place);
          const auto* scheduled = dynamic_cast<ScheduledOperation*>(prepared.operation.get());
          if (scheduled == nullptr) continue;
          EXPECT_GT(preparer.slot_memory(named.algorithm, shape, in_place), 0u);
          EXPECT_GE(preparer.slot_memory(named.algorithm, shape, in_place),
                    scheduled->slot_memory_bytes())
              << identifier(named) << " " << ranks << " " << count;
        }
      }
    }
  }
}

TEST(Preparer, ChannelsAndLinesTakeMemoryOfTheirOwn) {
  const auto memory = [](int channels, bool lines) {
    const SlotChooser chooser = [=](const Schedule&, const Shape&, bool) {
      SlotConfig config;
      config.slot_bytes = 65536;
      config.channels = channels;
      config.lines = lines;
      return config;
    };
    const Shape shape{Collective::kAllReduce, 4, 0, 1 << 20, Dtype::kFloat32, Op::kSum};
    return Preparer(chooser, {}).slot_memory("ring", shape, false);
  };
  EXPECT_EQ(memory(3, false), 3 * memory(1, false));
  EXPECT_GE(memory(1, true), memory(1, false) + 4 * 4 * 65536)
      << "4 FIFOs of 4 slots, twice as wide";
}

TEST(Preparer, OneServesEveryRootAndBothPlaces) {
  for (const Named& named : every_algorithm()) {
    Preparer preparer(host_slot_chooser({}), {});
    for (const bool in_place : {false, true}) {
      for (const int root : {0, 2, 1}) {
        const Shape shape{named.collective, 3, root, 3 * 5001, Dtype::kFloat32, Op::kSum};
        const Prepared prepared = prepare(preparer, named.algorithm, shape, in_place);
        const Ran ran = run_checked(shared_team(), prepared, shape, in_place);
        EXPECT_TRUE(ran.verdict.ok()) << ran.context << ", root " << root;
        if (prepared.proof == nullptr) continue;
        // The proof is the one of this place: facts differ where input and output are one.
        const Schedule schedule = find_algorithm(named.collective, named.algorithm)->build(3, root);
        const Proof wanted = prove(schedule, named.collective, root, 4, in_place);
        for (size_t r = 0; r < 3; ++r) {
          for (size_t l = 0; l < wanted.facts[r].size(); ++l) {
            for (size_t s = 0; s < wanted.facts[r][l].size(); ++s) {
              EXPECT_EQ(prepared.proof->facts[r][l][s].direct, wanted.facts[r][l][s].direct)
                  << ran.context;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace arb
