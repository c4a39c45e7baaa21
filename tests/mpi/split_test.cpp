// Parts of a job, each a world of its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/measure/case_run.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

int ranks() { return world().size(); }

/// [rank] -> colour: pairs of neighbours, and an odd one that has no part.
std::vector<int> pairs() {
  std::vector<int> colours;
  for (int rank = 0; rank < ranks(); ++rank) {
    colours.push_back(rank / 2 * 2 + 1 < ranks() ? rank / 2 : kNone);
  }
  return colours;
}

std::unique_ptr<World> split(const std::vector<int>& colours) {
  return world().split(colours[static_cast<size_t>(world().rank())]);
}

TEST(Split, RanksKeepTheirOrderAndWhoSaysNoneHasNoPart) {
  std::vector<int> colours;  // dealt out in turn, the last one rests
  for (int rank = 0; rank < ranks(); ++rank) colours.push_back(rank % 2);
  if (ranks() > 1) colours.back() = kNone;
  const auto part = split(colours);
  const int own = colours[static_cast<size_t>(world().rank())];
  ASSERT_EQ(part != nullptr, own != kNone);
  if (part == nullptr) return;
  std::vector<std::string> expected;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (colours[static_cast<size_t>(rank)] == own) expected.push_back(std::to_string(rank));
  }
  EXPECT_EQ(part->size(), static_cast<int>(expected.size()));
  EXPECT_EQ(part->exchange(std::to_string(world().rank())), expected);
  EXPECT_EQ(part->broadcast(std::to_string(world().rank())), expected.front());
  EXPECT_EQ(part->version(), world().version());
  part->meet();
}

TEST(Split, PlacesOrderTheRanks) {
  const auto part = world().split(0, -(world().rank() / 2));
  std::vector<int> expected;
  for (int rank = 0; rank < ranks(); ++rank) expected.push_back(rank);
  std::stable_sort(expected.begin(), expected.end(), [](int a, int b) { return a / 2 > b / 2; });
  const std::vector<std::string> all = part->exchange(std::to_string(world().rank()));
  ASSERT_EQ(all.size(), expected.size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::to_string(expected[i]));
}

TEST(Split, NodesAreThoseOfThePart) {
  if (ranks() < 3) GTEST_SKIP() << "takes three";
  const PretendedNodes pretended(round_robin(ranks(), 3));
  std::vector<int> colours(static_cast<size_t>(ranks()), 0);
  colours[0] = kNone;  // the node with number 0 may be gone altogether
  const auto part = split(colours);
  if (part == nullptr) return;
  const std::vector<Node> nodes = part->nodes(part->size());
  ASSERT_EQ(nodes.size(), ranks() > 3 ? 3U : 2U);
  for (int rank = 0; rank < part->size(); ++rank) {
    const auto node = static_cast<size_t>(rank % 3);
    EXPECT_EQ(nodes[node].ranks[static_cast<size_t>(rank / 3)], rank);
  }
  const Node before = world().nodes(ranks())[1];
  EXPECT_EQ(nodes[0].host, before.host);
  EXPECT_EQ(nodes[0].cores, before.cores);
}

/// The right result of a ring in each part, whatever the others do.
void run_side_by_side(const std::vector<int>& colours, Path path, int times) {
  const auto part = split(colours);
  if (part != nullptr) {
    const GroupSettings settings = settings_of(path);
    const auto group = part->group(part->size(), settings);
    Preparer preparer(part->slot_chooser(path, settings.host), {});
    Shape shape = shape_of(3001);
    shape.ranks = part->size();
    shape.root = 0;
    const CaseBuffers buffers(shape, {}, group->runner().locality());
    CaseSettings brief;
    brief.checks = times;
    brief.iterations = times;
    brief.warmup = 1;
    std::vector<Prepared> ring;
    ring.push_back(preparer.prepare("ring", shape, false, group->runner()));
    CaseRun run(group->crew(), shape, false, buffers, std::move(ring), brief);
    run.check();
    run.measure();
    EXPECT_EQ(run.result(0).verify.verdict, "ok");
    EXPECT_EQ(run.result(0).time->n, times);
  }
  world().meet();
}

TEST(Split, PartsWorkSideBySideInSharedMemory) {
  run_side_by_side(pairs(), Path::kAuto, 3);
  run_side_by_side(pairs(), Path::kShm, 1);
}

TEST(Split, PartsWorkSideBySideWithMessages) {
  run_side_by_side(pairs(), Path::kMessages, 3);
  const PretendedNodes pretended(round_robin(ranks(), 2));
  run_side_by_side(pairs(), Path::kAuto, 3);
}

TEST(Split, OnePartIsAsLongAtWorkAsItLikes) {
  const auto part = split(pairs());
  if (part != nullptr && world().rank() < 2) {
    for (int i = 0; i < 20; ++i) part->exchange(std::string(1000, 'x'));
  }
  world().meet();
  EXPECT_TRUE(same_everywhere("still one"));
}

TEST(Split, APartOfAPart) {
  if (ranks() < 4) GTEST_SKIP() << "takes four";
  const auto part = world().split(world().rank() < 3 ? 1 : kNone);
  if (part == nullptr) return;
  const auto of_part = part->split(part->rank() == 1 ? kNone : 0);
  ASSERT_EQ(of_part != nullptr, part->rank() != 1);
  if (of_part == nullptr) return;
  EXPECT_EQ(of_part->exchange("").size(), 2U);
}

}  // namespace
}  // namespace arb
