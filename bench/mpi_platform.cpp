#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "bench/doctor_mpi.hpp"
#include "bench/platform.hpp"
#include "bench/records.hpp"
#include "collectives/runners/mpi/backing.hpp"

namespace arb {
namespace {

class MpiPlatform final : public Platform {
 public:
  MpiPlatform(const World& world, const Options& options, const System& system,
              const CrewControl& control)
      : world_(world), rank_(world.rank()), options_(options), system_(system), control_(control) {
    for (const std::string& said : world.exchange(std::to_string(memory_here()))) {
      memory_bytes_ = std::min<uint64_t>(memory_bytes_, std::stoull(said));
    }
  }

  std::string backend() const override { return "mpi"; }
  bool leads() const override { return rank_ == 0; }

  std::vector<int> rank_counts() const override {
    const int size = world_.size();
    if (!options_.ranks.empty()) return options_.ranks;
    std::vector<int> all;
    for (int ranks = 2; ranks < size; ranks *= 2) all.push_back(ranks);
    all.push_back(size);
    return all;
  }

  SlotChooser slot_chooser(int ranks) const override {
    return world_.slot_chooser(path(), facts(ranks));
  }
  uint64_t memory_bytes() const override { return memory_bytes_; }
  int ranks_in_memory(int ranks) const override {
    size_t most = 0;
    for (const Node& node : world_.nodes(ranks)) most = std::max(most, node.ranks.size());
    return static_cast<int>(most);
  }
  uint64_t last_level_bytes() const override { return host_facts(system_, 1).last_level_bytes; }
  bool oversubscribed(int ranks) const override {
    const std::vector<Node> all = world_.nodes(ranks);
    return std::any_of(all.begin(), all.end(), [](const Node& node) {
      return static_cast<int>(node.ranks.size()) > node.cores;
    });
  }
  std::vector<Node> nodes(int ranks) const override { return world_.nodes(ranks); }

  bool enter(int ranks) override {
    if (ranks != ranks_) {
      entering_ = true;
      change_group(nullptr);  // before the next one: both are collective
      GroupSettings settings;
      settings.path = path();
      settings.host = facts(ranks);
      settings.control = control_;
      change_group(world_.group(ranks, settings));
      ranks_ = ranks;
      entering_ = false;
    }
    return group_ != nullptr;
  }
  Crew& crew() override { return group_->crew(); }
  Runner& runner() override { return group_->runner(); }

  std::string follow(const std::string& of_leader) override { return world_.broadcast(of_leader); }

  std::string where() override {
    const std::lock_guard lock(mutex_);
    const std::string place = group_ != nullptr ? group_->where()
                              : entering_       ? "waits for the other processes to form a group"
                                                : "";  // done, or has no part in it
    return place.empty() ? "" : fmt::format("rank {}: {}", rank_, place);
  }

  void describe(Environment& environment) override {
    environment.mpi = world_.version();
    const std::vector<Node> nodes = world_.nodes(world_.size());
    if (const auto warning = yield_warning(nodes, world_.version())) {
      fmt::print(stderr, "allreduce-bench: warning: {}\n", *warning);
    }
    for (const Node& node : nodes) {
      environment.placement.push_back(fmt::format("{}: {}", node.host, fmt::join(node.ranks, ",")));
    }
  }

 private:
  Path path() const {
    return options_.path == "shm"        ? Path::kShm
           : options_.path == "messages" ? Path::kMessages
                                         : Path::kAuto;
  }
  /// Ranks of a node share their buffers through a file system of limited size, if they share them.
  uint64_t memory_here() const {
    const uint64_t usable = system_.usable_memory_bytes();
    if (path() == Path::kMessages) return usable;
    return std::min<uint64_t>(usable, free_bytes("/dev/shm"));
  }
  HostFactsForSlots facts(int ranks) const {
    return host_facts(system_, std::min(world_.nodes(ranks).front().cores, ranks));
  }
  /// The old group ends outside the lock: that is collective, and where() must not wait for it.
  void change_group(std::unique_ptr<Group> group) {
    const std::lock_guard lock(mutex_);
    group_.swap(group);
  }

  const World& world_;
  int rank_;
  const Options& options_;
  const System& system_;
  CrewControl control_;
  uint64_t memory_bytes_ = UINT64_MAX;
  int ranks_ = 0;
  std::atomic<bool> entering_{false};
  std::mutex mutex_;  // where() against changes of the group
  std::unique_ptr<Group> group_;
};

}  // namespace

std::unique_ptr<Platform> mpi_platform(const World& world, const Options& options,
                                       const System& system, const CrewControl& control) {
  return std::make_unique<MpiPlatform>(world, options, system, control);
}

}  // namespace arb
