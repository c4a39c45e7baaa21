#include "collectives/runners/mpi/openmpi.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "collectives/error.hpp"

namespace arb {
namespace {

MPI_Datatype mpi_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
      return MPI_INT8_T;
    case Dtype::kUint8:
      return MPI_UINT8_T;
    case Dtype::kInt32:
      return MPI_INT32_T;
    case Dtype::kUint32:
      return MPI_UINT32_T;
    case Dtype::kInt64:
      return MPI_INT64_T;
    case Dtype::kUint64:
      return MPI_UINT64_T;
    case Dtype::kFloat16:  // only moved, never reduced
    case Dtype::kBfloat16:
      return MPI_UINT16_T;
    case Dtype::kFloat32:
      return MPI_FLOAT;
    case Dtype::kFloat64:
      return MPI_DOUBLE;
  }
  throw Error(ErrorKind::kInternal, "unknown element type");
}

MPI_Op mpi_op(Op op) {
  switch (op) {
    case Op::kSum:
      return MPI_SUM;
    case Op::kProd:
      return MPI_PROD;
    case Op::kMin:
      return MPI_MIN;
    case Op::kMax:
      return MPI_MAX;
    case Op::kAvg:
      break;
  }
  return MPI_OP_NULL;  // where nothing is reduced
}

const char* call_of(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
      return "MPI_Allreduce";
    case Collective::kReduceScatter:
      return "MPI_Reduce_scatter_block";
    case Collective::kAllGather:
      return "MPI_Allgather";
    case Collective::kBroadcast:
      return "MPI_Bcast";
    case Collective::kReduce:
      return "MPI_Reduce";
  }
  return "MPI";
}

Tiling one_tile(const Shape& shape) {
  const bool blocks = blocked(shape.collective);
  return {shape.count, blocks ? shape.ranks : 1, blocks, std::max<size_t>(shape.count, 1), 1};
}

class OpenMpiOperation final : public Operation {
 public:
  OpenMpiOperation(const OpenMpiAlgorithm& algorithm, const Shape& shape, bool in_place,
                   Communicator comm)
      : shape_(shape),
        in_place_(in_place),
        comm_(std::move(comm)),
        rank_(comm_.rank()),
        type_(mpi_type(shape.dtype)),
        op_(mpi_op(shape.op)),
        count_(static_cast<int>(shape.count)),
        block_(static_cast<int>(shape.count / static_cast<size_t>(shape.ranks))),
        block_bytes_(static_cast<size_t>(block_) * size_of(shape.dtype)),
        name_(std::string(call_of(shape.collective)) + " (" + std::string(algorithm.name) + ")"),
        tiling_(one_tile(shape)) {}

  void begin(int rank, const RankBuffers& buffers) override {
    own_rank_only(rank);
    buffers_ = buffers;
    state_.store(State::kBegun, std::memory_order_relaxed);
  }

  Advance advance(int rank) override {
    own_rank_only(rank);
    state_.store(State::kInside, std::memory_order_relaxed);
    check_mpi(call(), name_.c_str());
    state_.store(State::kDone, std::memory_order_relaxed);
    return Advance::kDone;
  }

  std::string where(int rank) const override {
    own_rank_only(rank);
    switch (state_.load(std::memory_order_relaxed)) {
      case State::kIdle:
        return "has not begun";
      case State::kBegun:
        return "before " + name_;
      case State::kInside:
        return "inside " + name_;
      case State::kDone:
        return "done";
    }
    return "unknown";
  }

  int waits_for(int) const override { return kNone; }  // the library does not say
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return nullptr; }

 private:
  enum class State : unsigned char { kIdle, kBegun, kInside, kDone };

  void own_rank_only(int rank) const {
    if (rank != rank_) {
      throw Error(ErrorKind::kInternal, "rank " + std::to_string(rank) + " is not the rank " +
                                            std::to_string(rank_) + " of this process");
    }
  }

  int call() {
    switch (shape_.collective) {
      case Collective::kAllReduce:
        return MPI_Allreduce(in_place_ ? MPI_IN_PLACE : buffers_.input, buffers_.output, count_,
                             type_, op_, comm_.get());
      case Collective::kReduceScatter:
        return reduce_scatter();
      case Collective::kAllGather:
        return MPI_Allgather(in_place_ ? MPI_IN_PLACE : buffers_.input + block_offset(), block_,
                             type_, buffers_.output, block_, type_, comm_.get());
      case Collective::kBroadcast:
        return broadcast();
      case Collective::kReduce:
        return reduce();
    }
    return MPI_ERR_INTERN;
  }

  int reduce_scatter() {
    std::byte* const own = buffers_.output + block_offset();
    if (!in_place_) {
      return MPI_Reduce_scatter_block(buffers_.input, own, block_, type_, op_, comm_.get());
    }
    const int code =
        MPI_Reduce_scatter_block(MPI_IN_PLACE, buffers_.output, block_, type_, op_, comm_.get());
    if (code == MPI_SUCCESS && own != buffers_.output) {
      std::memcpy(own, buffers_.output, block_bytes_);
    }
    return code;
  }

  int broadcast() {
    const bool root = rank_ == shape_.root;
    const int code =
        MPI_Bcast(root ? buffers_.input : buffers_.output, count_, type_, shape_.root, comm_.get());
    if (code == MPI_SUCCESS && root && !in_place_ && count_ > 0) {
      std::memcpy(buffers_.output, buffers_.input, shape_.bytes());
    }
    return code;
  }

  int reduce() {
    const bool root = rank_ == shape_.root;
    return MPI_Reduce(root && in_place_ ? MPI_IN_PLACE : buffers_.input,
                      root ? buffers_.output : nullptr, count_, type_, op_, shape_.root,
                      comm_.get());
  }

  size_t block_offset() const { return static_cast<size_t>(rank_) * block_bytes_; }

  Shape shape_;
  bool in_place_;
  Communicator comm_;
  int rank_;
  MPI_Datatype type_;
  MPI_Op op_;
  int count_;
  int block_;
  size_t block_bytes_;
  std::string name_;
  Tiling tiling_;
  RankBuffers buffers_;
  std::atomic<State> state_{State::kIdle};  // a watchdog asks while advance() blocks
};

}  // namespace

std::unique_ptr<Operation> prepare_openmpi(const OpenMpiAlgorithm& algorithm, const Shape& shape,
                                           bool in_place, MPI_Comm comm) {
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::optional<std::string> refused = openmpi_unsupported(algorithm, shape);
  if (!refused && ranks != shape.ranks) {
    refused = std::to_string(shape.ranks) + " ranks on a communicator of " + std::to_string(ranks);
  }
  if (refused) throw Error(ErrorKind::kInternal, std::string(algorithm.name) + ": " + *refused);
  Communicator own =
      algorithm.forced == 0 ? Communicator::duplicate(comm) : duplicate_forced(algorithm, comm);
  return std::make_unique<OpenMpiOperation>(algorithm, shape, in_place, std::move(own));
}

}  // namespace arb
