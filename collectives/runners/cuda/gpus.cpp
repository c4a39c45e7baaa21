#include "collectives/runners/cuda/gpus.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/cuda/read_gpu.hpp"

namespace arb {
namespace {

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string no_device() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr
             ? "no GPU is visible (CUDA_VISIBLE_DEVICES=" + std::string(visible) + ")"
             : "no GPU is visible; is there one, and does nvidia-smi show it?";
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (size_t i = 0; i < sizeof uuid.bytes; ++i) {
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "read the properties of a GPU");
  return value;
}

void probe_all(GpuSystem& system) {
  const int count = static_cast<int>(system.gpus.size());
  GroupMap map;
  map.ranks = count;
  for (int device = 0; device < count; ++device) {
    const Gpu& gpu = system.gpus[static_cast<size_t>(device)];
    map.gpus.push_back({0, device, gpu.name, gpu.uuid, {}});
  }
  map.paths = untried_paths(count);
  enable_peer_access(map);
  GroupMemory memory(map, nullptr);
  probe_paths(map, memory, nullptr, 256);
  system.paths = std::move(map.paths);
}

}  // namespace

std::string cuda_off() { return ""; }

std::string count_gpus(int& count) {
  count = 0;
  int driver = 0;
  const cudaError_t asked = cudaDriverGetVersion(&driver);
  if (asked == cudaSuccess && driver == 0) return "the NVIDIA driver is not installed";
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    cudaGetLastError();
    count = 0;
  }
  if (code == cudaErrorInsufficientDriver) {
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    return "the driver is too old: it is for CUDA " + version(driver) + ", this build needs " +
           version(runtime);
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) return no_device();
  return code == cudaSuccess ? "" : describe(code);
}

Gpu read_gpu(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "read the properties of a GPU");
  Gpu gpu;
  gpu.name = properties.name;
  gpu.uuid = uuid_text(properties.uuid);
  char pci[32] = "";
  check_cuda(cudaDeviceGetPCIBusId(pci, sizeof pci, device), "read the PCI address of a GPU");
  gpu.pci = pci;
  for (char& c : gpu.pci) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  gpu.compute_major = properties.major;
  gpu.compute_minor = properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.memory_bytes = properties.totalGlobalMem;
  gpu.l2_bytes = static_cast<uint64_t>(properties.l2CacheSize);
  gpu.cooperative = attribute(cudaDevAttrCooperativeLaunch, device) != 0;
  return gpu;
}

std::vector<std::vector<PeerPath>> untried_paths(int gpus) {
  const auto n = static_cast<size_t>(gpus);
  std::vector<std::vector<PeerPath>> paths(n, std::vector<PeerPath>(n, PeerPath::kPeer));
  for (size_t gpu = 0; gpu < n; ++gpu) paths[gpu][gpu] = PeerPath::kSame;
  return paths;
}

GpuSystem read_gpus(bool probe) {
  GpuSystem system;
  int number = 0;
  if (cudaDriverGetVersion(&number) == cudaSuccess && number > 0) system.driver = version(number);
  if (cudaRuntimeGetVersion(&number) == cudaSuccess) system.runtime = version(number);
  int count = 0;
  system.off = count_gpus(count);
  if (!system.off.empty()) return system;
  try {
    for (int device = 0; device < count; ++device) {
      Gpu gpu = read_gpu(device);
      use_device(device);
      size_t free = 0;
      size_t total = 0;
      check_cuda(cudaMemGetInfo(&free, &total), "read the free memory of a GPU");
      gpu.free_bytes = free;
      system.gpus.push_back(std::move(gpu));
    }
    if (probe) probe_all(system);
  } catch (const Error& error) {
    system.off = error.what();
    system.gpus.clear();
  }
  return system;
}

}  // namespace arb
