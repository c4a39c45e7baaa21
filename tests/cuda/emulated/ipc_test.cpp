// Two processes and one memory.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/cuda/emulated/support.hpp"

namespace arb::emulated::ipc_test {

constexpr uint32_t kWords = 256;
constexpr uint32_t kRounds = 20;

struct Args {
  uint32_t* data = nullptr;    // of the receiver
  uint32_t* flag = nullptr;    // of the receiver
  uint32_t* credit = nullptr;  // of the sender
  uint32_t* wrong = nullptr;
  bool sends = false;
};

void exchange_kernel(Args args) {
  const Thread thread;
  for (uint32_t round = 1; round <= kRounds; ++round) {
    if (args.sends) {
      if (thread.index() == 0) {
        while (load_acquire<Scope::kSystem>(args.credit) + 1 < round) pause();
      }
      thread.sync();
      for (uint32_t i = thread.index(); i < kWords; i += thread.count()) {
        store(args.data + i, round * 1000 + i);
      }
      thread.sync();
      if (thread.index() == 0) store_release<Scope::kSystem>(args.flag, round);
    } else {
      if (thread.index() == 0) {
        while (load_acquire<Scope::kSystem>(args.flag) < round) pause();
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

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  void send(const cudaIpcMemHandle_t& handle) {
    EXPECT_EQ(write(ends[1], &handle, sizeof(handle)), static_cast<ssize_t>(sizeof(handle)));
  }
  cudaIpcMemHandle_t receive() {
    cudaIpcMemHandle_t handle = {};
    EXPECT_EQ(read(ends[0], &handle, sizeof(handle)), static_cast<ssize_t>(sizeof(handle)));
    return handle;
  }
};

/// What one of the two processes does; own memory is on `device`.
void work(bool sends, int device, Pipe& to, Pipe& from, const Settings& settings) {
  configure(settings);
  ASSERT_CUDA(cudaSetDevice(device));
  auto* own = device_zeros<uint32_t>(kWords + 64);  // data, then a word of 16 bytes' distance
  cudaIpcMemHandle_t handle = {};
  ASSERT_CUDA(cudaIpcGetMemHandle(&handle, own + 10));  // stands for all of it
  void* again = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&again, handle, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorDeviceUninitialized);
  to.send(handle);
  void* opened = nullptr;
  const cudaIpcMemHandle_t theirs = from.receive();
  ASSERT_CUDA(cudaIpcOpenMemHandle(&opened, theirs, cudaIpcMemLazyEnablePeerAccess));
  ASSERT_CUDA(cudaIpcOpenMemHandle(&again, theirs, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_EQ(opened, again);
  ASSERT_CUDA(cudaIpcCloseMemHandle(again));
  auto* other = static_cast<uint32_t*>(opened);
  Args args;
  args.sends = sends;
  args.data = sends ? other : own;
  args.flag = args.data + kWords;
  args.credit = (sends ? own : other) + kWords + 16;
  args.wrong = own + kWords + 32;
  ASSERT_CUDA(launch(exchange_kernel, args, {1, 32, true}, nullptr));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(read_back(args.wrong), 0U);
  EXPECT_TRUE(errors().empty()) << errors()[0];
  // Nobody goes while the other still reads.
  to.send(handle);
  from.receive();
  ASSERT_CUDA(cudaIpcCloseMemHandle(opened));
}

int in_child(const std::function<void()>& job) {
  const pid_t child = fork();
  if (child == 0) {
    job();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  return child;
}

bool succeeds(int child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(EmulatedIpc, TwoProcessesExchangeData) {
  SKIP_WITHOUT_FIBERS();
  for (const bool weak : {false, true}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const Settings settings{.seed = seed, .store_buffer = weak, .stale_reads = weak};
      Pipe there, back;
      const int sender = in_child([&] { work(true, 0, there, back, settings); });
      const int receiver = in_child([&] { work(false, 1, back, there, settings); });
      EXPECT_TRUE(succeeds(sender));
      EXPECT_TRUE(succeeds(receiver));
    }
  }
}

TEST(EmulatedIpc, AChildHasNoGpuUntilItMakesItsOwn) {
  configure({});
  device_zeros<uint32_t>(1);
  EXPECT_TRUE(succeeds(in_child([] {
    int count = 0;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInitializationError);
    configure({});
    EXPECT_CUDA(cudaGetDeviceCount(&count));
  })));
}

TEST(EmulatedIpc, OpeningMayFail) {
  Pipe pipe;
  cudaIpcMemHandle_t handle = {};
  void* opened = nullptr;
  const int child = in_child([&] {
    configure({});
    cudaIpcMemHandle_t made = {};
    EXPECT_CUDA(cudaIpcGetMemHandle(&made, device_zeros<uint32_t>(4)));
    pipe.send(made);
  });
  handle = pipe.receive();
  EXPECT_TRUE(succeeds(child));
  configure({.faults = {.fail_ipc_open = 1}});
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorMapBufferObjectFailed);
  // That process has gone.
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorMapBufferObjectFailed);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, {}, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorInvalidValue);
}

}  // namespace arb::emulated::ipc_test
