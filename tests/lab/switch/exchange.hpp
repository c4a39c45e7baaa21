// The frames under way: accepted from a host, due at another one when the fabric says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "tests/lab/switch/fabric.hpp"

namespace arb::lab {

using Bytes = std::vector<std::byte>;

/// Host i has the Ethernet address 02:00:00:00:hi:lo of i + 1.
inline constexpr size_t kAddressBytes = 6;
Bytes ethernet_address(int host);

class Exchange {
 public:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

  struct Delivery {
    int to;
    Nanoseconds due;
    std::shared_ptr<const Bytes> frame;
  };

  explicit Exchange(const Law& law) : fabric_(law) {}

  /// An Ethernet frame from a host: to the host of its destination address, or to all others. One
  /// that is for nobody here only occupies the port. `now` must not run backwards.
  void accept(int from, std::span<const std::byte> frame, Nanoseconds now);

  /// When take() has something to do; kNever if nothing is under way.
  Nanoseconds next() const { return queue_.empty() ? kNever : queue_.top().time; }

  /// The next frame due at `now` or before, in the order of the due times.
  std::optional<Delivery> take(Nanoseconds now);

 private:
  struct Flight {
    Nanoseconds time;      // of its next event
    std::uint64_t number;  // first come, first served
    bool whole;            // past the receiving port: `time` is when it is due
    Fabric::Span reached;  // the receiving port
    int to;
    std::shared_ptr<const Bytes> frame;
  };
  struct Later {
    bool operator()(const Flight& a, const Flight& b) const {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  Fabric fabric_;
  std::uint64_t accepted_ = 0;
  std::priority_queue<Flight, std::vector<Flight>, Later> queue_;
};

}  // namespace arb::lab
