// A small fast generator: the scheduler draws at every step.
#pragma once

#include <cstdint>

namespace arb::emulated {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0xd1342543de82ef95U) {
    for (int i = 0; i < 4; ++i) next();
  }
  uint64_t next() {  // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// In [0, n).
  uint64_t below(uint64_t n) { return n <= 0xffffffff ? ((next() >> 32) * n) >> 32 : next() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  /// In (0, 1].
  double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace arb::emulated
