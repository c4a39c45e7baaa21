#include "reports/tune/effect.hpp"

#include <algorithm>
#include <cmath>

namespace arb {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "SLOWER";
    case Verdict::kEqual:
      break;
  }
  return "equal";
}

Effect judge(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const size_t n = ratios.size();
  Effect effect;
  effect.low = ratios.front();
  effect.high = ratios.back();
  effect.ratio = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2;
  if (effect.low > 1 && effect.ratio > 1 + kWorthSaying) effect.verdict = Verdict::kFaster;
  if (effect.high < 1 && effect.ratio < 1 - kWorthSaying) effect.verdict = Verdict::kSlower;
  return effect;
}

double mean_ratio(const std::vector<double>& without, const std::vector<double>& with) {
  double sum = 0;
  for (size_t i = 0; i < without.size(); ++i) sum += std::log(without[i] / with[i]);
  return std::exp(sum / static_cast<double>(without.size()));
}

}  // namespace arb
