#include "collectives/runners/mpi/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "collectives/runners/mpi/runner.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

int ranks() { return world().size(); }

TEST(World, OneMachineIsOneNodeWithAllRanks) {
  EXPECT_GE(world().rank(), 0);
  EXPECT_LT(world().rank(), ranks());
  EXPECT_FALSE(world().version().empty());
  EXPECT_FALSE(world().simulated());
  for (int some = 1; some <= ranks(); ++some) {
    const std::vector<Node> nodes = world().nodes(some);
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(nodes[0].ranks, host_locality(some).near);
    EXPECT_FALSE(nodes[0].host.empty());
    EXPECT_GE(nodes[0].cores, 1);
  }
}

TEST(World, EverybodyHearsWhatEverybodySays) {
  const auto said_by = [](int rank) {
    return std::string(rank == 1 ? 0 : static_cast<size_t>(rank) * 5000 + 1, "abcdefgh"[rank % 8]);
  };
  const std::vector<std::string> all = world().exchange(said_by(world().rank()));
  ASSERT_EQ(all.size(), static_cast<size_t>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank) {
    EXPECT_EQ(all[static_cast<size_t>(rank)], said_by(rank));
  }
}

TEST(World, EverybodyHearsWhatRank0Says) {
  for (const size_t length : {size_t{0}, size_t{1}, size_t{300000}}) {
    const std::string said(length, 'x');
    EXPECT_EQ(world().broadcast(world().rank() == 0 ? said : "somebody else's words"), said);
  }
}

TEST(World, PretendedNodesAreNumberedByTheirLowestRank) {
  if (ranks() < 3) GTEST_SKIP() << "takes three";
  const size_t before = world().nodes(ranks()).size();
  {
    std::vector<int> node_of(static_cast<size_t>(ranks()), 7);
    node_of[1] = 3;
    const PretendedNodes pretended(node_of);
    const std::vector<Node> nodes = world().nodes(3);
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(nodes[0].ranks, (std::vector<int>{0, 2}));
    EXPECT_EQ(nodes[1].ranks, (std::vector<int>{1}));
  }
  EXPECT_EQ(world().nodes(ranks()).size(), before);
}

TEST(World, AGroupIsOfTheFirstRanks) {
  for (int some = 1; some <= ranks(); ++some) {
    const auto group = world().group(some, settings_of(Path::kAuto));
    ASSERT_EQ(group != nullptr, world().rank() < some);
    if (group == nullptr) continue;
    EXPECT_EQ(group->crew().workers(), some);
    EXPECT_EQ(group->crew().exchange("").size(), static_cast<size_t>(some));
    EXPECT_EQ(group->where(), "between two operations");
    EXPECT_EQ(group->crew().current_operation(), nullptr);
  }
}

TEST(World, SharedMemoryAloneCannotJoinNodes) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  EXPECT_NE(world().group(ranks(), settings_of(Path::kShm)), nullptr) << "one node";
  const PretendedNodes pretended(contiguous(ranks(), 2));
  try {
    world().group(ranks(), settings_of(Path::kShm));
    FAIL() << "two nodes";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("--path auto"), std::string::npos) << error.what();
  }
  const auto alone = world().group(1, settings_of(Path::kShm));  // the first node has it all
  EXPECT_EQ(alone != nullptr, world().rank() == 0);
}

// Which ranks a process sees decides everything.
TEST(World, WhoSeesWhom) {
  const auto near = [](Path path) {
    return world().group(ranks(), settings_of(path))->runner().locality().near;
  };
  const int rank = world().rank();
  EXPECT_EQ(near(Path::kAuto), host_locality(ranks()).near);
  EXPECT_EQ(near(Path::kMessages), std::vector<int>{rank});
  for (const auto& node_of : {contiguous(ranks(), 2), round_robin(ranks(), 2)}) {
    const PretendedNodes pretended(node_of);
    std::vector<int> expected;
    for (int r = 0; r < ranks(); ++r) {
      if (node_of[static_cast<size_t>(r)] == node_of[static_cast<size_t>(rank)]) {
        expected.push_back(r);
      }
    }
    EXPECT_EQ(near(Path::kAuto), expected);
    EXPECT_EQ(near(Path::kMessages), std::vector<int>{rank});
  }
}

TEST(World, SlotsAreChosenForMessagesWhereThereAreAny) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  const Schedule ring = find_algorithm(Collective::kAllReduce, "ring")->build(ranks(), 0);
  const Shape shape = shape_of(size_t{10} << 20);
  const HostFactsForSlots host;
  const auto chosen = [&](Path path) {
    return world().slot_chooser(path, host)(ring, shape, false).slot_bytes;
  };
  const size_t shared = choose_slots(ring, shape, false, host).slot_bytes;
  const size_t sent = choose_message_slots(ring, shape).slot_bytes;
  ASSERT_NE(shared, sent);
  EXPECT_EQ(chosen(Path::kAuto), shared);
  EXPECT_EQ(chosen(Path::kShm), shared);
  EXPECT_EQ(chosen(Path::kMessages), sent);
  const PretendedNodes pretended(contiguous(ranks(), 2));
  EXPECT_EQ(chosen(Path::kAuto), sent);
}

}  // namespace
}  // namespace arb
