#include "collectives/runners/mpi/runner.hpp"

#include <gtest/gtest.h>

#include <climits>

#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

int ranks() { return world().size(); }

Shape float_shape(Collective collective, int of_ranks, size_t count) {
  return {collective, of_ranks, 0, count, Dtype::kFloat32, Op::kSum};
}

struct Cut {
  SlotConfig config;
  size_t tiles;
};

Cut cut(const char* algorithm, int of_ranks, size_t bytes) {
  const Shape shape = float_shape(Collective::kAllReduce, of_ranks, bytes / sizeof(float));
  const Schedule schedule = find_algorithm(shape.collective, algorithm)->build(of_ranks, 0);
  const SlotConfig config = choose_message_slots(schedule, shape);
  return {config, tile_for(schedule, shape, config).tiles()};
}

TEST(MessageSlots, ARingIsOneTileAsLongAsItsChunksFitTheLargestSlot) {
  for (const size_t bytes : {size_t{0}, size_t{4}, size_t{1000}, size_t{1} << 20,
                             (size_t{1} << 20) + 4, size_t{40} << 20, size_t{64} << 20}) {
    const Cut found = cut("ring", 8, bytes);
    EXPECT_EQ(found.tiles, 1u) << bytes;
    EXPECT_LE(found.config.slot_bytes, size_t{8} << 20);
    EXPECT_LE(found.config.slot_bytes, std::max<size_t>(4 * (bytes / 8 + 64), 64)) << "a waste";
  }
  const Cut large = cut("ring", 8, size_t{1} << 30);
  EXPECT_EQ(large.config.slot_bytes, size_t{8} << 20);
  EXPECT_EQ(large.tiles, 16u);
}

TEST(MessageSlots, ATreeIsAPipelineOfSmallTiles) {
  EXPECT_EQ(cut("tree", 8, 1000).tiles, 1u);
  for (const size_t bytes : {size_t{1} << 20, size_t{64} << 20, size_t{1} << 30}) {
    const Cut found = cut("tree", 8, bytes);
    EXPECT_EQ(found.config.slot_bytes, size_t{64} << 10);
    EXPECT_EQ(found.tiles, bytes / 2 / (size_t{64} << 10)) << "two trees, half of it in each";
  }
}

/// Bytes of the largest message that any step sends or receives.
size_t longest_message(const Schedule& schedule, const Shape& shape, const Tiling& tiling) {
  size_t longest = 0;
  for (const auto& lanes : schedule.lanes) {
    for (const Lane& lane : lanes) {
      for (const Step& step : lane.steps) {
        for (const Slice& slice : {step.local, step.store}) {
          if (!slice) continue;
          for (const size_t tile : {size_t{0}, tiling.tiles() - 1}) {
            longest = std::max(longest, tiling.range(tile, slice.first, slice.count).size);
          }
        }
      }
    }
  }
  return longest * size_of(shape.dtype);
}

TEST(MessageSlots, NoMessageExceedsItsSlotNorWhatMpiCanSend) {
  for (const Algorithm& row : algorithms()) {
    for (int of_ranks = 2; of_ranks <= 9; ++of_ranks) {
      if (row.unsupported != nullptr && row.unsupported(of_ranks)) continue;
      const Schedule schedule = row.build(of_ranks, 0);
      for (size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{70}, size_t{4097},
                           size_t{1000003}, size_t{3} << 30}) {
        if (blocked(row.collective)) count = count / 9 * static_cast<size_t>(of_ranks);
        const Shape shape = float_shape(row.collective, of_ranks, count);
        const SlotConfig config = choose_message_slots(schedule, shape);
        const size_t slot = slot_bytes_for(schedule, shape, config);
        EXPECT_LE(slot, static_cast<size_t>(INT_MAX));
        EXPECT_LE(longest_message(schedule, shape, tile_for(schedule, shape, config)), slot)
            << row.name << ", " << of_ranks << " ranks, " << count;
        EXPECT_EQ(config.slots, 4);
      }
    }
  }
}

std::string protocol(Path path, const std::string& algorithm, size_t count) {
  Job job(settings_of(path));
  const std::string said = job.prepare(algorithm, shape_of(count)).protocol;
  EXPECT_TRUE(same_everywhere(said)) << said;
  return said;
}

TEST(MpiRunner, NamesHowDataMove) {
  EXPECT_EQ(protocol(Path::kAuto, "ring", 100), "shm slots");
  EXPECT_EQ(protocol(Path::kAuto, "one-shot", 100), "shm");
  EXPECT_EQ(protocol(Path::kAuto, "openmpi:default", 100), "mpi");
  if (ranks() == 1) return;
  EXPECT_EQ(protocol(Path::kShm, "naive-root", 1 << 20), "shm direct");
  EXPECT_EQ(protocol(Path::kMessages, "ring", 100), "messages");
  {
    const PretendedNodes pretended(contiguous(ranks(), ranks()));
    EXPECT_EQ(protocol(Path::kAuto, "ring", 100), "messages");
  }
  // The first rank alone on its node, the others together, if there are any.
  std::vector<int> node_of(static_cast<size_t>(ranks()), 1);
  node_of[0] = 0;
  const PretendedNodes pretended(node_of);
  EXPECT_EQ(protocol(Path::kAuto, "ring", 100), ranks() > 2 ? "shm+messages" : "messages");
}

TEST(MpiRunner, SaysWhatItCannotRun) {
  const auto reason = [](Path path, const std::string& name) {
    Job job(settings_of(path));
    return job.runner().unsupported_native(name, shape_of(100)).value_or("");
  };
  EXPECT_EQ(reason(Path::kAuto, "one-shot"), "");
  EXPECT_EQ(reason(Path::kAuto, "openmpi:default"), "");
  EXPECT_EQ(reason(Path::kMessages, "openmpi:default"), "");
  EXPECT_NE(reason(Path::kAuto, "no-such").find("no such algorithm"), std::string::npos);
  EXPECT_NE(reason(Path::kAuto, "openmpi:no-such").find("no such algorithm"), std::string::npos);
  for (const char* name : {"one-shot", "two-shot"}) {
    EXPECT_EQ(reason(Path::kMessages, name) == "", ranks() == 1) << "they share no memory";
  }
}

// 32768 tags are all there are: they begin anew, while early operations are long gone.
TEST(MpiRunner, TagsDoNotRunOut) {
  if (ranks() != 2) GTEST_SKIP() << "takes two, and long with more";
  Job job(settings_of(Path::kMessages));
  const Shape shape = shape_of(3);
  for (int made = 0; made < 17000; ++made) job.prepare("tree", shape);
  const Prepared prepared = job.prepare("tree", shape);
  const CaseBuffers buffers(shape, {}, job.runner().locality());
  CheckedRun checked({shape, false, DataKind::kExact, 1, true, {}}, prepared, buffers, 0,
                     job.crew());
  Execution execution{prepared.operation.get(), buffers.set(0), ranks()};
  checked.attach(execution);
  job.crew().run({&execution, 1});
  const Verdict verdict = checked.verdict();
  EXPECT_TRUE(verdict.ok()) << describe(verdict);
}

TEST(MpiRunner, OperationsInWorkAtOnceDoNotMix) {
  Job job(settings_of(Path::kMessages));
  struct One {
    Prepared prepared;
    CaseBuffers buffers;
  };
  std::vector<std::unique_ptr<One>> all;
  const Shape shape = shape_of(5000);
  for (const char* algorithm : {"ring", "tree", "ring", "naive-root"}) {
    all.push_back(std::make_unique<One>(
        One{job.prepare(algorithm, shape), {shape, {}, job.runner().locality()}}));
  }
  std::vector<std::unique_ptr<CheckedRun>> checks;
  std::vector<Execution> executions;
  for (uint64_t round = 0; round < 5; ++round) {
    for (const auto& one : all) {
      checks.push_back(std::make_unique<CheckedRun>(
          CheckRequest{shape, false, DataKind::kRandom, round, true, {}}, one->prepared,
          one->buffers, 0, job.crew()));
      executions.push_back({one->prepared.operation.get(), one->buffers.set(0), ranks()});
      executions.back().batch = 1 + static_cast<int>(round);  // back to back, no barrier between
      checks.back()->attach(executions.back());
    }
  }
  job.crew().run(executions);
  for (const auto& check : checks) {
    const Verdict verdict = check->verdict();
    EXPECT_TRUE(verdict.ok()) << describe(verdict);
  }
}

}  // namespace
}  // namespace arb
