// When to stop warming up and when to stop measuring. Both are pure: the caller says how much time
// has passed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace arb {

enum class StopReason { kContinue, kPrecisionMet, kTimeCap, kSampleCap, kFixedCount };

struct StoppingOptions {
  double precision = 0.02;   // wanted: the 95 % interval of the median lies within this share of it
  int64_t min_samples = 10;  // before the precision is judged; at least 10, else 10 is taken
  int64_t max_samples = 100000;
  double max_seconds = 1.0;  // a cap, not a target: holds even before min_samples
  // Exactly this many; the precision and both caps are ignored.
  std::optional<int64_t> fixed_count{};
};

// Judged again only when the samples have grown by a tenth, so that n samples cost O(n) in all.
class StoppingRule {
 public:
  explicit StoppingRule(const StoppingOptions& options);

  // `seconds`: one sample; `elapsed_seconds`: since the measurement of this case began, overheads
  // included. Once it has stopped it stays stopped.
  StopReason add(double seconds, double elapsed_seconds);

  StopReason reason() const { return reason_; }
  const std::vector<double>& samples() const { return samples_; }

  // Half-width of the 95 % interval of the median over the median, its longer side; null with fewer
  // than 6 samples. Says after a cap whether the precision was met all the same.
  std::optional<double> reached_precision() const;
  bool precision_met() const;

 private:
  StopReason judge(double elapsed_seconds);

  StoppingOptions options_;
  std::vector<double> samples_;
  int64_t next_check_;
  StopReason reason_ = StopReason::kContinue;
};

struct WarmUpOptions {
  int64_t window = 5;       // samples whose median is compared with the window before
  double tolerance = 0.01;  // a fall of less than this share is no fall
  int64_t max_samples = 200;
  double max_seconds = 0.5;
  std::optional<int64_t> fixed_count{};  // exactly this many, possibly 0
};

// Warm once the medians of consecutive windows no longer fall, or at a cap.
class WarmUp {
 public:
  explicit WarmUp(const WarmUpOptions& options);

  bool done() const { return done_; }      // true from the start if no warm-up was asked for
  bool stable() const { return stable_; }  // false: a cap ended it
  int64_t count() const { return count_; }

  bool add(double seconds, double elapsed_seconds);  // returns done()

 private:
  WarmUpOptions options_;
  std::vector<double> window_;
  std::optional<double> previous_;
  int64_t count_ = 0;
  bool stable_ = false;
  bool done_ = false;
};

}  // namespace arb
