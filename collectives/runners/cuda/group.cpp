#include "collectives/runners/cuda/group.hpp"

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

}  // namespace

std::unique_ptr<GpuGroup> make_gpu_group(int ranks, const GpuSettings& settings, Peers* peers,
                                         const GpuTuning& tuning) {
  return std::make_unique<Group>(ranks, settings, peers, tuning);
}

std::unique_ptr<GpuGroup> make_gpu_group(int ranks, const GpuSettings& settings, Peers* peers) {
  return make_gpu_group(ranks, settings, peers, {});
}

}  // namespace arb
