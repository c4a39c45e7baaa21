// NCCL's collectives as operations, to be run beside ours and checked alike. One rank per GPU.
//
// What of NCCL's environment may differ between the communicators of one process was read in its
// sources (2.8 to 2.30): NCCL_ALGO and NCCL_PROTO are read with getenv() whenever a communicator is
// made (ncclTopoTuneModel(), later ncclTuningCostModelInit()), and are part of that communicator
// from then on. Everything declared by NCCL_PARAM, NCCL_NVLS_ENABLE among it, is read once and kept
// for the process (ncclLoadParam(); NCCL_NO_CACHE, since 2.28, lifts that). So all variants here
// are made by NCCL_ALGO alone, also the one without NVLink SHARP: "^NVLS,NVLSTree".
//
// Which algorithm and protocol NCCL chose for a size cannot be asked; what was forced is the name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/runners/cuda/device_operation.hpp"
#include "collectives/runners/cuda/gpus.hpp"
#include "collectives/runners/cuda/nccl.hpp"
#include "collectives/runners/cuda/nccl_list.hpp"

namespace arb {

/// The communicators of the ranks of a group: those of this process, per value of NCCL_ALGO, made
/// when first needed and kept.
class NcclGroup {
 public:
  /// gpus: of this process; ranks: of the whole group. peers: null for one process. All outlive
  /// the group, and it its operations.
  NcclGroup(std::vector<LocalGpu> gpus, int ranks, Peers* peers, const Nccl& library = nccl_here());
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  /// Why this group cannot run the row on the shape, or nullopt; the same in all processes.
  std::optional<std::string> unsupported(const NcclAlgorithm& row, const Shape& shape) const;

  /// Collective over the processes. Throws Error{kEnvironment} with NCCL's words.
  std::unique_ptr<Operation> make(const NcclAlgorithm& row, const Shape& shape);

  const std::vector<LocalGpu>& gpus() const { return gpus_; }
  const Nccl& library() const { return library_; }

 private:
  const std::vector<NcclComm>& comms(std::string_view forced);

  std::vector<LocalGpu> gpus_;
  int ranks_;
  Peers* peers_;
  const Nccl& library_;
  std::optional<std::string> outside_;                  // NCCL_ALGO
  std::map<std::string, std::vector<NcclComm>> comms_;  // [forced][local GPU]
};

}  // namespace arb
