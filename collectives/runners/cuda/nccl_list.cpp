#include "collectives/runners/cuda/nccl_list.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace arb {
namespace {

constexpr int version(int major, int minor) { return major * 10000 + minor * 100; }
constexpr int kBfloat16AndAvgSince = version(2, 10);
constexpr int kNvlsSince = version(2, 17);

// NCCL 2.24 and later end with an error where NCCL_ALGO leaves nothing that a collective has, so a
// row forces only what its collective has: trees reduce and broadcast all-reduces; broadcast and
// reduce are rings in every version.
constexpr std::string_view kRing = "Ring";
constexpr std::string_view kTree = "Tree";
constexpr std::string_view kNoNvls = "^NVLS,NVLSTree";

constexpr std::array<NcclAlgorithm, 12> kRows{{
    {Collective::kAllReduce, "nccl:default", "ncclAllReduce, by the algorithm that NCCL chooses"},
    {Collective::kAllReduce, "nccl:ring", "ncclAllReduce with NCCL_ALGO=Ring", kRing},
    {Collective::kAllReduce, "nccl:tree", "ncclAllReduce with NCCL_ALGO=Tree", kTree},
    {Collective::kAllReduce, "nccl:nvls-off", "ncclAllReduce without NVLink SHARP", kNoNvls,
     kNvlsSince},
    {Collective::kReduceScatter, "nccl:default",
     "ncclReduceScatter, by the algorithm that NCCL chooses"},
    {Collective::kReduceScatter, "nccl:ring", "ncclReduceScatter with NCCL_ALGO=Ring", kRing},
    {Collective::kReduceScatter, "nccl:nvls-off", "ncclReduceScatter without NVLink SHARP", kNoNvls,
     kNvlsSince},
    {Collective::kAllGather, "nccl:default", "ncclAllGather, by the algorithm that NCCL chooses"},
    {Collective::kAllGather, "nccl:ring", "ncclAllGather with NCCL_ALGO=Ring", kRing},
    {Collective::kAllGather, "nccl:nvls-off", "ncclAllGather without NVLink SHARP", kNoNvls,
     kNvlsSince},
    {Collective::kBroadcast, "nccl:default", "ncclBroadcast, a ring in every version of NCCL"},
    {Collective::kReduce, "nccl:default", "ncclReduce, a ring in every version of NCCL"},
}};

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::span<const NcclAlgorithm> nccl_algorithms() { return kRows; }

const NcclAlgorithm* find_nccl(Collective collective, std::string_view name) {
  for (const NcclAlgorithm& row : kRows) {
    if (row.collective == collective && row.name == name) return &row;
  }
  return nullptr;
}

std::optional<std::string> nccl_unsupported(const NcclAlgorithm& algorithm, const Shape& shape,
                                            int version,
                                            const std::optional<std::string>& outside) {
  const std::string has = "NCCL " + nccl_version_text(version) + " has no ";
  if (version < algorithm.since) return has + "NVLink SHARP to switch off";
  if (version < kBfloat16AndAvgSince) {
    if (shape.dtype == Dtype::kBfloat16) return has + "bfloat16";
    if (reduces(shape.collective) && shape.op == Op::kAvg) return has + "operator avg";
  }
  if (!algorithm.forced.empty() && outside && !same_word(*outside, algorithm.forced)) {
    return "NCCL_ALGO=" + *outside + " is set from outside; unset it, or use nccl:default";
  }
  return std::nullopt;
}

std::string nccl_version_text(int code) {
  const int scale = code < 10000 ? 1000 : 10000;
  return std::to_string(code / scale) + "." + std::to_string(code % scale / 100) + "." +
         std::to_string(code % 100);
}

int nccl_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
      return 0;
    case Dtype::kUint8:
      return 1;
    case Dtype::kInt32:
      return 2;
    case Dtype::kUint32:
      return 3;
    case Dtype::kInt64:
      return 4;
    case Dtype::kUint64:
      return 5;
    case Dtype::kFloat16:
      return 6;
    case Dtype::kFloat32:
      return 7;
    case Dtype::kFloat64:
      return 8;
    case Dtype::kBfloat16:
      return 9;
  }
  return -1;
}

int nccl_op(Op op) {
  switch (op) {
    case Op::kSum:
      return 0;
    case Op::kProd:
      return 1;
    case Op::kMax:
      return 2;
    case Op::kMin:
      return 3;
    case Op::kAvg:
      return 4;
  }
  return -1;
}

}  // namespace arb
