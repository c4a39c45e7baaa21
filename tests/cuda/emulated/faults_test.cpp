// What goes wrong on purpose, and what is found to be wrong.
#include "tests/cuda/emulated/support.hpp"

namespace arb::emulated::faults_test {

struct TouchArgs {
  uint32_t* at = nullptr;
  uint32_t* got = nullptr;
  bool flag = false;
};

void touch_kernel(TouchArgs args) {
  if (args.flag) {
    store_release<Scope::kSystem>(args.at, uint32_t{9});
  } else {
    store(args.at, uint32_t{9});
  }
  if (args.got != nullptr) store(args.got, load(args.at));
}

cudaError_t touch(uint32_t* at, bool flag = false) {
  const cudaError_t error = launch(touch_kernel, TouchArgs{at, nullptr, flag}, {1, 1}, nullptr);
  return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

TEST(EmulatedFaults, FreshMemoryIsGarbage) {
  configure({});
  uint32_t* words = nullptr;
  ASSERT_CUDA(cudaMalloc(&words, 4096));
  uint32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum |= read_back(words + i);
  EXPECT_NE(sum, 0U);
}

TEST(EmulatedFaults, KernelsStayInsideOfWhatIsAllocated) {
  SKIP_WITHOUT_FIBERS();
  for (const bool flag : {false, true}) {
    configure({});
    auto* words = device_zeros<uint32_t>(10);
    EXPECT_CUDA(touch(words + 9, flag));
    EXPECT_EQ(touch(words + 10, flag), cudaErrorIllegalAddress);
    ASSERT_EQ(errors().size(), 1U);
    EXPECT_TRUE(mentions(errors()[0], "+0x28 of 40 bytes")) << errors()[0];
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);  // and stays so
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
    EXPECT_CUDA(cudaSetDevice(1));  // another device goes on
    EXPECT_CUDA(touch(device_zeros<uint32_t>(1)));
  }
}

TEST(EmulatedFaults, AResetDeviceStartsAfresh) {
  SKIP_WITHOUT_FIBERS();
  configure({});
  auto* words = device_zeros<uint32_t>(10);
  EXPECT_EQ(touch(words + 10), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(words), cudaErrorIllegalAddress);
  EXPECT_CUDA(cudaDeviceReset());
  EXPECT_EQ(cudaFree(words), cudaErrorInvalidValue);  // its memory is gone
  EXPECT_EQ(counters().live_allocations, 0U);
  EXPECT_CUDA(touch(device_zeros<uint32_t>(1)));
}

TEST(EmulatedFaults, FreedMemoryIsNotTouched) {
  SKIP_WITHOUT_FIBERS();
  configure({});
  auto* words = device_zeros<uint32_t>(10);
  ASSERT_CUDA(cudaFree(words));
  EXPECT_EQ(cudaFree(words), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(words, 0, 4), cudaErrorInvalidValue);
  device_zeros<uint32_t>(10);
  EXPECT_EQ(touch(words), cudaErrorIllegalAddress);
  ASSERT_FALSE(errors().empty());
  EXPECT_TRUE(mentions(errors()[0], "freed")) << errors()[0];
}

TEST(EmulatedFaults, VectorsAreAligned) {
  SKIP_WITHOUT_FIBERS();
  configure({});
  auto* bytes = device_zeros<char>(16);
  EXPECT_EQ(touch(reinterpret_cast<uint32_t*>(bytes + 2)), cudaErrorMisalignedAddress);
}

TEST(EmulatedFaults, HostMemoryMustBePinned) {
  SKIP_WITHOUT_FIBERS();
  configure({});
  auto* pinned = pinned_zeros<uint32_t>(1);
  EXPECT_CUDA(touch(pinned));
  EXPECT_EQ(*pinned, 9U);
  alignas(8) uint32_t word = 0;
  ASSERT_CUDA(cudaHostRegister(&word, 4, cudaHostRegisterMapped));
  EXPECT_EQ(cudaHostRegister(&word, 4, 0), cudaErrorHostMemoryAlreadyRegistered);
  uint32_t* seen = nullptr;
  ASSERT_CUDA(cudaHostGetDevicePointer(&seen, &word, 0));
  EXPECT_CUDA(touch(seen));
  EXPECT_EQ(word, 9U);
  ASSERT_CUDA(cudaHostUnregister(&word));
  EXPECT_EQ(touch(&word), cudaErrorIllegalAddress);
}

TEST(EmulatedFaults, PeersAreReachedWhenEnabledOnly) {
  SKIP_WITHOUT_FIBERS();
  configure({.faults = {.no_peer = {{2, 0}}}});
  auto* words = device_zeros<uint32_t>(1);
  int can = -1;
  ASSERT_CUDA(cudaDeviceCanAccessPeer(&can, 2, 0));
  EXPECT_EQ(can, 0);
  ASSERT_CUDA(cudaDeviceCanAccessPeer(&can, 1, 0));
  EXPECT_EQ(can, 1);
  ASSERT_CUDA(cudaSetDevice(2));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  ASSERT_CUDA(cudaSetDevice(1));
  ASSERT_CUDA(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_CUDA(touch(words));
  EXPECT_EQ(bytes_stored(1, 0), 4U);
  EXPECT_EQ(bytes_stored(0, 0), 0U);
  ASSERT_CUDA(cudaSetDevice(3));
  EXPECT_EQ(touch(words), cudaErrorIllegalAddress);
  ASSERT_FALSE(errors().empty());
  EXPECT_TRUE(mentions(errors()[0], "peer access")) << errors()[0];
}

TEST(EmulatedFaults, ABrokenPathLosesStores) {
  SKIP_WITHOUT_FIBERS();
  for (const bool buffered : {false, true}) {
    configure({.store_buffer = buffered, .faults = {.broken_peer = {{1, 0}}}});
    auto* words = device_zeros<uint32_t>(1);
    int can = 0;
    ASSERT_CUDA(cudaDeviceCanAccessPeer(&can, 1, 0));
    EXPECT_EQ(can, 1);
    ASSERT_CUDA(cudaSetDevice(1));
    ASSERT_CUDA(cudaDeviceEnablePeerAccess(0, 0));
    auto* got = device_zeros<uint32_t>(1);
    ASSERT_CUDA(launch(touch_kernel, TouchArgs{words, got}, {1, 1}, nullptr));
    ASSERT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(read_back(words), 0U);
    EXPECT_NE(read_back(got), 9U);
    EXPECT_TRUE(errors().empty());
  }
}

TEST(EmulatedFaults, TheNthCallFails) {
  configure({.faults = {.fail_allocation = 2, .fail_launch = 2, .fail_kernel = 2}});
  auto* words = device_zeros<uint32_t>(1);
  void* memory = nullptr;
  EXPECT_EQ(cudaHostAlloc(&memory, 64, 0), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaHostAlloc(&memory, 64, 0));
  EXPECT_CUDA(touch(words));
  EXPECT_EQ(touch(words), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchOutOfResources);
  EXPECT_CUDA(cudaGetLastError());
  EXPECT_EQ(touch(words), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
}

TEST(EmulatedFaults, MemoryEnds) {
  configure({.memory_bytes = 1 << 20});
  size_t free = 0, total = 0;
  ASSERT_CUDA(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, size_t{1} << 20);
  void* memory = nullptr;
  void* more = nullptr;
  ASSERT_CUDA(cudaMalloc(&memory, 700000));
  EXPECT_EQ(cudaMalloc(&more, 700000), cudaErrorMemoryAllocation);
  EXPECT_EQ(counters().live_allocations, 1U);
  ASSERT_CUDA(cudaFree(memory));
  EXPECT_CUDA(cudaMalloc(&more, 700000));
}

TEST(EmulatedFaults, WithoutADriverOrADeviceCallsSaySo) {
  int count = -1;
  configure({.driver_version = 0});
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  configure({.devices = 0});
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorNoDevice);
  configure({.devices = 3});
  EXPECT_CUDA(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
}

TEST(EmulatedFaults, CopiesKnowTheirPlaces) {
  configure({});
  auto* words = device_zeros<uint32_t>(4);
  uint32_t host[4] = {1, 2, 3, 4};
  EXPECT_EQ(cudaMemcpy(words, host, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(words, host, 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaGetLastError() == cudaErrorInvalidValue ? cudaSuccess : cudaErrorUnknown);
  EXPECT_CUDA(cudaMemcpy(words, host, 16, cudaMemcpyDefault));
  EXPECT_EQ(read_back(words + 3), 4U);
  cudaPointerAttributes attributes = {};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, words + 1));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, host));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST(EmulatedFaultsDeathTest, AHostThatTouchesDeviceMemoryDies) {
  configure({.hide_device_memory = true});
  auto* words = device_zeros<uint32_t>(4);
  EXPECT_CUDA(touch(words));
  EXPECT_EQ(read_back(words), 9U);
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile uint32_t*>(words)), "");
}

TEST(EmulatedFaults, TheEnvironmentSteers) {
  setenv("ARB_EMULATED_DEVICES", "2", 1);
  setenv("ARB_EMULATED_CONCURRENCY", "mean", 1);
  setenv("ARB_EMULATED_STORE_BUFFER", "1", 1);
  setenv("ARB_EMULATED_NO_PEER", "0-1,1-0", 1);
  Settings read = settings_from_environment();
  EXPECT_EQ(read.devices, 2);
  EXPECT_EQ(read.concurrency, Concurrency::kMean);
  EXPECT_TRUE(read.store_buffer);
  ASSERT_EQ(read.faults.no_peer.size(), 2U);
  EXPECT_EQ(read.faults.no_peer[1], DevicePair(1, 0));
  setenv("ARB_EMULATED_DEVICES", "two", 1);
  EXPECT_THROW(settings_from_environment(), std::invalid_argument);
  for (const char* name : {"DEVICES", "CONCURRENCY", "STORE_BUFFER", "NO_PEER"}) {
    unsetenv((std::string("ARB_EMULATED_") + name).c_str());
  }
}

}  // namespace arb::emulated::faults_test
