#include "collectives/runners/cuda/group.hpp"

#include <cstdlib>
#include <string_view>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/device_team.hpp"
#include "collectives/runners/cuda/runner.hpp"

namespace arb {
namespace {

class Group final : public GpuGroup {
 public:
  Group(int ranks, const GpuSettings& settings, Peers* peers, const GpuTuning& tuning)
      : world_(ranks, settings, peers, tuning),
        team_(world_, settings.launch, settings.control),
        runner_(world_) {}

  Crew& crew() override { return team_; }
  Runner& runner() override { return runner_; }
  std::string transport() const override {
    if (world_.map.several_nodes()) return "messages";
    return world_.map.all_linked() ? "direct" : "host memory";
  }

 private:
  GpuWorld world_;
  DeviceTeam team_;
  CudaRunner runner_;
};

/// The kernels of several GPUs, and the latch before them, have to be under way together.
void refuse_blocking_launches() {
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (blocking == nullptr || std::string_view(blocking) == "0") return;
  throw Error(ErrorKind::kEnvironment,
              "with CUDA_LAUNCH_BLOCKING every launch waits for its kernel, and kernels wait for "
              "each other here; unset it");
}

}  // namespace

std::unique_ptr<GpuGroup> make_gpu_group(int ranks, const GpuSettings& settings, Peers* peers,
                                         const GpuTuning& tuning) {
  refuse_blocking_launches();
  return std::make_unique<Group>(ranks, settings, peers, tuning);
}

std::unique_ptr<GpuGroup> make_gpu_group(int ranks, const GpuSettings& settings, Peers* peers) {
  return make_gpu_group(ranks, settings, peers, {});
}

}  // namespace arb
