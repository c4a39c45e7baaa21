// The true result of a float reduction, in higher precision, and the proven bound of its error in
// any order.
//   sum: (n-1) u sum|x|                  (Jeannerod & Rump 2013)
//   avg: n u sum|x| / n + one subnormal  (the division rounds once more, and may underflow)
//   prod: g |true|, g = (n-1) u / (1 - (n-1) u)
// u = 2^-p for p significand bits. Where a partial result may overflow (or a product underflow) in
// some order, no bound holds, and the element is not judged.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "collectives/ops/operators.hpp"
#include "collectives/ops/types.hpp"

namespace arb {

template <class T>
double to_double(T value) {
  if constexpr (kIsHalf<T>) {
    return static_cast<double>(to_float(value));
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
class TrueResult {
 public:
  /// spare: roundings beyond the n-1 of the reduction and the one of avg's division.
  TrueResult(Op op, int inputs, int spare, size_t block) : op_(op), inputs_(inputs), spare_(spare) {
    for (auto* array : {&high_, &low_, &upper_, &lower_}) array->resize(block);
  }

  void start(size_t count) {
    const double identity = op_ == Op::kProd ? 1 : 0;
    std::fill_n(high_.begin(), count, identity);
    std::fill_n(low_.begin(), count, 0.0);
    std::fill_n(upper_.begin(), count, identity);
    std::fill_n(lower_.begin(), count, 1.0);
  }

  /// Combines one rank's inputs.
  void add(const T* values, size_t count) {
    if (op_ == Op::kProd) {
      multiply(values, count);
    } else {
      accumulate(values, count);
    }
  }

  /// Turns the accumulated values into results and limits.
  void finish(size_t count) {
    const double roundings = inputs_ - 1 + spare_;
    if (op_ == Op::kProd) {
      const double relative = roundings * kUnit / (1 - roundings * kUnit) * kSlack;
      for (size_t i = 0; i < count; ++i) {
        const bool judged = upper_[i] <= kMax && lower_[i] >= kMinNormal;
        upper_[i] = judged ? relative * std::fabs(high_[i]) : -1;
      }
      return;
    }
    const double n = inputs_;
    const bool average = op_ == Op::kAvg;
    const double relative = (average ? (roundings + 1) / n : roundings) * kUnit * kSlack;
    const double absolute = average ? kSubnormal * (1 + spare_) : 0;
    const double overflow = kMax / (1 + n * kUnit);
    for (size_t i = 0; i < count; ++i) {
      upper_[i] = upper_[i] <= overflow ? relative * upper_[i] + absolute : -1;
    }
    for (size_t i = 0; average && i < count; ++i) divide_by(n, i);
  }

  /// |value - true| / bound; 0 where nothing is judged; infinite for an error that no bound allows.
  double ratio(size_t i, T value) const {
    return static_cast<double>(bits_to<float>(static_cast<uint32_t>(ratio_bits(i, value))));
  }

  /// The largest ratio of a block.
  double worst(const T* values, size_t count) const {
    int32_t largest = 0;
    for (size_t i = 0; i < count; ++i) largest = std::max(largest, ratio_bits(i, values[i]));
    return static_cast<double>(bits_to<float>(static_cast<uint32_t>(largest)));
  }

  double value(size_t i) const { return high_[i]; }

 private:
  static constexpr bool kDouble = std::is_same_v<T, double>;
  // Covers the rounding of the higher precision itself, which is at most 2^-29 of a bound.
  static constexpr double kSlack = 1 + 0x1p-20;

  using Bits = FloatBits<T>;
  using Unsigned = typename Bits::Unsigned;
  static double from_bits(uint64_t bits) {
    return to_double(bits_to<T>(static_cast<Unsigned>(bits)));
  }
  static inline const double kUnit = std::ldexp(1.0, -(Bits::kMantissa + 1));
  static inline const double kMax = from_bits(Bits::kInfinity - 1);
  static inline const double kMinNormal = from_bits(uint64_t{1} << Bits::kMantissa);
  static inline const double kSubnormal = from_bits(1);

  /// The ratio as the bits of a float32, which are ordered like it; so the maximum is one of
  /// integers, which vectorises. NaN, from a NaN or an infinity where a number is due, becomes
  /// infinite.
  int32_t ratio_bits(size_t i, T value) const {
    constexpr int32_t kInfinite = 0x7f800000;
    const double limit = upper_[i];
    const double error = std::fabs((to_double(value) - high_[i]) - low_[i]);
    const auto ratio = static_cast<float>(error / limit);  // 0/0 is not used
    const auto bits =
        std::min(static_cast<int32_t>(bits_to<uint32_t>(ratio) & 0x7fffffffU), kInfinite);
    const int fine = int{limit < 0} | int{error == 0};  // || would branch
    return fine != 0 ? 0 : bits;
  }

  void accumulate(const T* values, size_t count) {
    double* const high = high_.data();
    double* const low = low_.data();
    double* const upper = upper_.data();
    for (size_t i = 0; i < count; ++i) {
      const double x = to_double(values[i]);
      const double before = high[i];
      const double sum = before + x;
      if constexpr (kDouble) {  // TwoSum (Knuth): what the addition lost
        const double part = sum - before;
        low[i] += (before - (sum - part)) + (x - part);
      }
      high[i] = sum;
      upper[i] += std::fabs(x);
    }
  }

  void multiply(const T* values, size_t count) {
    double* const high = high_.data();
    double* const low = low_.data();
    double* const upper = upper_.data();
    double* const lower = lower_.data();
    for (size_t i = 0; i < count; ++i) {
      const double x = to_double(values[i]);
      const double before = high[i];
      const double product = before * x;
      if constexpr (kDouble) low[i] = low[i] * x + std::fma(before, x, -product);
      high[i] = product;
      const double magnitude = std::fabs(x);
      upper[i] *= magnitude > 1 ? magnitude : 1.0;
      lower[i] *= magnitude < 1 ? magnitude : 1.0;
    }
  }

  void divide_by(double n, size_t i) {
    const double quotient = high_[i] / n;
    if constexpr (kDouble) low_[i] = (std::fma(-quotient, n, high_[i]) + low_[i]) / n;
    high_[i] = quotient;
  }

  Op op_;
  int inputs_;
  int spare_;
  std::vector<double> high_, low_;  // the true result is their sum
  std::vector<double>
      upper_;  // sum|x| or prod max(1,|x|); after finish() the bound, < 0: not judged
  std::vector<double> lower_;  // prod min(1,|x|)
};

}  // namespace arb
