// An operation that kernels do: it is put on streams instead of being advanced step by step.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "collectives/runners/operation.hpp"

namespace arb {

struct LocalGpu {
  int device = 0;  // CUDA ordinal
  cudaStream_t stream = nullptr;
  int first_rank = 0;  // of its ranks
  int ranks = 0;
};

class DeviceOperation : public Operation {
 public:
  DeviceOperation();
  /// One operation by all ranks of this process, on the stream of each GPU; does not wait.
  /// buffers: [rank], as this process sees them; the same table for as long as a captured graph
  /// lives. stall_rank: takes no part (kNone: none). Throws Error.
  virtual void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers,
                       int stall_rank) = 0;

  /// Carries messages between nodes on, for kernels that publish them or wait for them; never
  /// waits. True: none that was published is still here.
  virtual bool carry() { return true; }
  /// Do its kernels wait for carry()?
  virtual bool needs_carrying() const { return false; }

  /// No two operations of a process ever have the same: what was captured of one is not mistaken
  /// for another that lies where it lay.
  uint64_t number() const { return number_; }

  void begin(int rank, const RankBuffers& buffers) final;
  Advance advance(int rank) final;

 private:
  uint64_t number_;
};

}  // namespace arb
