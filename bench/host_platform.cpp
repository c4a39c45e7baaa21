#include <algorithm>

#include "bench/measure/handoff.hpp"
#include "bench/measure/limits.hpp"
#include "bench/platform.hpp"
#include "bench/records.hpp"
#include "collectives/runners/host/runner.hpp"
#include "collectives/runners/host/team.hpp"

namespace arb {
namespace {

class HostPlatform final : public Platform {
 public:
  HostPlatform(const Options& options, const System& system, const CrewControl& control)
      : options_(options), system_(system), control_(control) {}

  std::string backend() const override { return "host"; }
  bool leads() const override { return true; }

  std::vector<int> rank_counts() const override {
    return options_.ranks.empty() ? default_ranks(system_.usable_cores()) : options_.ranks;
  }
  SlotChooser slot_chooser(int ranks) const override {
    return host_slot_chooser(host_facts(system_, workers(ranks)));
  }
  uint64_t memory_bytes() const override { return system_.usable_memory_bytes(); }
  int ranks_in_memory(int ranks) const override { return ranks; }
  uint64_t last_level_bytes() const override { return host_facts(system_, 1).last_level_bytes; }
  bool oversubscribed(int ranks) const override { return ranks > system_.usable_cores(); }
  std::vector<Node> nodes(int) const override { return {Node{}}; }

  bool enter(int ranks) override {
    if (team_ == nullptr || team_->workers() != workers(ranks)) {
      team_ = std::make_unique<Team>(workers(ranks), system_.cpus);
      team_->set_deadline(control_.deadline);
      team_->set_interrupt(control_.interrupted);
      team_->set_fault(control_.fault);
    }
    runner_ = std::make_unique<HostRunner>(ranks, host_facts(system_, workers(ranks)));
    return true;
  }
  Crew& crew() override { return *team_; }
  Runner& runner() override { return *runner_; }

  /// Workers that share a core would tell how long the system takes to switch.
  std::optional<double> handoff() override {
    if (team_->workers() > system_.usable_cores()) return std::nullopt;
    return measure_handoff(*team_);
  }

  std::string follow(const std::string& of_leader) override { return of_leader; }

  std::string where() override { return ""; }  // the team names every rank itself

  void describe(Environment& environment) override {
    if (!options_.limits) return;
    Team team(options_.workers.value_or(system_.usable_cores()), system_.cpus);
    team.set_deadline(control_.deadline);
    const size_t array = limit_array_bytes(host_facts(system_, 1).last_level_bytes,
                                           system_.usable_memory_bytes(), team.workers());
    const MemoryLimits limits = measure_memory_limits(team, array);
    environment.copy_limit_gbps = limits.copy_gbps;
    environment.add_limit_gbps = limits.add_gbps;
  }

 private:
  int workers(int ranks) const {
    return std::min(options_.workers.value_or(system_.usable_cores()), ranks);
  }

  const Options& options_;
  const System& system_;
  CrewControl control_;
  std::unique_ptr<Team> team_;
  std::unique_ptr<HostRunner> runner_;
};

}  // namespace

std::unique_ptr<Platform> host_platform(const Options& options, const System& system,
                                        const CrewControl& control) {
  return std::make_unique<HostPlatform>(options, system, control);
}

}  // namespace arb
