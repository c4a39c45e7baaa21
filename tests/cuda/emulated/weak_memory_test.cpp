// Errors of memory order that a processor with strong order would hide: each is found by some seed,
// and the right program fails with none.
#include <cstdlib>
#include <functional>

#include "tests/cuda/emulated/support.hpp"

namespace arb::emulated::weak_memory_test {

constexpr uint32_t kWords = 24;
constexpr uint32_t kRounds = 6;
constexpr int kSeeds = 60;

enum class Mistake : uint32_t {
  kNone,
  kRelaxedStore,  // instead of release
  kGpuScope,      // instead of system
  kRelaxedLoad,   // instead of acquire
};

struct Args {
  uint32_t* data = nullptr;    // kWords for each round
  uint32_t* flag = nullptr;    // rounds published
  uint32_t* credit = nullptr;  // rounds read
  uint32_t* wrong = nullptr;
  Mistake mistake = Mistake::kNone;
  uint32_t first_block = 0;  // role of block 0: 0 sends, 1 receives
};

template <Scope kScope>
void publish(uint32_t* flag, uint32_t value, bool relaxed) {
  if (relaxed) {
    store_relaxed<kScope>(flag, value);
  } else {
    store_release<kScope>(flag, value);
  }
}

/// One sends, the other receives, over the same memory again and again.
void exchange_kernel(Args args) {
  const Thread thread;
  const bool sends = thread.block() + args.first_block == 0;
  for (uint32_t round = 1; round <= kRounds; ++round) {
    if (sends) {
      if (thread.index() == 0) {
        while (load_acquire<Scope::kSystem>(args.credit) + 1 < round) pause();
      }
      thread.sync();
      for (uint32_t i = thread.index(); i < kWords; i += thread.count()) {
        store(args.data + i, round * 1000 + i);
      }
      thread.sync();
      if (thread.index() == 0) {
        const bool relaxed = args.mistake == Mistake::kRelaxedStore;
        if (args.mistake == Mistake::kGpuScope) {
          publish<Scope::kGpu>(args.flag, round, relaxed);
        } else {
          publish<Scope::kSystem>(args.flag, round, relaxed);
        }
      }
    } else {
      if (thread.index() == 0) {
        if (args.mistake == Mistake::kRelaxedLoad) {
          while (load_relaxed<Scope::kSystem>(args.flag) < round) pause();
        } else {
          while (load_acquire<Scope::kSystem>(args.flag) < round) pause();
        }
      }
      thread.sync();
      for (uint32_t i = thread.index(); i < kWords; i += thread.count()) {
        if (load(args.data + i) != round * 1000 + i) store(args.wrong, uint32_t{1});
      }
      thread.sync();
      if (thread.index() == 0) store_release<Scope::kSystem>(args.credit, round);
    }
  }
}

/// Seeds in which the receiver saw something else than what was sent.
int wrong_seeds(Mistake mistake, bool across, const std::function<void(Settings&)>& change,
                int seeds = kSeeds) {
  int wrong = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Settings settings;
    settings.seed = static_cast<uint64_t>(seed);
    change(settings);
    configure(settings);
    EXPECT_CUDA(cudaSetDevice(0));
    auto* credit = device_zeros<uint32_t>(1);
    if (across) {
      EXPECT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
      EXPECT_CUDA(cudaSetDevice(1));
      EXPECT_CUDA(cudaDeviceEnablePeerAccess(0, 0));
    }
    Args args{.data = device_zeros<uint32_t>(kWords),
              .flag = device_zeros<uint32_t>(1),
              .credit = credit,
              .wrong = device_zeros<uint32_t>(1),
              .mistake = mistake};
    if (across) {
      args.first_block = 1;
      EXPECT_CUDA(launch(exchange_kernel, args, {1, 8}, nullptr));
      args.first_block = 0;
      EXPECT_CUDA(cudaSetDevice(0));
      EXPECT_CUDA(launch(exchange_kernel, args, {1, 8}, nullptr));
      EXPECT_CUDA(cudaDeviceSynchronize());
      EXPECT_CUDA(cudaSetDevice(1));
    } else {
      EXPECT_CUDA(launch(exchange_kernel, args, {2, 8, true}, nullptr));
    }
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_TRUE(errors().empty()) << errors()[0];
    wrong += read_back(args.wrong) != 0 ? 1 : 0;
  }
  return wrong;
}

void buffered(Settings& settings) { settings.store_buffer = true; }
void stale(Settings& settings) { settings.stale_reads = true; }
void both(Settings& settings) { settings.store_buffer = settings.stale_reads = true; }
void strong(Settings& /*settings*/) {}

TEST(EmulatedWeakMemory, TheRightProgramIsRight) {
  for (const auto change : {strong, buffered, stale, both}) {
    EXPECT_EQ(wrong_seeds(Mistake::kNone, false, change), 0);
    EXPECT_EQ(wrong_seeds(Mistake::kNone, true, change), 0);
  }
}

TEST(EmulatedWeakMemory, AReleaseMadeRelaxedIsSeen) {
  SKIP_WITHOUT_FIBERS();
  EXPECT_EQ(wrong_seeds(Mistake::kRelaxedStore, false, strong), 0);
  EXPECT_GT(wrong_seeds(Mistake::kRelaxedStore, false, buffered), kSeeds / 2);
  EXPECT_GT(wrong_seeds(Mistake::kRelaxedStore, true, buffered), kSeeds / 2);
}

TEST(EmulatedWeakMemory, TheScopeOfOneGpuIsTooSmallBetweenTwoOnly) {
  SKIP_WITHOUT_FIBERS();
  EXPECT_EQ(wrong_seeds(Mistake::kGpuScope, false, both), 0);
  EXPECT_GT(wrong_seeds(Mistake::kGpuScope, true, buffered), kSeeds / 4);
}

TEST(EmulatedWeakMemory, AnAcquireMadeRelaxedIsSeen) {
  SKIP_WITHOUT_FIBERS();
  EXPECT_EQ(wrong_seeds(Mistake::kRelaxedLoad, false, buffered), 0);
  EXPECT_GT(wrong_seeds(Mistake::kRelaxedLoad, false, stale), kSeeds / 2);
}

void as_os_threads(Settings& settings) { settings.execution = Execution::kThreads; }

TEST(EmulatedThreads, TheRightProgramIsRight) {
  if (!has_fibers()) GTEST_SKIP() << "all tests of this build run on threads";
  EXPECT_EQ(wrong_seeds(Mistake::kNone, true, as_os_threads, 3), 0);
}

TEST(EmulatedThreadsDeathTest, ThreadSanitizerSeesAReleaseMadeRelaxed) {
  if (has_fibers()) GTEST_SKIP() << "for builds with ThreadSanitizer";
  const auto run = [](Mistake mistake) {
    wrong_seeds(mistake, false, as_os_threads, 3);
    exit(0);
  };
  EXPECT_EXIT(run(Mistake::kNone), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run(Mistake::kRelaxedStore), ::testing::ExitedWithCode(66), "data race");
  EXPECT_EXIT(run(Mistake::kRelaxedLoad), ::testing::ExitedWithCode(66), "data race");
}

struct TornArgs {
  Vector16* value = nullptr;
  Line* line = nullptr;
  uint32_t* torn_values = nullptr;
  uint32_t* torn_lines = nullptr;
  uint32_t* torn_pairs = nullptr;
};

/// Block 0 stores, block 1 looks, without any order.
void torn_kernel(TornArgs args) {
  const Thread thread;
  for (uint32_t round = 1; round <= 50; ++round) {
    if (thread.block() == 0) {
      store(args.value, Vector16{{round, round, round, round}});
      store_line(args.line, {round, round, round, round});
      continue;
    }
    const Vector16 value = load(args.value);
    if (value.word[0] != value.word[3]) store(args.torn_values, uint32_t{1});
    if (value.word[0] != value.word[1]) store(args.torn_pairs, uint32_t{1});
    const Line line = load_line(args.line);
    if (line.data0 != line.data1) store(args.torn_lines, uint32_t{1});
    if (line.data0 != line.flag0 || line.data1 != line.flag1) store(args.torn_pairs, uint32_t{1});
  }
}

TEST(EmulatedWeakMemory, SixteenBytesMayArriveInTwoHalvesButNeverInFour) {
  SKIP_WITHOUT_FIBERS();
  int torn_values = 0, torn_lines = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    configure({.seed = seed, .store_buffer = true});
    TornArgs args{device_zeros<Vector16>(1), device_zeros<Line>(1), device_zeros<uint32_t>(1),
                  device_zeros<uint32_t>(1), device_zeros<uint32_t>(1)};
    ASSERT_CUDA(launch(torn_kernel, args, {2, 1, true}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    torn_values += static_cast<int>(read_back(args.torn_values));
    torn_lines += static_cast<int>(read_back(args.torn_lines));
    ASSERT_EQ(read_back(args.torn_pairs), 0U);
  }
  EXPECT_GT(torn_values, 5);
  EXPECT_GT(torn_lines, 5);
}

void own_kernel(Args args) {
  const Thread thread;
  for (uint32_t round = 1; round <= kRounds; ++round) {
    store(args.data + thread.index(), round * 100 + thread.index());
    thread.sync();
    const uint32_t other = (thread.index() + 1) % thread.count();
    if (load(args.data + other) != round * 100 + other) store(args.wrong, uint32_t{1});
    thread.sync();
  }
}

TEST(EmulatedWeakMemory, ABlockSeesItsOwnStores) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    configure({.seed = seed, .store_buffer = true, .stale_reads = true});
    Args args{.data = device_zeros<uint32_t>(32), .wrong = device_zeros<uint32_t>(1)};
    ASSERT_CUDA(launch(own_kernel, args, {1, 32}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(read_back(args.wrong), 0U);
    EXPECT_EQ(read_back(args.data + 31), kRounds * 100 + 31);  // all of it, at the end
  }
}

struct ChainArgs {
  uint32_t* remote = nullptr;  // on device 1
  uint32_t* event = nullptr;   // on device 0
  uint32_t* tail = nullptr;    // on device 1
  uint32_t* wrong = nullptr;   // on device 1
  uint32_t role = 0;           // of block 0
};

/// Block 0 stores to device 1 and tells block 1 of its own device, which tells device 1: a release
/// covers what its thread has acquired.
void chain_kernel(ChainArgs args) {
  const Thread thread;
  const uint32_t role = thread.block() + args.role;
  if (role == 0) {
    for (uint32_t i = 0; i < kWords; ++i) store(args.remote + i, i + 1);
    store_release<Scope::kGpu>(args.event, uint32_t{1});
  } else if (role == 1) {
    while (load_acquire<Scope::kGpu>(args.event) == 0) pause();
    store_release<Scope::kSystem>(args.tail, uint32_t{1});
  } else {
    while (load_acquire<Scope::kSystem>(args.tail) == 0) pause();
    for (uint32_t i = 0; i < kWords; ++i) {
      if (load(args.remote + i) != i + 1) store(args.wrong, uint32_t{1});
    }
  }
}

TEST(EmulatedWeakMemory, AReleaseCoversWhatWasAcquired) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    configure({.seed = seed, .store_buffer = true, .stale_reads = true});
    ChainArgs args;
    args.event = device_zeros<uint32_t>(1);
    ASSERT_CUDA(cudaDeviceEnablePeerAccess(1, 0));
    ASSERT_CUDA(cudaSetDevice(1));
    args.remote = device_zeros<uint32_t>(kWords);
    args.tail = device_zeros<uint32_t>(1);
    args.wrong = device_zeros<uint32_t>(1);
    args.role = 2;
    ASSERT_CUDA(launch(chain_kernel, args, {1, 1}, nullptr));
    args.role = 0;
    ASSERT_CUDA(cudaSetDevice(0));
    ASSERT_CUDA(launch(chain_kernel, args, {2, 1, true}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    ASSERT_CUDA(cudaSetDevice(1));
    ASSERT_CUDA(cudaDeviceSynchronize());
    ASSERT_EQ(read_back(args.wrong), 0U) << seed;
  }
}

}  // namespace arb::emulated::weak_memory_test
