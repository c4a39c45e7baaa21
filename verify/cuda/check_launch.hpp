// One launch of the checking kernel: the buffers of some ranks, judged by one GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "verify/cuda/check_items.hpp"
#include "verify/cuda/check_programs.hpp"
#include "verify/cuda/tables.hpp"

namespace arb {

/// What kernels found, put together.
CheckFinding together(const CheckFinding& a, const CheckFinding& b);

class CheckLaunch {
 public:
  CheckLaunch(int device, cudaStream_t stream, const CheckTables& tables, const CheckSpec& spec,
              const std::vector<RankView>& views, std::span<const int> ranks,
              const CheckItems& items);

  /// Items [first, end); does not wait.
  void start(uint64_t first, uint64_t end);
  /// Waits.
  CheckFinding result();

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  int device_;
  cudaStream_t stream_;
  uint64_t largest_;
  std::unique_ptr<std::byte, Free> memory_;
  CheckArgs args_;
};

}  // namespace arb
