#pragma once

namespace arb {

/// Measured: GB/s (1e9), bytes read plus bytes written, by all workers together.
struct MemoryLimits {
  double copy_gbps = 0;  // memory copy
  double add_gbps = 0;   // streaming add: two arrays read, one written
};

}  // namespace arb
