#include "collectives/runners/cuda/device_team.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/launch.hpp"
#include "collectives/runners/host/cpu.hpp"

namespace arb {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kGrace = std::chrono::seconds(2);  // from an interrupt until kernels are cut off
constexpr double kLeaveSeconds = 5;  // kernels look at the abort word every 0.1 ms or so
// Launches that wait behind a latch: a GPU's queue takes 1024, then the host would wait for it.
constexpr int kMostQueued = 256;
constexpr size_t kNobody = SIZE_MAX;

void open(uint64_t* word, uint64_t ticket) {
  std::atomic_ref<uint64_t>(*word).store(ticket, std::memory_order_release);
}

std::string bytes_of(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

}  // namespace

DeviceTeam::DeviceTeam(GpuWorld& world, Launch launch, const CrewControl& control)
    : world_(world), launch_(launch), control_(control) {
  if (world.peers != nullptr && world.sees_all) worker_ = world.peers->index();
  for (const LocalGpu& gpu : world.local) {
    use_device(gpu.device);
    clocks_.push_back({Event(false), Event(true), Event(true)});
  }
}

int DeviceTeam::workers() const {
  return world_.peers != nullptr && world_.sees_all ? world_.peers->count() : 1;
}

std::pair<int, int> DeviceTeam::ranks_of(int worker, int ranks) const {
  if (workers() == 1) {
    const auto& driven = world_.driven;
    return driven.empty() ? std::pair(0, 0) : std::pair(driven.front(), driven.back() + 1);
  }
  // One GPU a process, in the order of the processes.
  const int each = world_.map.ranks_per_gpu;
  return {std::min(worker * each, ranks), std::min((worker + 1) * each, ranks)};
}

bool DeviceTeam::meet() {
  if (workers() > 1) world_.peers->barrier();
  return true;
}

std::vector<std::string> DeviceTeam::exchange(const std::string& own) {
  return world_.peers != nullptr ? world_.peers->exchange(own) : std::vector<std::string>{own};
}

bool DeviceTeam::interrupted() const {
  if (world_.peers != nullptr) return interrupted_;
  return control_.interrupted != nullptr && *control_.interrupted;
}

bool DeviceTeam::expired() const {
  if (world_.peers != nullptr) return expired_;
  return control_.deadline && SteadyClock::now() > *control_.deadline;
}

std::vector<Sample> DeviceTeam::run(std::span<const Execution> executions) {
  if (broken_) throw Error(ErrorKind::kInternal, "the kernels of the GPUs have been stopped");
  interrupted_at_.reset();
  const auto begin = SteadyClock::now();
  std::vector<double> seconds(executions.size());
  bool between = false;
  try {
    for (size_t i = 0; i < executions.size(); ++i) {
      current_ = &executions[i];
      execute(executions[i], seconds[i]);
    }
    between = true;
    std::vector<Sample> samples =
        collect(seconds, std::chrono::duration<double>(SteadyClock::now() - begin).count());
    current_ = nullptr;
    if (interrupted()) throw Error(ErrorKind::kTimeLimit, "was interrupted");
    return samples;
  } catch (const Stopped&) {
    give_up(between);
  } catch (...) {
    if (!between) stop_kernels();
    throw;
  }
}

/// What is in the queues would wait for ever: latches that nobody opens, ranks that never come.
void DeviceTeam::stop_kernels() noexcept {
  broken_ = true;
  world_.raise_abort();
  try {
    if (!world_.wait_idle(kLeaveSeconds)) lose_gpus();
  } catch (...) {  // what went wrong on a GPU is already on its way to the caller
  }
}

bool DeviceTeam::out_of_time() {
  const auto now = SteadyClock::now();
  if (control_.deadline && now > *control_.deadline) return true;
  if (control_.interrupted == nullptr || !*control_.interrupted) return false;
  if (!interrupted_at_) interrupted_at_ = now;
  return now > *interrupted_at_ + kGrace;
}

template <class Done>
void DeviceTeam::wait_until(const Done& done) {
  while (!done()) {
    if (out_of_time()) {
      sync(true);
      throw Stopped();
    }
    relax();
  }
}

/// Until the kernels of this process are done and all they have sent has left. So a process never
/// waits for another in an exchange while the kernels of a third wait for it: what it was to
/// receive, its kernels have received; what it was to send, MPI has taken, and MPI moves it along
/// while the process waits in an exchange, if it is not there already. Nobody is a step further
/// either: every execution begins with an exchange, before any of its kernels does.
void DeviceTeam::finish(DeviceOperation& operation) {
  wait_until([&] {
    const bool idle = world_.idle();  // asked first: idle kernels publish nothing more
    return operation.carry() && idle;
  });
}

/// A meeting of all processes at which each of them may say that it gives up.
void DeviceTeam::sync(bool stopped) {
  if (world_.peers == nullptr) return;
  bool somebody = stopped;
  for (const std::string& said : world_.peers->exchange(stopped ? "stop" : "go")) {
    if (said == "stop") somebody = true;
  }
  if (somebody) throw Stopped();
}

size_t DeviceTeam::gpu_of(int rank) const {
  for (size_t i = 0; i < world_.local.size(); ++i) {
    const LocalGpu& gpu = world_.local[i];
    if (rank >= gpu.first_rank && rank < gpu.first_rank + gpu.ranks) return i;
  }
  return kNobody;
}

void DeviceTeam::latch(size_t index, int which) {
  LatchArgs args;
  args.go = world_.latch_word_on_device(index, which);
  args.ticket = ticket_;
  args.control = world_.control(nullptr, kNone);
  const LocalGpu& gpu = world_.local[index];
  check_cuda(arb::launch(latch_kernel, args, Grid{}, gpu.stream), "start a kernel");
}

void DeviceTeam::enqueue(const Execution& execution, int times, int stall_rank) {
  auto& operation = dynamic_cast<DeviceOperation&>(*execution.operation);
  for (int b = 0; b < times; ++b) operation.enqueue(world_.local, execution.buffers, stall_rank);
}

/// A late GPU has a second latch behind its start event, so that the delay is measured.
void DeviceTeam::open_latches(size_t late_gpu, double late_seconds) {
  for (size_t i = 0; i < world_.local.size(); ++i) open(world_.latch_word(i, 0), ticket_);
  if (late_gpu == kNobody) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(late_seconds));
  open(world_.latch_word(late_gpu, 1), ticket_);
}

void DeviceTeam::execute(const Execution& execution, double& seconds) {
  if (execution.prepare != nullptr) (*execution.prepare)(worker_);
  auto& operation = dynamic_cast<DeviceOperation&>(*execution.operation);
  const RankFault& fault = control_.fault;
  const int stall_rank =
      fault.stalls(fault.stall_rank, execution.iteration) ? fault.stall_rank : kNone;
  const size_t late_gpu =
      fault.delays(fault.delay_rank, execution.iteration) ? gpu_of(fault.delay_rank) : kNobody;
  const bool replay = launch_ == Launch::kGraph;
  const std::vector<Graph>* graphs =
      replay ? &graphs_.graphs(world_, operation, execution.buffers, execution.batch, stall_rank)
             : nullptr;
  ++ticket_;
  // What an operation sets up when it first runs may wait for the GPU (NCCL connects then, and
  // kernels are loaded): nothing may hold the streams up.
  const bool first = used_.insert(operation.number()).second;
  if (first) {
    sync(false);
    open_latches(kNobody, 0);
  }
  for (size_t i = 0; i < world_.local.size(); ++i) {
    const LocalGpu& gpu = world_.local[i];
    use_device(gpu.device);
    clocks_[i].ready.record(gpu.stream);
    latch(i, 0);
    clocks_[i].start.record(gpu.stream);
    if (i == late_gpu) latch(i, 1);
    if (replay) (*graphs)[i].launch(gpu.stream);
  }
  const int queued = replay ? execution.batch : std::min(execution.batch, kMostQueued);
  if (!replay) enqueue(execution, queued, stall_rank);
  // Everything is in the queues: the clocks measure no host. What a GPU did before is done too.
  wait_until([&] {
    return std::count_if(clocks_.begin(), clocks_.end(),
                         [](const Clock& clock) { return !clock.ready.done(); }) == 0;
  });
  if (!first) sync(false);
  open_latches(late_gpu, fault.delay_seconds);
  for (int left = execution.batch - queued; left > 0;) {
    int next = left;
    if (operation.needs_carrying()) {  // a full queue would wait for kernels that wait for us
      finish(operation);
      next = std::min(left, kMostQueued);
    }
    enqueue(execution, next, stall_rank);
    left -= next;
  }
  for (size_t i = 0; i < world_.local.size(); ++i) {
    use_device(world_.local[i].device);
    clocks_[i].stop.record(world_.local[i].stream);
  }
  finish(operation);
  seconds = 0;
  for (const Clock& clock : clocks_) {
    seconds = std::max(seconds, clock.stop.seconds_since(clock.start));
  }
  if (execution.inspect == nullptr) return;
  sync(false);
  (*execution.inspect)(worker_);
  sync(false);
}

/// Maxima over the processes: of durations, and of what one of them wants.
std::vector<Sample> DeviceTeam::collect(const std::vector<double>& seconds, double wall_seconds) {
  std::vector<double> all = seconds;
  all.push_back(wall_seconds);
  all.push_back(control_.interrupted != nullptr && *control_.interrupted ? 1 : 0);
  all.push_back(control_.deadline && SteadyClock::now() > *control_.deadline ? 1 : 0);
  if (world_.peers != nullptr) {
    for (const std::string& said : world_.peers->exchange(bytes_of(all))) {
      if (said == "stop") throw Stopped();
      std::vector<double> theirs(all.size());
      std::memcpy(theirs.data(), said.data(),
                  std::min(said.size(), theirs.size() * sizeof(double)));
      for (size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], theirs[i]);
    }
  }
  const size_t n = seconds.size();
  timing_.wall_seconds = all[n];
  interrupted_ = all[n + 1] != 0;
  expired_ = all[n + 2] != 0;
  std::vector<Sample> samples(n);
  for (size_t i = 0; i < n; ++i) {
    samples[i].seconds = all[i];
    samples[i].common_clock = world_.map.gpu_count() == 1;
  }
  return samples;
}

/// Where the ranks of this process are, a line each.
std::string DeviceTeam::places() const {
  constexpr size_t kShown = 16;
  std::string text;
  const RankFault& fault = control_.fault;
  for (size_t i = 0; i < std::min(world_.driven.size(), kShown); ++i) {
    const int rank = world_.driven[i];
    text += "\n  rank " + std::to_string(rank) + ": " +
            (fault.stalls(rank, current_->iteration) ? "takes no part"
                                                     : current_->operation->where(rank));
  }
  if (world_.driven.size() > kShown) {
    text += "\n  and " + std::to_string(world_.driven.size() - kShown) + " more ranks";
  }
  return text;
}

void DeviceTeam::give_up(bool between) {
  expired_ = true;
  stop_kernels();
  std::string own;
  if (gpus_lost()) {
    own = "\n  the kernels of process " + std::to_string(world_.map.process) +
          " do not leave their GPUs: only the end of the process will stop them";
  } else if (between) {
    own = "\n  process " + std::to_string(world_.map.process) + ": between two operations";
  } else {
    own = places();
  }
  std::string all;
  for (const std::string& said : exchange(own)) all += said;
  throw Error(ErrorKind::kTimeLimit,
              "stopped in iteration " + std::to_string(current_->iteration) + ":" + all);
}

}  // namespace arb
