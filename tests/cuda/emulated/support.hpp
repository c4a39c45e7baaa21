// What the tests of the emulated GPUs share.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/launch.hpp"
#include "tests/cuda/emulated/emulator.hpp"

namespace arb::emulated {

#define ASSERT_CUDA(expression) ASSERT_EQ(expression, cudaSuccess)
#define EXPECT_CUDA(expression) EXPECT_EQ(expression, cudaSuccess)

/// Device memory of zeros.
template <class T>
T* device_zeros(size_t count) {
  T* memory = nullptr;
  EXPECT_CUDA(cudaMalloc(&memory, count * sizeof(T)));
  EXPECT_CUDA(cudaMemset(memory, 0, count * sizeof(T)));
  EXPECT_CUDA(cudaDeviceSynchronize());
  return memory;
}

template <class T>
T* pinned_zeros(size_t count) {
  T* memory = nullptr;
  EXPECT_CUDA(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocPortable));
  std::memset(memory, 0, count * sizeof(T));
  return memory;
}

template <class T>
T read_back(const T* memory) {
  T value{};
  EXPECT_CUDA(cudaMemcpy(&value, memory, sizeof(T), cudaMemcpyDefault));
  return value;
}

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

#define SKIP_WITHOUT_FIBERS() \
  if (!has_fibers()) GTEST_SKIP() << "ThreadSanitizer does not know fibers"

}  // namespace arb::emulated
