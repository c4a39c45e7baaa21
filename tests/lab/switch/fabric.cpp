#include "tests/lab/switch/fabric.hpp"

#include <algorithm>
#include <cmath>

namespace arb::lab {

Fabric::Span Fabric::Stage::pass(size_t bytes, Span in) {
  const auto busy = std::llround(static_cast<double>(bytes) * seconds_per_byte * 1e9);
  const Nanoseconds begin = std::max(in.first, free);
  free = begin + busy;
  return {begin, std::max(free, in.last)};
}

Fabric::Fabric(const Law& law)
    : header_bytes_(law.header_bytes),
      ingress_(law.ingress),
      ports_(static_cast<size_t>(law.hosts)),
      paths_(ports_.size() * ports_.size()) {
  for (Port& port : ports_) port.out.seconds_per_byte = port.in.seconds_per_byte = 1 / law.rate;
  for (Path& path : paths_) path.alpha = -1;
  for (const Host& own : law.own) {
    if (own.rate > 0) {
      port(own.host).out.seconds_per_byte = port(own.host).in.seconds_per_byte = 1 / own.rate;
    }
    for (int other = 0; other < hosts(); ++other) {
      for (Path* way : {&path(own.host, other), &path(other, own.host)}) {
        way->alpha = std::max(way->alpha, own.alpha);
      }
    }
  }
  for (Path& path : paths_) {
    if (path.alpha < 0) path.alpha = law.alpha;
  }
  for (const Pair& pair : law.pairs) {
    for (Path* way : {&path(pair.a, pair.b), &path(pair.b, pair.a)}) {
      if (pair.alpha >= 0) way->alpha = pair.alpha;
      if (pair.rate > 0) way->pipe.seconds_per_byte = 1 / pair.rate;
    }
  }
}

size_t Fabric::charged(size_t frame_bytes) const {
  return frame_bytes > header_bytes_ ? frame_bytes - header_bytes_ : 0;
}

Fabric::Span Fabric::leave(int from, size_t frame_bytes, Nanoseconds now) {
  return port(from).out.pass(charged(frame_bytes), {now, now});
}

Fabric::Span Fabric::travel(int from, int to, size_t frame_bytes, Span left) {
  Path& way = path(from, to);
  const Span passed = way.pipe.pass(charged(frame_bytes), left);
  return {passed.first + way.alpha, passed.last + way.alpha};
}

Nanoseconds Fabric::arrive(int to, size_t frame_bytes, Span reached) {
  if (!ingress_) return reached.last;
  return port(to).in.pass(charged(frame_bytes), reached).last;
}

}  // namespace arb::lab
