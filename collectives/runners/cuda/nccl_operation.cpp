#include "collectives/runners/cuda/nccl_operation.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/hex.hpp"

namespace arb {
namespace {

constexpr const char* kVariable = "NCCL_ALGO";

/// Sets the variable for as long as communicators are made.
class Forced {
 public:
  Forced(std::string_view value, const std::optional<std::string>& outside) : outside_(outside) {
    if (!value.empty()) setenv(kVariable, std::string(value).c_str(), 1);
  }
  ~Forced() {
    if (outside_) {
      setenv(kVariable, outside_->c_str(), 1);
    } else {
      unsetenv(kVariable);
    }
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  const std::optional<std::string>& outside_;
};

Tiling one_tile(const Shape& shape) {
  const bool cut = blocked(shape.collective);
  return {shape.count, cut ? shape.ranks : 1, cut, std::max<size_t>(1, shape.count), 1};
}

/// What process 0 says to all: the identifier, or why there is none.
constexpr std::string_view kFailed = "failed: ";

NcclUniqueId shared_id(const Nccl& nccl, Peers* peers) {
  NcclUniqueId id{};
  if (peers == nullptr) {
    nccl.require(nccl.get_unique_id(&id), "ncclGetUniqueId");
    return id;
  }
  std::string said;
  if (peers->index() == 0) {
    try {
      nccl.require(nccl.get_unique_id(&id), "ncclGetUniqueId");
      said = to_hex(id.bytes);
    } catch (const Error& error) {
      said = std::string(kFailed) + error.what();
    }
  }
  const std::string heard = peers->exchange(said).front();
  if (heard.starts_with(kFailed)) {
    throw Error(ErrorKind::kEnvironment, heard.substr(kFailed.size()));
  }
  from_hex(heard, id.bytes);
  return id;
}

class NcclOperation final : public DeviceOperation {
 public:
  NcclOperation(const Nccl& nccl, const Shape& shape, const std::vector<NcclComm>& comms)
      : nccl_(nccl), shape_(shape), comms_(comms), tiling_(one_tile(shape)) {}

  void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* buffers,
               int stall_rank) override {
    nccl_.require(nccl_.group_start(), "ncclGroupStart");
    int failed = 0;
    for (size_t i = 0; i < gpus.size(); ++i) {
      const LocalGpu& gpu = gpus[i];
      if (gpu.first_rank == stall_rank || failed != 0) continue;
      use_device(gpu.device);
      failed = call(gpu.first_rank, buffers[gpu.first_rank], comms_[i], gpu.stream);
    }
    const int ended = nccl_.group_end();  // also after a failure: the group must not stay open
    nccl_.require(failed != 0 ? failed : ended, "the collective");
  }

  std::string where(int /*rank*/) const override { return "inside NCCL, which does not tell"; }
  int waits_for(int /*rank*/) const override { return kNone; }
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return nullptr; }

 private:
  /// Pointers are those of whole messages; NCCL wants the rank's block where it has only that.
  int call(int rank, const RankBuffers& at, NcclComm comm, NcclStream stream) const {
    const size_t block = shape_.count / static_cast<size_t>(shape_.ranks);
    const size_t offset = static_cast<size_t>(rank) * block * size_of(shape_.dtype);
    const int dtype = nccl_dtype(shape_.dtype);
    const int op = nccl_op(shape_.op);
    switch (shape_.collective) {
      case Collective::kAllReduce:
        return nccl_.all_reduce(at.input, at.output, shape_.count, dtype, op, comm, stream);
      case Collective::kReduceScatter:
        return nccl_.reduce_scatter(at.input, at.output + offset, block, dtype, op, comm, stream);
      case Collective::kAllGather:
        return nccl_.all_gather(at.input + offset, at.output, block, dtype, comm, stream);
      case Collective::kBroadcast:
        return nccl_.broadcast(at.input, at.output, shape_.count, dtype, shape_.root, comm, stream);
      case Collective::kReduce:
        return nccl_.reduce(at.input, at.output, shape_.count, dtype, op, shape_.root, comm,
                            stream);
    }
    return 0;
  }

  const Nccl& nccl_;
  Shape shape_;
  const std::vector<NcclComm>& comms_;  // [local GPU]
  Tiling tiling_;
};

}  // namespace

NcclGroup::NcclGroup(std::vector<LocalGpu> gpus, int ranks, Peers* peers, const Nccl& library)
    : gpus_(std::move(gpus)), ranks_(ranks), peers_(peers), library_(library) {
  const char* set = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe)
  if (set != nullptr) outside_ = set;
}

NcclGroup::~NcclGroup() {
  // After a hang the communicators are in use for ever: destroying them would wait for that.
  if (std::uncaught_exceptions() > 0) return;
  for (const auto& [forced, comms] : comms_) {
    for (NcclComm comm : comms) library_.comm_destroy(comm);
  }
}

std::optional<std::string> NcclGroup::unsupported(const NcclAlgorithm& row,
                                                  const Shape& shape) const {
  if (!library_.off().empty()) return "NCCL was not found: " + library_.off();
  const bool shared =
      std::any_of(gpus_.begin(), gpus_.end(), [](const LocalGpu& gpu) { return gpu.ranks != 1; });
  // NCCL 2.30 has NCCL_MULTI_RANK_GPU_ENABLE, an experiment that needs a stream for every rank.
  if (shared) return "NCCL takes one rank per GPU; use more GPUs, or drop --ranks-per-gpu";
  return nccl_unsupported(row, shape, library_.version(), outside_);
}

const std::vector<NcclComm>& NcclGroup::comms(std::string_view forced) {
  std::vector<NcclComm>& comms = comms_[std::string(forced)];
  if (!comms.empty()) return comms;
  const NcclUniqueId id = shared_id(library_, peers_);
  const Forced guard(forced, outside_);
  std::vector<NcclComm> made(gpus_.size(), nullptr);
  library_.require(library_.group_start(), "ncclGroupStart");
  int failed = 0;
  for (size_t i = 0; i < gpus_.size() && failed == 0; ++i) {
    use_device(gpus_[i].device);
    failed = library_.comm_init_rank(&made[i], ranks_, id, gpus_[i].first_rank);
  }
  const int ended = library_.group_end();
  library_.require(failed != 0 ? failed : ended, "ncclCommInitRank");
  return comms = std::move(made);
}

std::unique_ptr<Operation> NcclGroup::make(const NcclAlgorithm& row, const Shape& shape) {
  if (const auto reason = unsupported(row, shape)) throw Error(ErrorKind::kInternal, *reason);
  return std::make_unique<NcclOperation>(library_, shape, comms(row.forced));
}

}  // namespace arb
