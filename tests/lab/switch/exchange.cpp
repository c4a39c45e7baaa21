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
    reaching_.push({reached.first, accepted_++, reached, host, copy});
    lasts_.push(reached.last);
  }
}

Nanoseconds Exchange::next() const {
  return std::min(due_.empty() ? kNever : due_.top().time, lasts_.empty() ? kNever : lasts_.top());
}

std::optional<Exchange::Delivery> Exchange::take(Nanoseconds now) {
  while (!lasts_.empty() && lasts_.top() <= now) lasts_.pop();
  while (!reaching_.empty() && reaching_.top().time <= now) {
    Flight flight = reaching_.top();
    reaching_.pop();
    flight.time = fabric_.arrive(flight.to, flight.frame->size(), flight.reached);
    due_.push(std::move(flight));
  }
  if (due_.empty() || due_.top().time > now) return std::nullopt;
  const Flight flight = due_.top();
  due_.pop();
  return Delivery{flight.to, flight.time, flight.frame};
}

}  // namespace arb::lab
