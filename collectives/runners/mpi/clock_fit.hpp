// From round trips between two clocks to a line that turns one clock into the other. No MPI here.
#pragma once

#include <span>
#include <vector>

namespace arb {

/// One round trip: we sent, the other clock was read, the answer came back. Seconds, each on the
/// clock that was read; local_receive >= local_send.
struct Probe {
  double local_send = 0;
  double remote_time = 0;
  double local_receive = 0;
};

/// How far the remote clock is ahead of the local one at one moment. Seconds.
struct ClockEstimate {
  double local_time = 0;
  double offset = 0;
  double bound = 0;  // the offset cannot be off by more: half the round trip
  double error = 0;  // what it is likely to be off by, if both directions take the same least time
};

/// From the shortest round trip, in whose middle the remote clock is taken to have been read. The
/// error is the spread of the offsets of the five shortest (of fewer than five: the bound), which
/// sees jitter but not a path that is always longer one way, and no less than a twentieth of the
/// bound, which covers such a path too. Error{kInternal} without probes.
ClockEstimate estimate_offset(std::vector<Probe> probes);

/// remote = local + offset + drift * (local - origin).
struct ClockLine {
  double origin = 0;  // local seconds
  double offset = 0;  // seconds
  double drift = 0;   // seconds per second
  double rms = 0;     // of the estimates about the line, seconds
  double largest = 0;
  double error = 0;  // of to_remote() between the first and the last estimate, seconds
  double bound = 0;  // the largest bound of the estimates, seconds

  double to_remote(double local) const { return local + offset + drift * (local - origin); }
};

/// Least squares, weighted by the estimates' errors. No drift from fewer than 3 estimates, from
/// less than 0.1 s, or while it is within two of its standard errors: then the offset is the
/// weighted mean. The error is that of a typical estimate plus what the worst one is farther from
/// the line than its own error explains. Error{kInternal} without estimates.
ClockLine fit_clock(std::span<const ClockEstimate> estimates);

/// May a time be taken across nodes whose clocks agree within `residual`? Yes up to 5 % of the
/// operation. The other definition, the longest end - start of a rank, is too long by about one
/// latency after a barrier: 1 / (2 (n - 1)) of a ring's latency term, 17 % for 4 ranks and 5 %
/// for 11. So clocks are used where their error is the smaller one for nearly all rank counts of
/// interest.
bool small_against(double residual_seconds, double operation_seconds);

}  // namespace arb
