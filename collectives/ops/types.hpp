// Element types and reduction operators by name; the arithmetic itself is in operators.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace arb {

enum class Dtype : unsigned char {
  kInt8,
  kUint8,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64
};
enum class Op : unsigned char { kSum, kProd, kMin, kMax, kAvg };

inline constexpr Dtype kDtypes[] = {
    Dtype::kInt8,   Dtype::kUint8,   Dtype::kInt32,    Dtype::kUint32,  Dtype::kInt64,
    Dtype::kUint64, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat32, Dtype::kFloat64};
inline constexpr Op kOps[] = {Op::kSum, Op::kProd, Op::kMin, Op::kMax, Op::kAvg};

std::string_view name(Dtype dtype);  // "float32"
std::string_view name(Op op);        // "sum"
size_t size_of(Dtype dtype);         // bytes
bool is_float(Dtype dtype);

/// Accepts our names and those of nccl-tests (float, half, double, bfloat16, ...); nullopt if
/// unknown.
std::optional<Dtype> parse_dtype(std::string_view text);
std::optional<Op> parse_op(std::string_view text);

/// Why the pair is refused (avg of integers), or nullopt.
std::optional<std::string> unsupported(Dtype dtype, Op op);

}  // namespace arb
