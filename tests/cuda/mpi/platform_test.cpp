// What the program makes of GPUs on several nodes.
#include "bench/platform.hpp"

#include <gtest/gtest.h>

#include "bench/job.hpp"
#include "collectives/error.hpp"
#include "tests/cuda/mpi/nodes.hpp"

namespace arb {
namespace {

Options on_gpus() {
  Options options;
  options.backend = "cuda";
  options.ranks_per_gpu = 2;
  return options;
}

TEST(SeveralNodes, TakeRanksAndCallThemByTheirNumbers) {
  emulated::configure({});
  const PretendedNodes pretended(contiguous(world().size(), 2));
  const Options options = on_gpus();
  EXPECT_EQ(settled_backend(options, &world(), gpus_here), "cuda");
  const auto platform = cuda_platform(&world(), options, read_system(), {});
  const int ranks = 2 * world().size();
  const std::vector<Node> nodes = platform->nodes(ranks);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].ranks.front(), 0);
  EXPECT_EQ(nodes[0].ranks.size() + nodes[1].ranks.size(), static_cast<size_t>(ranks));
  EXPECT_EQ(nodes[1].ranks.back(), ranks - 1);
  EXPECT_EQ(platform->nodes(2).size(), 1u);
  ASSERT_TRUE(platform->enter(ranks));
  Record record;
  platform->annotate(record);
  EXPECT_EQ(record.transport, "messages");
  EXPECT_EQ(record.gpus, world().size());
}

TEST(SeveralNodes, AreNotForLines) {
  emulated::configure({});
  Options options = on_gpus();
  options.protocol = "ll";
  EXPECT_EQ(settled_backend(options, &world(), gpus_here), "cuda");
  const PretendedNodes pretended(contiguous(world().size(), 2));
  try {
    settled_backend(options, &world(), gpus_here);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("--protocol ll"), std::string::npos) << error.what();
  }
  options.ranks = {2};  // of one GPU
  EXPECT_EQ(settled_backend(options, &world(), gpus_here), "cuda");
}

}  // namespace
}  // namespace arb
