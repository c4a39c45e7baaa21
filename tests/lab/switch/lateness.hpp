// How late frames were delivered: a switch that was late did not obey its own law.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tests/lab/switch/units.hpp"

namespace arb::lab {

class Lateness {
 public:
  void add(Nanoseconds late);

  std::uint64_t count() const { return count_; }
  Nanoseconds max() const { return max_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  /// No more than `share` of the frames were later than this; at most 1/8 above the true quantile.
  Nanoseconds quantile(double share) const;

 private:
  static constexpr int kParts = 8;  // buckets of every power of two
  static size_t bucket(std::uint64_t late);
  static Nanoseconds upper_end(size_t bucket);

  std::array<std::uint64_t, static_cast<size_t>(64 * kParts)> buckets_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  Nanoseconds max_ = 0;
};

}  // namespace arb::lab
