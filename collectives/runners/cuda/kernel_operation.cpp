#include "collectives/runners/cuda/kernel_operation.hpp"

#include <algorithm>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"

namespace arb {

void check_grid(const GpuWorld& world, KernelKind kind, const std::vector<unsigned>& blocks,
                const std::vector<std::string>& what) {
  for (size_t gpu = 0; gpu < blocks.size(); ++gpu) {
    const int fit = world.map.gpus[gpu].blocks_at_once[static_cast<size_t>(kind)];
    if (static_cast<int>(blocks[gpu]) <= fit) continue;
    const std::string name = world.map.name_of(static_cast<int>(gpu));
    if (fit == 0) {
      throw Error(ErrorKind::kEnvironment, name + " starts no cooperative grid of blocks of " +
                                               std::to_string(world.tuning.threads) +
                                               " threads; use another GPU");
    }
    throw Error(ErrorKind::kEnvironment, what[gpu] + " on " + name + " need " +
                                             std::to_string(blocks[gpu]) +
                                             " blocks at once, but only " + std::to_string(fit) +
                                             " fit; use fewer ranks per GPU (--ranks-per-gpu)");
  }
}

KernelOperation::KernelOperation(const GpuWorld& world, const std::vector<unsigned>& blocks)
    : world_(world), blocks_(blocks) {
  for (const unsigned each : blocks_) {
    reports_.emplace_back(std::max<size_t>(each, 1) * sizeof(DeviceReport),
                          "the reports of kernels");
  }
}

size_t KernelOperation::index_of(const LocalGpu& gpu) const {
  for (size_t i = 0; i < world_.local.size(); ++i) {
    if (world_.local[i].device == gpu.device) return i;
  }
  throw Error(ErrorKind::kInternal, "an operation was made for other GPUs");
}

DeviceControl KernelOperation::control(size_t index, int stall_rank) const {
  return world_.control(reinterpret_cast<DeviceReport*>(reports_[index].device()), stall_rank);
}

void KernelOperation::use(const LocalGpu& gpu) { use_device(gpu.device); }

void KernelOperation::started(cudaError_t code, const LocalGpu& gpu) {
  if (code == cudaSuccess) return;
  cuda_failed(code, "start a kernel on GPU " + std::to_string(gpu.device));
}

std::vector<DeviceReport> KernelOperation::reports_of(int rank) const {
  std::vector<DeviceReport> found;
  for (size_t gpu = 0; gpu < reports_.size(); ++gpu) {
    const auto* reports = reinterpret_cast<const DeviceReport*>(reports_[gpu].host());
    for (unsigned block = 0; block < blocks_[gpu]; ++block) {
      const DeviceReport& report = reports[block];
      if (report.awaited != Awaited::kNothing && report.rank == rank) found.push_back(report);
    }
  }
  return found;
}

int KernelOperation::waits_for(int rank) const {
  for (const DeviceReport& report : reports_of(rank)) {
    if (report.peer != kNone) return report.peer;
  }
  return kNone;
}

std::string KernelOperation::where(int rank) const {
  std::string text;
  std::vector<int> lanes;  // the first channel of each lane stands for all of them
  for (const DeviceReport& report : reports_of(rank)) {
    if (std::find(lanes.begin(), lanes.end(), report.lane) != lanes.end()) continue;
    lanes.push_back(report.lane);
    text += (text.empty() ? "" : "; ") + describe(report);
  }
  return text.empty() ? "done, or not begun" : text;
}

std::string KernelOperation::awaited(const DeviceReport& report) {
  const std::string peer = std::to_string(report.peer);
  switch (report.awaited) {
    case Awaited::kData:
      return "waits for data from rank " + peer;
    case Awaited::kSlot:
      return "waits for a free slot towards rank " + peer;
    case Awaited::kEvent:
      return "waits for another lane of its rank";
    case Awaited::kRank:
      return "waits for rank " + peer;
    case Awaited::kStart:
      return "waits for the start";
    case Awaited::kNothing:
      break;
  }
  return "could go on";
}

}  // namespace arb
