// The check of a message on GPUs, and what keeps it honest.
#pragma once

#include <cstddef>
#include <vector>

#include "verify/check.hpp"
#include "verify/cuda/check_launch.hpp"
#include "verify/cuda/device_copies.hpp"

namespace arb {

/// Tiles first_tile, first_tile + stride, ...; see gpu_buffer_tools().
Verdict check_on_gpus(const CheckSpec& spec, const std::vector<RankView>& views, size_t first_tile,
                      size_t stride, const DeviceCopies& copies);

/// What a check must make of the findings of GPUs: of the kernels on all items (`all`), where
/// `expected` comparisons were due, and of both sides on single items. Split off, so that a GPU
/// that lies can be tried.
class DeviceVerdict {
 public:
  DeviceVerdict(const CheckFinding& all, uint64_t expected);
  /// Both sides' judgement of one item.
  void compare(const CheckItem& item, const CheckFinding& device, const Verdict& host);
  /// With the number of wrong elements that the GPUs counted, and the host's words for the first.
  Verdict verdict() const;

 private:
  CheckFinding all_;
  Verdict first_;          // the host's words
  Verdict contradiction_;  // "device check"
  double max_error_ratio_ = 0;
};

}  // namespace arb
