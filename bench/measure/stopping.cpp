#include "bench/measure/stopping.hpp"

#include <algorithm>
#include <numeric>

#include "bench/measure/statistics.hpp"

namespace arb {
namespace {

constexpr int64_t kLeastSamples = 10;

// Selection instead of sorting: the three order statistics that matter cost O(n).
std::optional<double> relative_half_width(std::vector<double> samples) {
  const auto n = static_cast<int64_t>(samples.size());
  const auto ranks = median_ci95_ranks(n);
  if (!ranks) return std::nullopt;
  const auto begin = samples.begin();
  const auto middle = begin + n / 2;
  std::nth_element(begin, middle, samples.end());
  const double upper = *middle;
  const double center = n % 2 == 1 ? upper : std::midpoint(*std::max_element(begin, middle), upper);
  const auto low = begin + (ranks->low - 1);
  std::nth_element(begin, low, middle);
  const double low_value = *low;
  const auto high = begin + (ranks->high - 1);
  std::nth_element(middle, high, samples.end());
  if (center <= 0) return std::nullopt;
  return std::max(center - low_value, *high - center) / center;
}

}  // namespace

StoppingRule::StoppingRule(const StoppingOptions& options)
    : options_(options), next_check_(std::max(kLeastSamples, options.min_samples)) {}

StopReason StoppingRule::add(double seconds, double elapsed_seconds) {
  samples_.push_back(seconds);
  if (reason_ == StopReason::kContinue) reason_ = judge(elapsed_seconds);
  return reason_;
}

StopReason StoppingRule::judge(double elapsed_seconds) {
  const auto n = static_cast<int64_t>(samples_.size());
  if (options_.fixed_count) {
    return n >= *options_.fixed_count ? StopReason::kFixedCount : StopReason::kContinue;
  }
  if (n >= next_check_) {
    if (precision_met()) return StopReason::kPrecisionMet;
    next_check_ = n + std::max<int64_t>(1, n / 10);
  }
  if (elapsed_seconds >= options_.max_seconds) return StopReason::kTimeCap;
  if (n >= options_.max_samples) return StopReason::kSampleCap;
  return StopReason::kContinue;
}

std::optional<double> StoppingRule::reached_precision() const {
  return relative_half_width(samples_);
}

bool StoppingRule::precision_met() const {
  const auto reached = reached_precision();
  return reached && *reached <= options_.precision;
}

WarmUp::WarmUp(const WarmUpOptions& options)
    : options_(options), done_(options.fixed_count && *options.fixed_count <= 0) {
  options_.window = std::max<int64_t>(1, options_.window);
}

bool WarmUp::add(double seconds, double elapsed_seconds) {
  if (done_) return true;
  ++count_;
  if (options_.fixed_count) return done_ = count_ >= *options_.fixed_count;
  window_.push_back(seconds);
  if (static_cast<int64_t>(window_.size()) == options_.window) {
    const double current = median(window_);
    stable_ = previous_ && current >= *previous_ * (1 - options_.tolerance);
    previous_ = current;
    window_.clear();
  }
  return done_ =
             stable_ || count_ >= options_.max_samples || elapsed_seconds >= options_.max_seconds;
}

}  // namespace arb
