// NCCL's collectives as rows of a table: with the algorithm that the library chooses, or with one
// that NCCL_ALGO forces. Data only: neither NCCL nor CUDA is needed to read it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/runners/operation.hpp"

namespace arb {

struct NcclAlgorithm {
  Collective collective;
  std::string_view name;  // "nccl:ring"
  std::string_view summary;
  std::string_view forced = "";  // value of NCCL_ALGO; empty: as it is set from outside, if at all
  int since = 0;                 // version code of the first NCCL that has what is forced
};

std::span<const NcclAlgorithm> nccl_algorithms();

/// nullptr if there is none of that name for the collective.
const NcclAlgorithm* find_nccl(Collective collective, std::string_view name);

/// Why NCCL of this version cannot run the shape, or would run another algorithm than the one
/// named; nullopt if it can. outside: the value that NCCL_ALGO had when the program started, if
/// any.
std::optional<std::string> nccl_unsupported(const NcclAlgorithm& algorithm, const Shape& shape,
                                            int version, const std::optional<std::string>& outside);

/// 22803 -> "2.28.3", 2804 -> "2.8.4": the code changed with 2.9.
std::string nccl_version_text(int code);

/// Numbers of NCCL's own enumerations.
int nccl_dtype(Dtype dtype);
int nccl_op(Op op);

}  // namespace arb
