// Whether others, or the hypervisor, took this process's processors while a case was measured.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace arb {

/// Seconds since some moment in the past.
struct CpuTimes {
  double wall = 0;
  double work = 0;    // of the usable processors, whoever did it
  double stolen = 0;  // from them, by the hypervisor
  double own = 0;     // processor time of this process
};

/// nullopt where the system does not tell.
std::optional<CpuTimes> read_cpu_times(const std::vector<int>& cpus);

/// Processors' time is counted in ticks of the kernel, so a verdict takes a window of some length:
/// a case that is shorter gets the verdict before it, and its time counts for the next one.
class BusyWatch {
 public:
  using Reader = std::function<std::optional<CpuTimes>()>;
  /// `busy`: the verdict until there is a better one.
  BusyWatch(Reader read, int usable_cores, bool busy);

  void begin_case();
  void end_case();
  bool busy() const { return busy_; }

 private:
  Reader read_;
  int usable_cores_;
  bool busy_;
  std::optional<CpuTimes> since_;  // where the window begins
};

}  // namespace arb
