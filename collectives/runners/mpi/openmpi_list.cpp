#include "collectives/runners/mpi/openmpi_list.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <limits>

namespace arb {
namespace {

constexpr int kSegmentBytes = 65536;

constexpr int kBasicLinear = 1;
constexpr int kNonoverlapping = 2;
constexpr int kRecursiveDoubling = 3;
constexpr int kRing = 4;
constexpr int kSegmentedRing = 5;
constexpr int kRabenseifner = 6;

constexpr std::array<OpenMpiAlgorithm, 11> kRows{{
    {Collective::kAllReduce, "openmpi:default",
     "MPI_Allreduce, by the algorithm that the library chooses"},
    {Collective::kAllReduce, "openmpi:basic-linear",
     "MPI_Allreduce: all send to rank 0, which reduces and sends to all", kBasicLinear},
    {Collective::kAllReduce, "openmpi:nonoverlapping",
     "MPI_Allreduce: the library's own reduce to rank 0, then its own broadcast", kNonoverlapping},
    {Collective::kAllReduce, "openmpi:recursive-doubling",
     "MPI_Allreduce: whole messages exchanged with ranks 1, 2, 4 ... away", kRecursiveDoubling},
    {Collective::kAllReduce, "openmpi:ring",
     "MPI_Allreduce: reduce-scatter and all-gather around a ring", kRing},
    {Collective::kAllReduce, "openmpi:segmented-ring",
     "MPI_Allreduce: as ring, the reduce-scatter in segments of 64 KiB", kSegmentedRing,
     kSegmentBytes},
    {Collective::kAllReduce, "openmpi:rabenseifner",
     "MPI_Allreduce: recursive halving, then recursive doubling", kRabenseifner},
    {Collective::kReduceScatter, "openmpi:default",
     "MPI_Reduce_scatter_block, by the algorithm that the library chooses"},
    {Collective::kAllGather, "openmpi:default",
     "MPI_Allgather, by the algorithm that the library chooses"},
    {Collective::kBroadcast, "openmpi:default",
     "MPI_Bcast, by the algorithm that the library chooses"},
    {Collective::kReduce, "openmpi:default",
     "MPI_Reduce, by the algorithm that the library chooses"},
}};

/// What coll/tuned would run in place of the forced algorithm, or nullopt.
std::optional<std::string> replaced(const OpenMpiAlgorithm& algorithm, const Shape& shape) {
  if (shape.ranks == 1) return "one rank: Open MPI copies, whatever algorithm is forced";
  if (shape.count == 0) return "0 elements: Open MPI returns at once, whatever algorithm is forced";
  const auto ranks = static_cast<size_t>(shape.ranks);
  const std::string has = "a message of " + std::to_string(shape.count) + " elements on " +
                          std::to_string(shape.ranks) + " ranks: Open MPI runs ";
  switch (algorithm.forced) {
    case kRing:
      if (shape.count < ranks) return has + "recursive doubling, ring needs an element per rank";
      break;
    case kSegmentedRing:
      if (shape.bytes() < ranks * static_cast<size_t>(algorithm.segment_bytes)) {
        return has + "the plain ring, segmented-ring needs " +
               std::to_string(algorithm.segment_bytes) + " bytes per rank";
      }
      break;
    case kRabenseifner:
      if (shape.count < std::bit_floor(ranks)) {
        return has + "the linear algorithm, rabenseifner needs " +
               std::to_string(std::bit_floor(ranks)) + " elements";
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::span<const OpenMpiAlgorithm> openmpi_algorithms() { return kRows; }

const OpenMpiAlgorithm* find_openmpi(Collective collective, std::string_view name) {
  for (const OpenMpiAlgorithm& row : kRows) {
    if (row.collective == collective && row.name == name) return &row;
  }
  return nullptr;
}

std::optional<std::string> openmpi_unsupported(const OpenMpiAlgorithm& algorithm,
                                               const Shape& shape) {
  if (reduces(shape.collective)) {
    if (shape.dtype == Dtype::kFloat16 || shape.dtype == Dtype::kBfloat16) {
      return "MPI has no " + std::string(name(shape.dtype)) + " to reduce";
    }
    if (shape.op == Op::kAvg) return "MPI has no operator avg";
  }
  // Of the whole message: Open MPI 4.1 multiplies the block's count by the ranks in an int.
  if (shape.count > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return std::to_string(shape.count) + " elements do not fit the int in which MPI counts";
  }
  return algorithm.forced == 0 ? std::nullopt : replaced(algorithm, shape);
}

std::string openmpi_cure(Dtype dtype, Op op) {
  if (op != Op::kSum || size_of(dtype) > 1) return "";
  return "Open MPI's AVX reduction saturates " + std::string(name(dtype)) +
         " sums in all but the last few elements, where others wrap: mpirun --mca op ^avx";
}

void allow_openmpi_forcing() {
  constexpr std::string_view kTuned = "OMPI_MCA_coll_tuned_";
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with(kTuned)) return;
  }
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
}

}  // namespace arb
