#include "bench/gpu_room.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/share.hpp"

namespace arb {

namespace {

constexpr int kRanksOnOne = 8;  // what is proposed where there is one GPU

std::string gpus(int count) { return fmt::format("{} GPU{}", count, count == 1 ? "" : "s"); }

std::string why_off(const GpuSystem& system) {
  return cuda_off().empty() ? system.off : "this build has no CUDA backend: " + cuda_off();
}

void require_gpus(const Options& options, const GpuSystem& system, int wanted) {
  const auto found = static_cast<int>(system.gpus.size());
  const std::string asked = options.gpus ? gpus(*options.gpus) : "GPUs";
  if (found == 0) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("asked for {}, found none: {}{}", asked, why_off(system),
                            options.gpus ? "" : "; try --backend host"));
  }
  if (found >= wanted) return;
  std::vector<std::string> names;
  for (const Gpu& gpu : system.gpus) names.push_back(gpu.name);
  throw Error(ErrorKind::kEnvironment,
              fmt::format("asked for {}, found {}: {}", asked, found, fmt::join(names, ", ")));
}

void require_ranks(const Options& options, const GpuRoom& room) {
  for (const int ranks : options.ranks) {
    if (place_ranks(room, ranks)) continue;
    const std::string has =
        fmt::format("{}{} with {} rank{} each", gpus(room.all_gpus()),
                    room.processes > 1 ? fmt::format(" of {} processes", room.processes) : "",
                    room.ranks_per_gpu, room.ranks_per_gpu == 1 ? "" : "s");
    if (ranks > room.ranks()) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("--ranks {}: {} hold {}; ask for fewer, or give --ranks-per-gpu {}", ranks,
                      has, room.ranks(), (ranks + room.all_gpus() - 1) / room.all_gpus()));
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("--ranks {}: they cannot be spread evenly over {}; ask for a multiple "
                            "of {}",
                            ranks, has, room.gpus * room.ranks_per_gpu));
  }
}

/// Options that speak of processors, or of processes.
bool wants_processors(const Options& options) {
  return options.workers.has_value() || options.path != "auto";
}

}  // namespace

std::optional<GpuRoom> place_ranks(const GpuRoom& room, int ranks) {
  if (ranks < 1 || ranks > room.ranks()) return std::nullopt;
  const int used = (ranks + room.ranks_per_gpu - 1) / room.ranks_per_gpu;
  if (ranks % used != 0) return std::nullopt;
  if (used <= room.gpus) return GpuRoom{1, used, ranks / used};
  if (used % room.gpus != 0) return std::nullopt;
  return GpuRoom{used / room.gpus, room.gpus, ranks / used};
}

std::vector<int> gpu_rank_counts(const GpuRoom& room) {
  std::vector<int> all;
  for (int ranks = 2; ranks < room.ranks(); ranks *= 2) {
    if (place_ranks(room, ranks)) all.push_back(ranks);
  }
  all.push_back(room.ranks());
  return all;
}

GpuRoom settle_room(const Options& options, const GpuSystem& system, int processes) {
  GpuRoom room;
  room.processes = processes;
  const int here = std::max(1, static_cast<int>(system.gpus.size()));
  room.gpus = options.gpus.value_or(processes > 1 ? 1 : here);
  room.ranks_per_gpu = options.ranks_per_gpu.value_or(1);
  require_gpus(options, system, room.gpus);
  if (processes > 1 && room.gpus > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--gpus {}: under mpirun every process drives one GPU; start as many "
                            "processes as GPUs, or one process with all of them",
                            room.gpus));
  }
  if (room.ranks() == 1 && options.ranks != std::vector<int>{1}) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--backend cuda: one GPU ({}) holds one rank, and it takes two to "
                            "communicate; add --ranks-per-gpu {} to put several on it",
                            system.gpus.front().name, kRanksOnOne));
  }
  require_ranks(options, room);
  return room;
}

std::vector<std::vector<int>> share_gpus(const std::vector<std::vector<std::string>>& visible,
                                         int gpus_of_each) {
  std::vector<std::vector<int>> all = first_free_gpus(visible, gpus_of_each);
  for (size_t process = 0; process < visible.size(); ++process) {
    if (std::ssize(all[process]) == gpus_of_each) continue;
    throw Error(ErrorKind::kEnvironment,
                fmt::format("--backend cuda: process {} sees {}, and the processes before it have "
                            "them; start fewer processes, with --ranks-per-gpu for more ranks",
                            process, gpus(static_cast<int>(visible[process].size()))));
  }
  return all;
}

std::string auto_backend(const Options& options, const GpuSystem& system) {
  if (system.gpus.size() < 2 || wants_processors(options)) return "host";
  const GpuRoom room{1, static_cast<int>(system.gpus.size()), 1};
  const bool all_fit = std::all_of(options.ranks.begin(), options.ranks.end(),
                                   [&](int ranks) { return place_ranks(room, ranks).has_value(); });
  return all_fit ? "cuda" : "host";
}

std::string auto_remark(const Options& options, const GpuSystem& system) {
  if (options.backend != "auto" || system.gpus.empty() || wants_processors(options)) return "";
  const auto found = static_cast<int>(system.gpus.size());
  if (auto_backend(options, system) == "cuda") {
    return fmt::format("{} found: the ranks are on them (--backend host: on the processors)",
                       gpus(found));
  }
  if (found == 1) {
    return fmt::format(
        "the ranks are on the processors; --backend cuda --ranks-per-gpu {} puts them on the {}",
        kRanksOnOne, system.gpus.front().name);
  }
  return fmt::format(
      "the ranks are on the processors, because so many do not go on {}, one each; --ranks-per-gpu "
      "K puts several on each",
      gpus(found));
}

const GpuSystem& gpus_here() {
  static const GpuSystem system = read_gpus(false);
  return system;
}

}  // namespace arb
