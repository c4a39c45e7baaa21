#include "tests/lab/switch/exchange.hpp"

#include <algorithm>

namespace arb::lab {

namespace {

/// The host that a frame is for; -1: all others; nullopt: nobody here.
std::optional<int> destination(std::span<const std::byte> frame, int hosts) {
  if (frame.size() < kAddressBytes) return std::nullopt;
  if ((frame[0] & std::byte{1}) != std::byte{0}) return -1;
  const int host = (std::to_integer<int>(frame[4]) << 8 | std::to_integer<int>(frame[5])) - 1;
  if (host < 0 || host >= hosts) return std::nullopt;
  const Bytes address = ethernet_address(host);
  if (!std::equal(address.begin(), address.end(), frame.begin())) return std::nullopt;
  return host;
}

}  // namespace

Bytes ethernet_address(int host) {
  const int id = host + 1;
  return {std::byte{2},       std::byte{0}, std::byte{0}, std::byte{0}, std::byte(id >> 8 & 255),
          std::byte(id & 255)};
}

void Exchange::accept(int from, std::span<const std::byte> frame, Nanoseconds now) {
  const Fabric::Span left = fabric_.leave(from, frame.size(), now);
  const auto to = destination(frame, fabric_.hosts());
  if (!to) return;
  const auto copy = std::make_shared<const Bytes>(frame.begin(), frame.end());
  for (int host = 0; host < fabric_.hosts(); ++host) {
    if (host == from || (*to >= 0 && host != *to)) continue;
    const Fabric::Span reached = fabric_.travel(from, host, frame.size(), left);
    queue_.push({reached.last, accepted_++, false, reached, host, copy});
  }
}

std::optional<Exchange::Delivery> Exchange::take(Nanoseconds now) {
  while (next() <= now) {
    Flight flight = queue_.top();
    queue_.pop();
    if (flight.whole) return Delivery{flight.to, flight.time, std::move(flight.frame)};
    flight.time = fabric_.arrive(flight.to, flight.frame->size(), flight.reached);
    flight.whole = true;
    queue_.push(std::move(flight));
  }
  return std::nullopt;
}

}  // namespace arb::lab
