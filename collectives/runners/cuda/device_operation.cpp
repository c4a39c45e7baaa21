#include "collectives/runners/cuda/device_operation.hpp"

#include <atomic>

#include "collectives/error.hpp"

namespace arb {
namespace {

std::atomic<uint64_t> operations{0};

}  // namespace

DeviceOperation::DeviceOperation() : number_(++operations) {}

void DeviceOperation::begin(int /*rank*/, const RankBuffers& /*buffers*/) {
  throw Error(ErrorKind::kInternal, "an operation on GPUs is not advanced by host ranks");
}

Advance DeviceOperation::advance(int /*rank*/) {
  throw Error(ErrorKind::kInternal, "an operation on GPUs is not advanced by host ranks");
}

}  // namespace arb
