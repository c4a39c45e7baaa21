// The frames under way: accepted from a host, due at another one when the fabric says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  Nanoseconds next() const;

  /// The next frame due at `now` or before, in the order of the due times.
  std::optional<Delivery> take(Nanoseconds now);

 private:
  struct Flight {
    Nanoseconds time;      // when its first byte reaches the receiving port; then: when it is due
    std::uint64_t number;  // first come, first served
    Fabric::Span reached;
    int to;
    std::shared_ptr<const Bytes> frame;
    bool operator>(const Flight& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  template <typename T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  Fabric fabric_;
  std::uint64_t accepted_ = 0;
  Earliest<Flight> reaching_, due_;
  Earliest<Nanoseconds> lasts_;  // of those that were reaching: before it, none of them can be due
};

}  // namespace arb::lab
