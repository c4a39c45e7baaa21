#include "tests/lab/switch/lateness.hpp"

#include <algorithm>

namespace arb::lab {

// Values below kParts have a bucket each; then each power of two is cut into kParts buckets.
size_t Lateness::bucket(std::uint64_t late) {
  if (late < kParts) return late;
  const auto shift = static_cast<int>(std::bit_width(late) - std::bit_width(std::uint64_t{kParts}));
  return static_cast<size_t>(shift) * kParts + (late >> shift);
}

Nanoseconds Lateness::upper_end(size_t bucket) {
  if (bucket < 2 * kParts) return static_cast<Nanoseconds>(bucket);
  const size_t shift = bucket / kParts - 1;
  return static_cast<Nanoseconds>(((bucket - shift * kParts + 1) << shift) - 1);
}

void Lateness::add(Nanoseconds late) {
  const Nanoseconds value = std::max<Nanoseconds>(late, 0);
  ++count_;
  sum_ += static_cast<double>(value);
  max_ = std::max(max_, value);
  ++buckets_[bucket(static_cast<std::uint64_t>(value))];
}

Nanoseconds Lateness::quantile(double share) const {
  const double wanted = share * static_cast<double>(count_);
  double seen = 0;
  for (size_t k = 0; k < buckets_.size(); ++k) {
    seen += static_cast<double>(buckets_[k]);
    if (seen > 0 && seen >= wanted) return std::min(upper_end(k), max_);
  }
  return max_;
}

}  // namespace arb::lab
