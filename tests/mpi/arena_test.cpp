#include "collectives/runners/mpi/arena.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/backing.hpp"

namespace arb {
namespace {

bool all_zero(const std::byte* at, size_t bytes) {
  return std::all_of(at, at + bytes, [](std::byte b) { return b == std::byte{0}; });
}

class ArenaOfAll : public testing::Test {
 protected:
  ArenaOfAll() : rank(all.rank()), ranks(all.size()) {}

  static Waiting with_deadline() {
    Waiting waiting(0);
    waiting.set_deadline(std::chrono::steady_clock::now() + std::chrono::seconds(120));
    return waiting;
  }
  bool same_everywhere(const void* address) const {
    const auto texts = waiting.exchange(std::to_string(reinterpret_cast<uintptr_t>(address)), all);
    return std::set<std::string>(texts.begin(), texts.end()).size() == 1;
  }

  Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  Waiting waiting = with_deadline();
  Arena arena{all, waiting};
  int rank;
  int ranks;
};

TEST_F(ArenaOfAll, BlocksAreZeroedAlignedApartAndAtTheSameAddressEverywhere) {
  const std::vector<size_t> sizes = {1,     64,    4095,    4096,          4097,
                                     12345, 65536, 1 << 20, (5 << 20) + 3, 1 << 25};
  std::vector<std::shared_ptr<std::byte>> blocks;
  for (const size_t bytes : sizes) {
    blocks.push_back(arena.allocate(bytes));
    const std::byte* at = blocks.back().get();
    ASSERT_NE(at, nullptr);
    if (ranks > 1) {
      EXPECT_TRUE(same_everywhere(at)) << bytes;
    }
    EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % 4096, 0u);
    EXPECT_TRUE(all_zero(at, bytes)) << bytes;
    ASSERT_TRUE(arena.meet());
    std::memset(blocks.back().get(), 0xEE, bytes);  // would show in a later block
    ASSERT_TRUE(arena.meet());
  }
  EXPECT_EQ(arena.allocate(0), nullptr);
}

constexpr int kAddressesOnly = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/// Takes all addresses of a range that are free.
class Obstacle {
 public:
  Obstacle(uintptr_t at, size_t bytes) { take(at, bytes); }
  ~Obstacle() {
    for (const auto& [at, bytes] : taken_) munmap(at, bytes);
  }
  Obstacle(const Obstacle&) = delete;
  Obstacle& operator=(const Obstacle&) = delete;

 private:
  void take(uintptr_t at, size_t bytes) {
    void* const got = mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE,
                           kAddressesOnly | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED) {
      taken_.emplace_back(got, bytes);
    } else if (bytes > 4096) {
      take(at, bytes / 2);
      take(at + bytes / 2, bytes / 2);
    }
  }

  std::vector<std::pair<void*, size_t>> taken_;
};

TEST_F(ArenaOfAll, WhatIsInTheWayInOtherProcessesMayBeLarge) {
  constexpr size_t kBytes = 12288, kInTheWay = size_t{1} << 30, kAbove = size_t{1} << 28;
  void* const next = mmap(nullptr, kBytes, PROT_NONE, kAddressesOnly, -1, 0);
  munmap(next, kBytes);
  auto end = reinterpret_cast<uintptr_t>(next) + kAbove;
  MPI_Bcast(&end, 1, MPI_UINT64_T, 0, all.get());
  std::optional<Obstacle> obstacle;
  if (rank != 0) obstacle.emplace(end - kInTheWay, kInTheWay);
  ASSERT_TRUE(arena.meet());
  const std::shared_ptr<std::byte> block = arena.allocate(kBytes);
  ASSERT_NE(block, nullptr);
  if (ranks > 1) {
    EXPECT_TRUE(same_everywhere(block.get()));
  }
  EXPECT_TRUE(all_zero(block.get(), kBytes));
}

TEST_F(ArenaOfAll, WritesAreSeenByTheOthersAfterTheyMet) {
  const auto block = arena.allocate(sizeof(int) * static_cast<size_t>(ranks));
  int* const values = reinterpret_cast<int*>(block.get());
  for (int round = 1; round <= 300; ++round) {
    values[rank] = round * 100 + rank;
    ASSERT_TRUE(arena.meet());
    for (int r = 0; r < ranks; ++r) ASSERT_EQ(values[r], round * 100 + r);
    ASSERT_TRUE(arena.meet());
  }
}

TEST_F(ArenaOfAll, AFreeBlockIsUsedAgainZeroedForNotMuchLess) {
  if (ranks == 1) GTEST_SKIP() << "private memory";
  const size_t bytes = size_t{1} << 20;
  auto block = arena.allocate(bytes);
  const std::byte* const first = block.get();
  std::memset(block.get(), 0x55, bytes);
  const auto other = arena.allocate(bytes);
  EXPECT_NE(other.get(), first) << "it is in use";
  block.reset();
  block = arena.allocate(bytes / 2);
  EXPECT_EQ(block.get(), first);
  EXPECT_TRUE(all_zero(block.get(), bytes / 2));
  ASSERT_TRUE(arena.meet());
  block.reset();
  const auto small = arena.allocate(bytes / 16);
  EXPECT_NE(small.get(), first) << "a waste";
  const auto large = arena.allocate(bytes + 1);
  EXPECT_NE(large.get(), first) << "too small";
}

// Who is late still writes to the old block; who is early already writes to the new one.
TEST_F(ArenaOfAll, NobodyWritesBetweenTheOldUseAndTheNew) {
  const size_t part = size_t{1} << 20;
  const size_t bytes = part * static_cast<size_t>(ranks);
  for (int round = 0; round < 8; ++round) {
    auto block = arena.allocate(bytes);
    std::byte* const own = block.get() + static_cast<size_t>(rank) * part;
    std::byte* const last = own + part - 1;
    ASSERT_EQ(*last, std::byte{0}) << "round " << round;
    *last = std::byte{1};
    ASSERT_TRUE(arena.meet());
    ASSERT_EQ(*last, std::byte{1}) << "round " << round;
    if (rank == ranks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    *last = std::byte{2};
    block.reset();
  }
}

TEST_F(ArenaOfAll, MeetGivesUpAtTheDeadline) {
  if (ranks == 1) GTEST_SKIP() << "nobody to wait for";
  Waiting impatient(0);
  Arena own(all, impatient);
  ASSERT_TRUE(own.meet());
  if (rank != 0) {
    impatient.set_deadline(std::chrono::steady_clock::now());
    EXPECT_FALSE(own.meet()) << "rank 0 has not come";
  }
  check_mpi(MPI_Barrier(all.get()), "MPI_Barrier");
}

TEST_F(ArenaOfAll, MoreThanThereIsEndsInAnErrorThatNamesTheRemedyOnAll) {
  try {
    arena.allocate(size_t{1} << 50);
    FAIL() << "there is no such memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    if (ranks > 1) {
      EXPECT_NE(std::string(error.what()).find("--shm-size"), std::string::npos) << error.what();
    }
  }
  const auto block = arena.allocate(100);  // still of use
  EXPECT_TRUE(all_zero(block.get(), 100));
}

// Blocks that nobody has touched yet leave the free space as it is.
TEST_F(ArenaOfAll, UntouchedBlocksCountToo) {
  if (ranks == 1) GTEST_SKIP() << "private memory";
  size_t half = 0;
  {
    const auto block = arena.allocate(4096);
    half = free_bytes(folder_behind(block.get())) / 5 * 3;
  }
  check_mpi(MPI_Bcast(&half, 1, MPI_UINT64_T, 0, all.get()), "MPI_Bcast");
  const auto first = arena.allocate(half);
  EXPECT_THROW(arena.allocate(half), Error);
}

TEST(Backing, IsTheFolderOfTheMappedFile) {
  char name[] = "/tmp/arena-test-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, 8192), 0);
  void* const at = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(at, MAP_FAILED);
  EXPECT_EQ(folder_behind(static_cast<std::byte*>(at) + 8191), "/tmp");
  unlink(name);
  EXPECT_EQ(folder_behind(at), "/tmp") << "of a deleted file too";
  munmap(at, 8192);
  close(file);
  EXPECT_EQ(folder_behind(at), "");
  const auto memory = private_memory(4096);
  EXPECT_EQ(folder_behind(memory.get()), "");
  EXPECT_GT(free_bytes("/tmp"), 0u);
  EXPECT_LT(free_bytes("/tmp"), SIZE_MAX);
  EXPECT_EQ(free_bytes(""), SIZE_MAX);
  EXPECT_EQ(free_bytes("/nowhere"), SIZE_MAX);
}

TEST(Arena, OfOneProcessIsPrivate) {
  const Communicator self = Communicator::duplicate(MPI_COMM_SELF);
  const Waiting waiting(0);
  Arena arena(self, waiting);
  EXPECT_TRUE(arena.meet());
  auto block = arena.allocate(5000);
  EXPECT_TRUE(all_zero(block.get(), 5000));
  std::memset(block.get(), 1, 5000);
  block = arena.allocate(5000);
  EXPECT_TRUE(all_zero(block.get(), 5000));
}

TEST(Arena, SeveralNodesOfAMachineHaveTheirOwn) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part), "MPI_Comm_split");
  const Communicator node(part);
  const Waiting waiting(0);
  Arena arena(node, waiting);
  const auto block = arena.allocate(4096);
  int* const sum = reinterpret_cast<int*>(block.get());
  std::atomic_ref<int>(*sum).fetch_add(1 + rank % 2);
  ASSERT_TRUE(arena.meet());
  EXPECT_EQ(*sum, node.size() * (1 + rank % 2));
  ASSERT_TRUE(arena.meet());
}

}  // namespace
}  // namespace arb
