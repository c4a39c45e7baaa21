#include "bench/busy_watch.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/doctor.hpp"
#include "bench/system.hpp"

namespace arb {
namespace {

// 20 ticks of 10 ms: two processors may be wrong by a tick each, a tenth of a core, where a quarter
// of one counts as busy.
constexpr double kWindowSeconds = 0.2;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Cores that were not for us. Kernels differ in whether the own time of a process has the stolen
/// time in it; the stolen time counts in full either way.
double taken(const CpuTimes& from, const CpuTimes& to) {
  const double others = to.work - from.work - (to.own - from.own);
  const double stolen = to.stolen - from.stolen;
  return (std::max(0.0, others) + std::max(0.0, stolen)) / (to.wall - from.wall);
}

}  // namespace

std::optional<CpuTimes> read_cpu_times(const std::vector<int>& cpus) {
  const auto seconds = cpu_seconds("/", cpus);
  rusage usage{};
  if (!seconds || getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  return CpuTimes{wall.count(), seconds->work, seconds->stolen,
                  seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
}

BusyWatch::BusyWatch(Reader read, int usable_cores, bool busy)
    : read_(std::move(read)), usable_cores_(usable_cores), busy_(busy) {}

void BusyWatch::begin_case() {
  if (!since_) since_ = read_();
}

void BusyWatch::end_case() {
  if (!since_) return;
  const std::optional<CpuTimes> now = read_();
  if (!now || now->wall - since_->wall < kWindowSeconds) return;
  busy_ = is_busy(taken(*since_, *now), usable_cores_);
  since_.reset();
}

}  // namespace arb
