// The law of the network: full-duplex ports of a given rate around a delay. Pure arithmetic on a
// clock that the caller gives, so that it can be tested without devices.
//
//   host 1 --> out port --> (pipe of the pair) --> alpha --> in port --> host 2
//              bytes/rate    bytes/pair rate                bytes/rate
//
// The stages overlap, as in a cut-through switch: a frame that meets no other one is delivered
// bytes/rate + alpha after it was sent, not 2 bytes/rate + alpha. A busy stage is a queue without
// end: nothing is ever dropped. So K bytes to one receiver from N-1 senders at once take
// alpha + (N-1) K/rate, and so do K bytes to each of N-1 receivers from one sender.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/lab/switch/units.hpp"

namespace arb::lab {

struct Pair {
  int a = 0, b = 0;        // hosts from 0 on; both directions
  Nanoseconds alpha = -1;  // -1: not set
  double rate = -1;        // bytes/s of each direction, besides the ports; -1: not set
};

struct Host {
  int host = 0;            // from 0 on
  Nanoseconds alpha = -1;  // of all paths from and to it; -1: not set
  double rate = -1;        // bytes/s of its port, each direction; -1: not set
};

struct Law {
  int hosts = 2;
  Nanoseconds alpha = 0;
  double rate = kUnlimited;  // bytes/s of every port, each direction
  size_t header_bytes = 66;  // of every frame are not charged (Ethernet 14, IP 20, TCP 32)
  bool ingress = true;       // false: receiving ports are infinitely fast
  std::vector<Host> own;     // exceptions; of two alphas on a path the larger counts
  std::vector<Pair> pairs;   // exceptions; they win over those of the hosts
};

class Fabric {
 public:
  explicit Fabric(const Law& law);

  int hosts() const { return static_cast<int>(ports_.size()); }

  /// When the first and the last byte pass a place.
  struct Span {
    Nanoseconds first, last;
  };

  /// `frame_bytes` from host `from` at `now`: through its out port.
  Span leave(int from, size_t frame_bytes, Nanoseconds now);

  /// Then to the receiving port. One leave() may be followed by several, for a broadcast.
  Span travel(int from, int to, size_t frame_bytes, Span left);

  /// Then through the receiving port: when the frame is whole, not before `reached.last`. To be
  /// called in the order of reached.first: what began to come in before goes first, so that a bare
  /// acknowledgement does not push back a frame that is half through.
  Nanoseconds arrive(int to, size_t frame_bytes, Span reached);

 private:
  struct Stage {
    double seconds_per_byte = 0;
    Nanoseconds free = 0;  // from then on
    /// Occupies the stage; the last byte does not pass before `in.last`.
    Span pass(size_t bytes, Span in);
  };
  struct Port {
    Stage out, in;
  };
  struct Path {
    Nanoseconds alpha = 0;
    Stage pipe;
  };

  size_t charged(size_t frame_bytes) const;
  Path& path(int from, int to) { return paths_[static_cast<size_t>(from * hosts() + to)]; }
  Port& port(int host) { return ports_[static_cast<size_t>(host)]; }

  size_t header_bytes_;
  bool ingress_;
  std::vector<Port> ports_;
  std::vector<Path> paths_;  // by from, to
};

}  // namespace arb::lab
