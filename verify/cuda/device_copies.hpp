// Buffers on GPUs and in this process: which rank's lie where, and copies between the two.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <map>
#include <vector>

#include "collectives/runners/cuda/resources.hpp"
#include "verify/check.hpp"

namespace arb {

/// Thread-safe; every call waits for the GPU and leaves the thread's current GPU as it was.
class DeviceCopies {
 public:
  explicit DeviceCopies(std::vector<int> device_of_rank);

  int device_of(int rank) const { return device_of_rank_.at(static_cast<size_t>(rank)); }
  bool on_gpu(int rank) const { return device_of(rank) >= 0; }
  cudaStream_t stream_of(int device) const { return streams_.at(device).get(); }

  void read(int rank, const std::byte* from, size_t bytes, std::byte* to) const;
  void write(int rank, const std::byte* from, size_t bytes, std::byte* to) const;

  /// check_part() on copies of the part.
  Verdict judge_on_host(const CheckSpec& spec, const std::vector<RankView>& views, int chunk,
                        const Range& part) const;

 private:
  void copy(int rank, const std::byte* from, size_t bytes, std::byte* to,
            cudaMemcpyKind kind) const;

  std::vector<int> device_of_rank_;
  std::map<int, Stream> streams_;  // of each device
};

/// Makes `device` the current one of the thread, for a while.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

/// Where a message would start whose byte `offset` is `at`: only the copied part is there.
std::byte* start_of_message(std::byte* at, size_t offset);

}  // namespace arb
