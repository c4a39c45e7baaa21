// How ranks are spread over GPUs, and whether what was asked for is there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "collectives/runners/cuda/gpus.hpp"

namespace arb {

/// As many ranks on each GPU, as many GPUs in each process: ranks fill one GPU after the other.
struct GpuRoom {
  int processes = 1;
  int gpus = 1;  // of each process
  int ranks_per_gpu = 1;

  int all_gpus() const { return processes * gpus; }
  int ranks() const { return all_gpus() * ranks_per_gpu; }
};

/// The part of `room` that so many ranks take: the first GPUs, as few as hold them, with equally
/// many on each. nullopt: they cannot be spread like that.
std::optional<GpuRoom> place_ranks(const GpuRoom& room, int ranks);

/// 2, 4, 8, ... and all; only 1 if there is room for no more.
std::vector<int> gpu_rank_counts(const GpuRoom& room);

/// What `options` ask for of `processes`, this one seeing `system`. Throws
/// Error{kEnvironment} with what was asked for and found, Error{kUsage} for ranks that do not go on
/// the GPUs and for a single one that is not told to take several.
GpuRoom settle_room(const Options& options, const GpuSystem& system, int processes);

/// first_free_gpus(), of which every process needs all. Throws Error{kEnvironment} if there are too
/// few.
std::vector<std::vector<int>> share_gpus(const std::vector<std::vector<std::string>>& visible,
                                         int gpus_of_each);

/// What "auto" means to a process that is alone: "cuda" if there are several GPUs on which all
/// ranks that were asked for find room, and nothing was asked for that only processors have.
std::string auto_backend(const Options& options, const GpuSystem& system);

/// A sentence for whoever may wonder why it is this backend; "" if it is obvious.
std::string auto_remark(const Options& options, const GpuSystem& system);

using GpuFinder = std::function<GpuSystem()>;
/// The GPUs of this machine, looked for once.
const GpuSystem& gpus_here();

}  // namespace arb
