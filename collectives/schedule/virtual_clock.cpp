#include "collectives/schedule/virtual_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collectives/schedule/port_clock.hpp"

namespace arb {
namespace {

/// Alpha in bytes of the link, on a grid so fine that nobody sees it and so coarse that sums with
/// bytes are exact.
double latency_in_bytes(const Link& link) {
  const double bytes = link.alpha_s / link.seconds_per_byte;
  if (bytes <= 0) return 0;
  const double grid = std::exp2(std::clamp(30 - std::ilogb(bytes), 0, 20));
  return std::round(bytes * grid) / grid;
}

}  // namespace

double virtual_seconds(const Schedule& schedule, const Tiling& tiling, size_t element_bytes,
                       int slots, const Link& link, Tiles tiles) {
  const bool bytes_cost = link.seconds_per_byte > 0;
  const PortCosts costs = bytes_cost ? PortCosts{latency_in_bytes(link), 1} : PortCosts{1, 0};
  PortClock clock(flatten(schedule, tiling, element_bytes), tiling.tiles(), slots, costs);
  const double cost = clock.run(tiles == Tiles::kSkipRepeating);
  return cost * (bytes_cost ? link.seconds_per_byte : link.alpha_s);
}

int64_t path_bytes(const Schedule& schedule, const Tiling& tiling, size_t element_bytes,
                   int slots) {
  return std::llround(virtual_seconds(schedule, tiling, element_bytes, slots, {0, 1}));
}

bool tiling_pays(const Schedule& schedule, int slots) {
  constexpr size_t kMany = 32;
  const auto chunks = static_cast<size_t>(schedule.chunks);
  const auto cut = [&](size_t tiles) {
    return Tiling(kMany * chunks, schedule.chunks, false, kMany / tiles * chunks, 1);
  };
  const Link latency{1, 0};
  const int unlimited = std::numeric_limits<int>::max();
  if (virtual_seconds(schedule, cut(2), 1, unlimited, latency) >
      virtual_seconds(schedule, cut(1), 1, unlimited, latency)) {
    return false;
  }
  return path_bytes(schedule, cut(kMany), 1, slots) < path_bytes(schedule, cut(1), 1, slots);
}

}  // namespace arb
