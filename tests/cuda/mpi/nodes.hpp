// The processes of the job, each with an emulated GPU, on nodes of the test's choice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/mpi_peers.hpp"
#include "tests/cuda/runner/harness.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {

/// What an MPI may turn out to be.
enum class DeviceMessages {
  kNo,      // does not claim to take memory of GPUs
  kYes,     // claims it, and it is true: messages may use the memory of emulated GPUs
  kBroken,  // claims it, but large messages do not arrive
};

/// Counts the messages that this process's kernels send to other nodes.
class CountingPeers final : public MpiPeers {
 public:
  CountingPeers(std::unique_ptr<Group> group, DeviceMessages device_messages);

  bool claims_device_messages() const override;
  void pass_on(const std::byte* own, std::byte* received, size_t bytes) override;
  std::unique_ptr<Carrier> carry(const std::vector<FarFifo>& fifos, int tags) override;

  /// Of operations that are gone.
  uint64_t messages() const { return messages_; }

 private:
  DeviceMessages device_messages_;
  uint64_t messages_ = 0;
};

/// One GPU a process, `ranks_per_gpu` ranks on each. All processes make it together.
struct GpuJob {
  struct Options {
    int ranks_per_gpu = 1;
    DeviceMessages device_messages = DeviceMessages::kNo;
    emulated::Settings machine = {};
    GroupOptions group = {};
  };
  GpuJob(const std::vector<int>& node_of, const Options& options);

  PretendedNodes nodes;
  std::unique_ptr<CountingPeers> peers;
  int ranks = 0;
  std::unique_ptr<GpuGroup> group;
};

/// The sum of what all processes say. Collective.
uint64_t sum_of_all(uint64_t own);

}  // namespace arb
