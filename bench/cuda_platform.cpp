#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/gpu_room.hpp"
#include "bench/gpu_watch.hpp"
#include "bench/mpi_peers.hpp"
#include "bench/platform.hpp"
#include "bench/records.hpp"
#include "bench/sizes.hpp"
#include "collectives/error.hpp"
#include "collectives/runners/cuda/nccl.hpp"
#include "verify/cuda/device_tools.hpp"

namespace arb {

// What each process says of a GPU that it sees.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, name, uuid, pci, multiprocessors, memory_bytes, free_bytes,
                                   l2_bytes)

namespace {

// cudaEvent_t: "a resolution of around 0.5 microseconds".
constexpr SampleClock kEventClock{
    .shortest_sample_seconds = 5e-6, .batched_sample_seconds = 50e-6, .tick_seconds = 0.5e-6};

// Processes that have passed the time limit meet once more, to say where they stand: less than the
// watchdog waits for them to end.
constexpr auto kLastWords = std::chrono::milliseconds(1000);

class CudaPlatform final : public Platform {
 public:
  CudaPlatform(const World* world, const Options& options, const System& system,
               const CrewControl& control)
      : world_(world),
        options_(options),
        system_(system),
        control_(control),
        process_(world != nullptr ? world->rank() : 0),
        room_(settle_room(options, gpus_here(), world != nullptr ? world->size() : 1)),
        watch_(nvml_) {
    see_all();
  }

  std::string backend() const override { return "cuda"; }
  bool leads() const override { return process_ == 0; }

  std::vector<int> rank_counts() const override {
    return options_.ranks.empty() ? gpu_rank_counts(room_) : options_.ranks;
  }
  SlotChooser slot_chooser(int ranks) const override {
    return gpu_slot_chooser(settings(placed(ranks)), ranks);
  }
  uint64_t memory_bytes() const override { return memory_bytes_; }
  int ranks_in_memory(int ranks) const override { return placed(ranks).ranks_per_gpu; }
  uint64_t last_level_bytes() const override { return l2_bytes_; }
  bool oversubscribed(int) const override { return false; }
  std::vector<Node> nodes(int ranks) const override {
    if (world_ == nullptr) return {Node{}};
    const GpuRoom place = placed(ranks);
    const int each = place.gpus * place.ranks_per_gpu;
    std::vector<Node> nodes = world_->nodes(place.processes);
    for (Node& node : nodes) {
      for (const int process : std::exchange(node.ranks, {})) {
        for (int i = 0; i < each; ++i) node.ranks.push_back(process * each + i);
      }
    }
    return nodes;
  }

  bool enter(int ranks) override {
    if (ranks == ranks_) return group_ != nullptr;
    entering_ = true;
    leave();
    const GpuRoom place = placed(ranks);
    ranks_ = ranks;
    if (join(place)) {
      group_ = make_gpu_group(ranks, settings(place), peers_.get());
      tools_ = gpu_buffer_tools(devices(place));
      gpus_ = place.all_gpus();
    }
    entering_ = false;
    return group_ != nullptr;
  }
  Crew& crew() override { return group_->crew(); }
  Runner& runner() override { return group_->runner(); }
  const BufferTools& buffer_tools() override { return *tools_; }
  SampleClock sample_clock() const override { return kEventClock; }

  std::string follow(const std::string& of_leader) override {
    return world_ != nullptr ? world_->broadcast(of_leader) : of_leader;
  }

  std::string where() override {
    if (!entering_ || world_ == nullptr) return "";  // done, or the crew names its ranks
    return fmt::format("process {}: waits for the other processes to form a group", process_);
  }

  void describe(Environment& environment) override {
    if (world_ != nullptr) environment.mpi = world_->version();
    const std::string driver = nvml_.driver().value_or(gpus_here().driver);
    for (const Gpu& gpu : all_) {
      environment.gpus.push_back(fmt::format("{}, {}, {} SMs, {}, driver {}", gpu.name, gpu.uuid,
                                             gpu.multiprocessors, format_bytes(gpu.memory_bytes),
                                             driver));
    }
    if (nccl_here().off().empty()) environment.nccl = nccl_here().version_text();
  }

  void begin_watch() override {
    if (!leads()) return;
    state_.reset();
    watch_.begin(gpus_beside());
  }
  void look() override {
    if (leads()) watch_.look();
  }
  void annotate(Record& record) override {
    if (!state_) state_ = watch_.state();
    record.gpu_state = *state_;
    record.gpus = gpus_;
    record.launch = options_.launch;
    if (gpus_ > 1) record.transport = group_->transport();
    if (watch_.throttled()) record.flags.emplace_back("throttled");
  }

 private:
  /// Those of the group on the node of this process: elsewhere another may have the same address.
  std::vector<Gpu> gpus_beside() const {
    const auto used = std::min<size_t>(static_cast<size_t>(gpus_), all_.size());
    if (world_ == nullptr) return {all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(used)};
    std::vector<Gpu> found;
    for (const Node& node : world_->nodes(world_->size())) {
      if (std::find(node.ranks.begin(), node.ranks.end(), process_) == node.ranks.end()) continue;
      for (size_t i = 0; i < used; ++i) {
        const int process = static_cast<int>(i) / room_.gpus;
        const bool here =
            std::find(node.ranks.begin(), node.ranks.end(), process) != node.ranks.end();
        if (here) found.push_back(all_[i]);
      }
    }
    return found;
  }

  GpuRoom placed(int ranks) const { return place_ranks(room_, ranks).value_or(room_); }

  GpuSettings settings(const GpuRoom& place) const {
    GpuSettings settings;
    settings.gpus = place.gpus;
    settings.ranks_per_gpu = place.ranks_per_gpu;
    settings.launch = options_.launch == "graph" ? Launch::kGraph : Launch::kStream;
    settings.protocol = options_.protocol;
    if (world_ != nullptr) {
      settings.nodes = static_cast<int>(world_->nodes(place.processes).size());
    }
    settings.control = control_;
    return settings;
  }

  /// The device of every rank; kNone: of another process.
  std::vector<int> devices(const GpuRoom& place) const {
    std::vector<int> all(static_cast<size_t>(place.ranks()), kNone);
    const int here = place.gpus * place.ranks_per_gpu;
    for (int i = 0; i < here; ++i) {
      all[static_cast<size_t>(process_) * static_cast<size_t>(here) + static_cast<size_t>(i)] =
          devices_[static_cast<size_t>(i / place.ranks_per_gpu)];
    }
    return all;
  }

  /// The GPUs of all processes, and what is the same for all.
  void see_all() {
    const std::string own = nlohmann::json(gpus_here().gpus).dump();
    std::vector<std::vector<Gpu>> seen;
    std::vector<std::vector<std::string>> uuids;
    for (const std::string& said :
         world_ != nullptr ? world_->exchange(own) : std::vector<std::string>{own}) {
      seen.push_back(nlohmann::json::parse(said).get<std::vector<Gpu>>());
      uuids.emplace_back();
      for (const Gpu& each : seen.back()) uuids.back().push_back(each.uuid);
    }
    const std::vector<std::vector<int>> shares = share_gpus(uuids, room_.gpus);
    devices_ = shares[static_cast<size_t>(process_)];
    for (size_t process = 0; process < shares.size(); ++process) {
      for (const int device : shares[process]) add(seen[process][static_cast<size_t>(device)]);
    }
  }

  void add(const Gpu& gpu) {
    all_.push_back(gpu);
    // A sixteenth is left for kernels, contexts and what the driver keeps.
    memory_bytes_ = std::min(memory_bytes_, gpu.free_bytes - gpu.free_bytes / 16);
    l2_bytes_ = std::min(l2_bytes_, gpu.l2_bytes);
  }

  void leave() {
    tools_.reset();
    group_.reset();
    peers_.reset();
    gpus_ = 0;
  }

  /// false: this process has no part in it.
  bool join(const GpuRoom& place) {
    if (world_ == nullptr) return true;
    GroupSettings settings;
    settings.path = Path::kMessages;  // they talk; what they share is memory of GPUs
    settings.host = host_facts(system_, 1);
    settings.control = control_;
    if (settings.control.deadline) *settings.control.deadline += kLastWords;
    std::unique_ptr<Group> group = world_->group(place.processes, settings);
    if (group == nullptr) return false;
    if (place.processes > 1) {
      peers_ = std::make_unique<MpiPeers>(std::move(group), place.processes, process_);
    }
    return true;
  }

  const World* world_;
  const Options& options_;
  const System& system_;
  CrewControl control_;
  int process_;
  GpuRoom room_;
  std::vector<int> devices_;  // of this process
  std::vector<Gpu> all_;      // in the order of ranks
  uint64_t memory_bytes_ = UINT64_MAX;
  uint64_t l2_bytes_ = UINT64_MAX;
  int ranks_ = 0;
  int gpus_ = 0;  // of the group
  std::atomic<bool> entering_{false};
  std::unique_ptr<MpiPeers> peers_;
  std::unique_ptr<GpuGroup> group_;
  std::unique_ptr<BufferTools> tools_;
  const Nvml nvml_;
  GpuWatch watch_;
  std::optional<std::optional<GpuState>> state_;  // of the case at hand, once it is asked for
};

}  // namespace

std::unique_ptr<Platform> cuda_platform(const World* world, const Options& options,
                                        const System& system, const CrewControl& control) {
  return std::make_unique<CudaPlatform>(world, options, system, control);
}

}  // namespace arb
