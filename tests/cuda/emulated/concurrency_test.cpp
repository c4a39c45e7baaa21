// Kernels that run together, and those that do not.
#include <algorithm>
#include <vector>

#include "tests/cuda/emulated/support.hpp"

namespace arb::emulated::concurrency_test {

struct Args {
  uint32_t* own = nullptr;
  uint32_t* other = nullptr;
};

/// Every block, or kernel, waits for the other.
void meet_kernel(Args args) {
  const Thread thread;
  uint32_t* words[] = {args.own, args.other};
  const uint32_t mine = thread.block() % 2;
  if (thread.index() == 0) {
    store_release<Scope::kGpu>(words[mine], uint32_t{1});
    while (load_acquire<Scope::kGpu>(words[1 - mine]) == 0) pause();
  }
  thread.sync();
}

cudaError_t two_kernels(Concurrency concurrency) {
  configure({.concurrency = concurrency});
  Args args{device_zeros<uint32_t>(1), device_zeros<uint32_t>(1)};
  const Args turned{args.other, args.own};
  cudaStream_t streams[2] = {};
  for (cudaStream_t& stream : streams) {
    EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  EXPECT_CUDA(launch(meet_kernel, args, {1, 4}, streams[0]));
  EXPECT_CUDA(launch(meet_kernel, turned, {1, 4}, streams[1]));
  return cudaDeviceSynchronize();
}

cudaError_t two_blocks(Concurrency concurrency, bool cooperative) {
  configure({.concurrency = concurrency});
  const Args args{device_zeros<uint32_t>(1), device_zeros<uint32_t>(1)};
  EXPECT_CUDA(launch(meet_kernel, args, {2, 4, cooperative}, nullptr));
  return cudaDeviceSynchronize();
}

TEST(EmulatedConcurrency, KernelsMayWaitForEachOtherByLuckOnly) {
  EXPECT_CUDA(two_kernels(Concurrency::kGenerous));
  SKIP_WITHOUT_FIBERS();
  EXPECT_EQ(two_kernels(Concurrency::kMean), cudaErrorLaunchFailure);
  EXPECT_TRUE(mentions(last_deadlock(), "waits to start arb::emulated")) << last_deadlock();
}

TEST(EmulatedConcurrency, BlocksMayWaitForEachOtherInACooperativeGridOnly) {
  EXPECT_CUDA(two_blocks(Concurrency::kGenerous, false));
  EXPECT_CUDA(two_blocks(Concurrency::kMean, true));
  SKIP_WITHOUT_FIBERS();
  EXPECT_EQ(two_blocks(Concurrency::kMean, false), cudaErrorLaunchFailure);
  EXPECT_TRUE(mentions(last_deadlock(), "blocks 1 to 1 have not started")) << last_deadlock();
}

TEST(EmulatedConcurrency, ACooperativeGridFitsOrIsRefused) {
  configure({.multiprocessors = 3, .blocks_per_multiprocessor = 2});
  int blocks = 0;
  ASSERT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, meet_kernel, 64, 0));
  EXPECT_EQ(blocks, 2);
  const Args args{device_zeros<uint32_t>(1), device_zeros<uint32_t>(1)};
  EXPECT_EQ(launch(meet_kernel, args, {7, 4, true}, nullptr), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_CUDA(cudaGetLastError());
  EXPECT_CUDA(launch(meet_kernel, args, {6, 4, true}, nullptr));
  EXPECT_CUDA(cudaDeviceSynchronize());
}

struct ManyArgs {
  uint32_t* done = nullptr;  // [block * threads + thread]
};

void many_kernel(ManyArgs args) {
  const Thread thread;
  store(args.done + thread.block() * thread.count() + thread.index(), uint32_t{1});
}

TEST(EmulatedConcurrency, AGridLargerThanTheMachineRunsInParts) {
  SKIP_WITHOUT_FIBERS();  // 200,000 OS threads
  for (const Concurrency concurrency : {Concurrency::kGenerous, Concurrency::kMean}) {
    configure({.concurrency = concurrency, .resident_blocks = 3});
    constexpr size_t kBlocks = 400, kThreadsOfBlock = 512;
    const ManyArgs args{device_zeros<uint32_t>(kBlocks * kThreadsOfBlock)};
    ASSERT_CUDA(launch(many_kernel, args, {kBlocks, kThreadsOfBlock}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    std::vector<uint32_t> done(kBlocks * kThreadsOfBlock);
    ASSERT_CUDA(cudaMemcpy(done.data(), args.done, done.size() * 4, cudaMemcpyDeviceToHost));
    EXPECT_EQ(std::count(done.begin(), done.end(), 1U), static_cast<long>(done.size()));
  }
}

}  // namespace arb::emulated::concurrency_test
