// What an emulated GPU says of itself.
#pragma once

#include <cuda_runtime.h>

#include "tests/cuda/emulated/emulator.hpp"

namespace arb::emulated {

inline constexpr int kFirstBus = 0x10;  // PCI bus of device 0

cudaDeviceProp properties_of(const Settings& settings, int device);
cudaError_t attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr attribute, int* value);

}  // namespace arb::emulated
