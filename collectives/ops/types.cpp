#include "collectives/ops/types.hpp"

#include <array>
#include <string>

#include "collectives/error.hpp"

namespace arb {
namespace {

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  size_t size;
  bool is_float;
};

constexpr std::array<DtypeRow, 10> kDtypeRows{{{Dtype::kInt8, "int8", 1, false},
                                               {Dtype::kUint8, "uint8", 1, false},
                                               {Dtype::kInt32, "int32", 4, false},
                                               {Dtype::kUint32, "uint32", 4, false},
                                               {Dtype::kInt64, "int64", 8, false},
                                               {Dtype::kUint64, "uint64", 8, false},
                                               {Dtype::kFloat16, "float16", 2, true},
                                               {Dtype::kBfloat16, "bfloat16", 2, true},
                                               {Dtype::kFloat32, "float32", 4, true},
                                               {Dtype::kFloat64, "float64", 8, true}}};

struct Alias {
  std::string_view text;
  Dtype dtype;
};

constexpr std::array<Alias, 9> kDtypeAliases{{{"char", Dtype::kInt8},
                                              {"int", Dtype::kInt32},
                                              {"uint", Dtype::kUint32},
                                              {"half", Dtype::kFloat16},
                                              {"fp16", Dtype::kFloat16},
                                              {"bf16", Dtype::kBfloat16},
                                              {"float", Dtype::kFloat32},
                                              {"fp32", Dtype::kFloat32},
                                              {"double", Dtype::kFloat64}}};

constexpr std::array<std::string_view, 5> kOpNames{"sum", "prod", "min", "max", "avg"};

const DtypeRow& row(Dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  if (index >= kDtypeRows.size()) throw Error(ErrorKind::kInternal, "unknown element type");
  return kDtypeRows[index];
}

}  // namespace

std::string_view name(Dtype dtype) { return row(dtype).name; }
size_t size_of(Dtype dtype) { return row(dtype).size; }
bool is_float(Dtype dtype) { return row(dtype).is_float; }

std::string_view name(Op op) {
  const auto index = static_cast<size_t>(op);
  if (index >= kOpNames.size()) throw Error(ErrorKind::kInternal, "unknown operator");
  return kOpNames[index];
}

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (const DtypeRow& known : kDtypeRows) {
    if (known.name == text) return known.dtype;
  }
  for (const Alias& alias : kDtypeAliases) {
    if (alias.text == text) return alias.dtype;
  }
  return std::nullopt;
}

std::optional<Op> parse_op(std::string_view text) {
  for (const Op op : kOps) {
    if (name(op) == text) return op;
  }
  return std::nullopt;
}

std::optional<std::string> unsupported(Dtype dtype, Op op) {
  if (op == Op::kAvg && !is_float(dtype)) {
    return "avg of " + std::string(name(dtype)) +
           " is not offered: an integer average depends on the rounding; use sum";
  }
  return std::nullopt;
}

}  // namespace arb
