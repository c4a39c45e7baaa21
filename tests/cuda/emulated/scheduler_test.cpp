// Threads, barriers, deadlocks.
#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/cuda/emulated/support.hpp"

// Kernels have names that the emulator can find.
namespace arb::emulated::scheduler_test {

struct PassArgs {
  uint32_t* data = nullptr;
  uint32_t* flag = nullptr;
  uint32_t* got = nullptr;
  uint32_t words = 0;
};

/// Block 0 sends, block 1 receives.
void pass_kernel(PassArgs args) {
  const Thread thread;
  if (thread.block() == 0) {
    for (uint32_t i = thread.index(); i < args.words; i += thread.count()) {
      store(args.data + i, i + 1);
    }
    thread.sync();
    if (thread.index() == 0) store_release<Scope::kGpu>(args.flag, uint32_t{1});
    return;
  }
  if (thread.index() == 0) {
    while (load_acquire<Scope::kGpu>(args.flag) == 0) pause();
  }
  thread.sync();
  for (uint32_t i = thread.index(); i < args.words; i += thread.count()) {
    store(args.got + i, load(args.data + i));
  }
}

TEST(EmulatedScheduler, BlocksPassAMessage) {
  constexpr uint32_t kWords = 100;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    configure({.seed = seed});
    PassArgs args{device_zeros<uint32_t>(kWords), device_zeros<uint32_t>(1),
                  device_zeros<uint32_t>(kWords), kWords};
    ASSERT_CUDA(launch(pass_kernel, args, {2, 32, true}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(read_back(args.got + i), i + 1) << seed;
    EXPECT_TRUE(errors().empty());
  }
}

TEST(EmulatedScheduler, TheSameSeedDoesTheSame) {
  SKIP_WITHOUT_FIBERS();
  const auto switches = [](uint64_t seed) {
    configure({.seed = seed});
    PassArgs args{device_zeros<uint32_t>(999), device_zeros<uint32_t>(1),
                  device_zeros<uint32_t>(999), 999};
    EXPECT_CUDA(launch(pass_kernel, args, {2, 32, true}, nullptr));
    EXPECT_CUDA(cudaDeviceSynchronize());
    return counters().switches;
  };
  EXPECT_EQ(switches(7), switches(7));
  EXPECT_NE(switches(7), switches(8));
}

struct CountArgs {
  uint32_t* rounds = nullptr;  // [thread]
  uint32_t* wrong = nullptr;
};

void rounds_kernel(CountArgs args) {
  const Thread thread;
  for (uint32_t round = 1; round <= 20; ++round) {
    store(args.rounds + thread.index(), round);
    thread.sync();
    for (uint32_t other = 0; other < thread.count(); ++other) {
      if (load(args.rounds + other) != round) store(args.wrong, uint32_t{1});
    }
    thread.sync();
  }
}

TEST(EmulatedScheduler, ABarrierHoldsEverybody) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    configure({.seed = seed, .payload_switch = 0.3});
    CountArgs args{device_zeros<uint32_t>(64), device_zeros<uint32_t>(1)};
    ASSERT_CUDA(launch(rounds_kernel, args, {1, 64}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(read_back(args.wrong), 0U);
  }
}

void race_kernel(CountArgs args) {  // the barrier after the check is missing
  const Thread thread;
  for (uint32_t round = 1; round <= 20; ++round) {
    store(args.rounds + thread.index(), round);
    thread.sync();
    for (uint32_t other = 0; other < thread.count(); ++other) {
      if (load(args.rounds + other) != round) store(args.wrong, uint32_t{1});
    }
  }
}

TEST(EmulatedScheduler, AMissingBarrierIsSeen) {
  SKIP_WITHOUT_FIBERS();
  int seen = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    configure({.seed = seed});
    CountArgs args{device_zeros<uint32_t>(64), device_zeros<uint32_t>(1)};
    ASSERT_CUDA(launch(race_kernel, args, {1, 64}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    seen += read_back(args.wrong) != 0 ? 1 : 0;
  }
  EXPECT_GT(seen, 10);
}

void two_barriers_kernel(CountArgs args) {
  const Thread thread;
  if (thread.index() % 2 == 0) {
    thread.sync();
    store(args.rounds, uint32_t{1});
  } else {
    thread.sync();
    store(args.rounds, uint32_t{2});
  }
}

TEST(EmulatedScheduler, ThreadsAtDifferentBarriersAreAnError) {
  configure({});
  CountArgs args{device_zeros<uint32_t>(64), nullptr};
  ASSERT_CUDA(launch(two_barriers_kernel, args, {1, 4}, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  ASSERT_FALSE(errors().empty());
  EXPECT_TRUE(mentions(errors()[0], "two_barriers_kernel")) << errors()[0];
  EXPECT_TRUE(mentions(errors()[0], "scheduler_test.cpp")) << errors()[0];
}

void leave_kernel(CountArgs args) {
  const Thread thread;
  if (thread.index() == 0) return;
  thread.sync();
  store(args.rounds + thread.index(), uint32_t{1});
}

TEST(EmulatedScheduler, AThreadThatLeavesWhileOthersWaitIsAnError) {
  configure({});
  CountArgs args{device_zeros<uint32_t>(64), nullptr};
  ASSERT_CUDA(launch(leave_kernel, args, {1, 4}, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_FALSE(errors().empty());
}

TEST(EmulatedScheduler, AnArrivalCountsThoseWhoHaveLeft) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    configure({.seed = seed, .strict_barriers = false});
    CountArgs args{device_zeros<uint32_t>(64), nullptr};
    ASSERT_CUDA(launch(leave_kernel, args, {1, 4}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(read_back(args.rounds + 3), 1U);
  }
}

struct WaitArgs {
  const uint32_t* flag = nullptr;
  const uint32_t* abort = nullptr;
  uint32_t* polls = nullptr;
  uint64_t most_polls = 0;
};

void wait_kernel(WaitArgs args) {
  const Thread thread;
  if (thread.index() == 1) {
    uint64_t polls = 0;
    while (load_acquire<Scope::kSystem>(args.flag) == 0) {
      if (args.abort != nullptr && load_relaxed<Scope::kSystem>(args.abort) != 0) break;
      if (++polls == args.most_polls) break;
      pause();
    }
    store(args.polls, static_cast<uint32_t>(polls));
  }
  thread.sync();
}

TEST(EmulatedScheduler, ADeadlockIsFoundAndNamed) {
  SKIP_WITHOUT_FIBERS();
  configure({});
  std::string told;
  on_deadlock([&](const std::string& text) { told = text; });
  WaitArgs args{device_zeros<uint32_t>(8) + 5, nullptr, device_zeros<uint32_t>(1)};
  ASSERT_CUDA(launch(wait_kernel, args, {1, 4}, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  on_deadlock(nullptr);
  EXPECT_EQ(told, last_deadlock());
  EXPECT_TRUE(mentions(told, "wait_kernel")) << told;
  EXPECT_TRUE(mentions(told, "block 0, thread 1: polls memory of device 0")) << told;
  EXPECT_TRUE(mentions(told, "waits at the barrier")) << told;
  // The device is of no use any more.
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_CUDA(cudaDeviceReset());
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST(EmulatedScheduler, AHostThatPollsMayStillAct) {
  configure({});
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  auto* abort = pinned_zeros<uint32_t>(1);
  WaitArgs args{device_zeros<uint32_t>(1), abort, device_zeros<uint32_t>(1)};
  ASSERT_CUDA(launch(wait_kernel, args, {1, 4}, stream));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(stuck(), has_fibers());
  __atomic_store_n(abort, 1, __ATOMIC_RELAXED);
  cudaError_t result = cudaErrorNotReady;
  while (result == cudaErrorNotReady) result = cudaStreamQuery(stream);
  EXPECT_CUDA(result);
  EXPECT_FALSE(stuck());
  EXPECT_TRUE(errors().empty());
}

TEST(EmulatedScheduler, AWaitWithABoundEnds) {
  configure({.silent_rounds = 0});
  WaitArgs args{device_zeros<uint32_t>(1), nullptr, device_zeros<uint32_t>(1), 100};
  ASSERT_CUDA(launch(wait_kernel, args, {1, 4}, nullptr));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(read_back(args.polls), 100U);
}

struct SplitArgs {
  uint32_t* words[2] = {nullptr, nullptr};  // of each device
  uint32_t device = 0;
};

void two_devices_kernel(SplitArgs args) {
  const Thread thread;
  if (thread.index() == 0) {
    store_release<Scope::kSystem>(args.words[1 - args.device], uint32_t{1});
    while (load_acquire<Scope::kSystem>(args.words[args.device]) == 0) pause();
  }
  thread.sync();
}

TEST(EmulatedScheduler, AHostThreadForEachDeviceIsNoDeadlock) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    configure({.seed = seed});
    SplitArgs args;
    for (int device = 0; device < 2; ++device) {
      ASSERT_CUDA(cudaSetDevice(device));
      ASSERT_CUDA(cudaDeviceEnablePeerAccess(1 - device, 0));
      args.words[device] = device_zeros<uint32_t>(1);
    }
    std::vector<std::thread> hosts;
    for (uint32_t device = 0; device < 2; ++device) {
      hosts.emplace_back([args, device]() mutable {
        args.device = device;
        EXPECT_CUDA(cudaSetDevice(static_cast<int>(device)));
        if (device == 1) usleep(3000);  // the other already waits
        EXPECT_CUDA(launch(two_devices_kernel, args, {1, 8, true}, nullptr));
        EXPECT_CUDA(cudaDeviceSynchronize());
      });
    }
    for (std::thread& host : hosts) host.join();
    EXPECT_EQ(last_deadlock(), "");
  }
}

struct SharedArgs {
  uint32_t* sums = nullptr;
};
struct Tile {
  uint32_t values[64];
};
struct Other {
  uint32_t values[64];
};

void shared_kernel(SharedArgs args) {
  const Thread thread;
  block_shared<Tile>().values[thread.index()] = thread.block() * 1000 + thread.index();
  block_shared<Other>().values[thread.index()] = 1;
  thread.sync();
  if (thread.index() != 0) return;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < thread.count(); ++i) {
    sum += block_shared<Tile>().values[i] * block_shared<Other>().values[i];
  }
  store(args.sums + thread.block(), sum);
}

TEST(EmulatedScheduler, EveryBlockHasItsSharedMemory) {
  configure({});
  SharedArgs args{device_zeros<uint32_t>(8)};
  ASSERT_CUDA(launch(shared_kernel, args, {8, 64}, nullptr));
  ASSERT_CUDA(cudaDeviceSynchronize());
  for (uint32_t block = 0; block < 8; ++block) {
    EXPECT_EQ(read_back(args.sums + block), block * 64000 + 63 * 32);
  }
}

}  // namespace arb::emulated::scheduler_test
