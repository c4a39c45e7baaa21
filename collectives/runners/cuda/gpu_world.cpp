#include "collectives/runners/cuda/gpu_world.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/gather.hpp"
#include "collectives/runners/cuda/read_gpu.hpp"
#include "collectives/runners/cuda/share.hpp"

namespace arb {
namespace {

constexpr size_t kWordBytes = 128;  // a cache line of a GPU: words do not share one

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::kEnvironment, why); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The GPUs this process sees, a line each: UUID, space, name.
std::string visible_gpus(const GpuSettings& settings, int processes) {
  const std::string asked =
      std::to_string(settings.gpus) + " GPU" + (settings.gpus == 1 ? "" : "s");
  int count = 0;
  const std::string off = count_gpus(count);
  if (!off.empty()) refuse(asked + " asked for, none found: " + off);
  std::string lines;
  std::string names;
  for (int device = 0; device < count; ++device) {
    const Gpu gpu = read_gpu(device);
    lines += gpu.uuid + " " + gpu.name + "\n";
    names += (names.empty() ? "" : ", ") + gpu.name;
  }
  if (settings.gpus > count) {
    refuse(asked + " asked for, " + std::to_string(count) + " found (" + names +
           "); several ranks can share a GPU (--ranks-per-gpu)");
  }
  if (processes > 1 && settings.gpus != 1) {
    refuse("each process of a job drives one GPU: start as many processes as GPUs");
  }
  return lines;
}

/// One process takes its first GPUs; those of a job as first_free_gpus() says.
std::vector<GroupGpu> choose_gpus(const std::vector<std::string>& visible, int gpus, int process) {
  std::vector<std::vector<std::string>> names(visible.size()), uuids(visible.size());
  for (size_t p = 0; p < visible.size(); ++p) {
    for (const std::string& line : lines_of(visible[p])) {
      const size_t space = line.find(' ');
      uuids[p].push_back(line.substr(0, space));
      names[p].push_back(line.substr(space + 1));
    }
  }
  std::vector<GroupGpu> chosen;
  const auto shares = first_free_gpus(uuids, gpus);
  for (size_t p = 0; p < shares.size(); ++p) {
    if (std::ssize(shares[p]) < gpus) {
      refuse("process " + std::to_string(p) + " finds no GPU that no process before it uses (" +
             std::to_string(uuids[p].size()) +
             " visible): kernels of two processes do not run on one GPU at the same time; start "
             "fewer processes and let each drive several ranks (--ranks-per-gpu)");
    }
    for (const int device : shares[p]) {
      GroupGpu gpu;
      gpu.process = static_cast<int>(p);
      if (gpu.process == process) gpu.device = device;
      gpu.uuid = uuids[p][static_cast<size_t>(device)];
      gpu.name = names[p][static_cast<size_t>(device)];
      chosen.push_back(std::move(gpu));
    }
  }
  return chosen;
}

void check_enough(int ranks, const GpuSettings& settings, size_t gpus) {
  const size_t room = gpus * static_cast<size_t>(settings.ranks_per_gpu);
  if (settings.ranks_per_gpu < 1 || settings.ranks_per_gpu > kMostLocalRanks) {
    refuse("1 to " + std::to_string(kMostLocalRanks) + " ranks can share a GPU, not " +
           std::to_string(settings.ranks_per_gpu));
  }
  if (static_cast<size_t>(ranks) <= room) return;
  const size_t wanted = (static_cast<size_t>(ranks) + gpus - 1) / gpus;
  refuse(std::to_string(ranks) + " ranks do not fit on " + std::to_string(gpus) + " GPU" +
         (gpus == 1 ? "" : "s") + " with " + std::to_string(settings.ranks_per_gpu) +
         " each; use --ranks-per-gpu " + std::to_string(wanted));
}

std::string capacities(const GroupMap& map, int threads) {
  std::string text;
  for (const GroupGpu& gpu : map.gpus) {
    if (gpu.process != map.process) continue;
    for (size_t kind = 0; kind < kKernelKinds; ++kind) {
      text +=
          std::to_string(blocks_at_once(gpu.device, static_cast<KernelKind>(kind), threads)) + "\n";
    }
  }
  return text;
}

GroupMap make_map(int ranks, const GpuSettings& settings, Peers* peers, int threads) {
  GroupMap map;
  map.ranks = ranks;
  map.ranks_per_gpu = settings.ranks_per_gpu;
  map.process = peers != nullptr ? peers->index() : 0;
  const int processes = peers != nullptr ? peers->count() : 1;
  const auto visible = gather(peers, [&] { return visible_gpus(settings, processes); });
  map.gpus = choose_gpus(visible, settings.gpus, map.process);
  check_enough(ranks, settings, map.gpus.size());
  if (peers != nullptr) {
    const std::vector<int> nodes = peers->nodes();
    for (GroupGpu& gpu : map.gpus) gpu.node = nodes[static_cast<size_t>(gpu.process)];
  }
  map.gpus.resize(static_cast<size_t>((ranks + map.ranks_per_gpu - 1) / map.ranks_per_gpu));
  const auto said = gather(peers, [&] { return capacities(map, threads); });
  std::vector<std::vector<std::string>> numbers;
  numbers.reserve(said.size());
  for (const std::string& each : said) numbers.push_back(lines_of(each));
  std::vector<size_t> at(said.size());
  for (GroupGpu& gpu : map.gpus) {
    const auto process = static_cast<size_t>(gpu.process);
    for (int& blocks : gpu.blocks_at_once) blocks = std::stoi(numbers[process][at[process]++]);
  }
  map.paths = untried_paths(map.gpu_count());
  if (!settings.peer_access) {
    for (auto& row : map.paths)
      std::replace(row.begin(), row.end(), PeerPath::kPeer, PeerPath::kRefused);
  }
  for (int reader = 0; reader < map.gpu_count(); ++reader) {
    for (int owner = 0; owner < map.gpu_count(); ++owner) {
      if (map.same_node(reader, owner)) continue;
      map.paths[static_cast<size_t>(reader)][static_cast<size_t>(owner)] = PeerPath::kRefused;
    }
  }
  return map;
}

const void* kernel_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::kSimple:
      return reinterpret_cast<const void*>(&schedule_simple_kernel);
    case KernelKind::kLl:
      return reinterpret_cast<const void*>(&schedule_ll_kernel);
    case KernelKind::kOneShot:
      return reinterpret_cast<const void*>(&one_shot_kernel);
    case KernelKind::kTwoShot:
      return reinterpret_cast<const void*>(&two_shot_kernel);
  }
  return nullptr;
}

}  // namespace

int blocks_at_once(int device, KernelKind kind, int threads) {
  use_device(device);
  int cooperative = 0;
  int multiprocessors = 0;
  check_cuda(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device),
             "read the properties of a GPU");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "read the properties of a GPU");
  if (cooperative == 0) return 0;
  int blocks = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of(kind), threads, 0),
             "ask how many blocks of a kernel run at once");
  return blocks * multiprocessors;
}

GpuWorld::GpuWorld(int ranks, const GpuSettings& settings, Peers* others, const GpuTuning& changes)
    : tuning(changes),
      peers(others != nullptr && others->count() > 1 ? others : nullptr),
      map(make_map(ranks, settings, peers, tuning.threads)),
      memory(map, peers) {
  all_or_none([&] {
    for (int gpu = 0; gpu < map.gpu_count(); ++gpu) {
      if (!map.mine(gpu)) continue;
      use_device(map.at(gpu).device);
      streams.emplace_back();
      local.push_back(
          {map.at(gpu).device, streams.back().get(), map.first_rank(gpu), map.ranks_on(gpu)});
      local_gpu.push_back(gpu);
      for (int r = 0; r < map.ranks_on(gpu); ++r) driven.push_back(map.first_rank(gpu) + r);
    }
    words =
        PinnedMemory((1 + 2 * std::max<size_t>(local.size(), 1)) * kWordBytes, "starting kernels");
  });
  if (settings.peer_access) {
    enable_peer_access(map);
    probe_paths(map, memory, peers, tuning.threads);
  }
  sees_all = peers == nullptr || map.all_linked();
  if (map.several_nodes()) map.device_messages = device_messages_work(map, *peers);
}

void GpuWorld::all_or_none(const std::function<void()>& part) const {
  gather(peers, [&] {
    part();
    return std::string();
  });
}

DeviceControl GpuWorld::control(DeviceReport* reports, int stall_rank) const {
  DeviceControl control;
  control.abort = reinterpret_cast<const uint32_t*>(words.device());
  control.reports = reports;
  control.most_polls = tuning.most_polls;
  control.stall_rank = stall_rank;
  return control;
}

uint32_t* GpuWorld::abort_word() const { return reinterpret_cast<uint32_t*>(words.host()); }

uint64_t* GpuWorld::latch_word(size_t local_index, int which) const {
  return reinterpret_cast<uint64_t*>(
      words.host() + (1 + 2 * local_index + static_cast<size_t>(which)) * kWordBytes);
}

const uint64_t* GpuWorld::latch_word_on_device(size_t local_index, int which) const {
  return reinterpret_cast<const uint64_t*>(
      words.device() + (1 + 2 * local_index + static_cast<size_t>(which)) * kWordBytes);
}

void GpuWorld::raise_abort() const {
  std::atomic_ref<uint32_t>(*abort_word()).store(1, std::memory_order_release);
}

bool GpuWorld::aborted() const {
  return std::atomic_ref<uint32_t>(*abort_word()).load(std::memory_order_acquire) != 0;
}

bool GpuWorld::idle() const {
  bool all = true;
  for (const LocalGpu& gpu : local) {  // each is asked: what went wrong on one keeps others waiting
    use_device(gpu.device);
    if (!Stream::idle(gpu.stream)) all = false;
  }
  return all;
}

bool GpuWorld::wait_idle(double seconds) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!idle()) {
    if (std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

}  // namespace arb
