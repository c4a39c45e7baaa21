#include "reports/compare/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "reports/compare/prior.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

using boost::math::complement;

constexpr double kRounding = 1e-9;
constexpr size_t kEnoughRows = 6;  // to learn from them what a row is like
// Without enough rows: a guess, and worth how many repetitions. Two busy cores show more, quiet
// GPUs less.
constexpr double kAssumed = 0.03;
constexpr double kAssumedFreedom = 4;
// What all rows of a start share is taken to be as large as what each has of its own, until so many
// repetitions speak against it.
constexpr double kSharedFreedom = 2;
// A row that has one start on a side hangs on that start, and now and then one is far off, without
// any sign of it in the others. So its error has the tails of a t distribution of 3. (With 4, 3 of
// 200 real comparisons of one build with itself said slower.)
constexpr double kLoneFreedom = 3;

/// Of one row: its starts around the mean of their side.
struct Residuals {
  std::vector<std::optional<double>> starts;  // baseline, then new; nullopt also if it is the only
  double freedom = 0;
};

void add_side(const std::vector<std::optional<double>>& side, Residuals& residuals) {
  const double count = count_of(side), mean = mean_of(side);
  for (const auto& value : side) {
    const bool tells = value && count > 1;
    residuals.starts.push_back(tells ? std::optional(*value - mean) : std::nullopt);
  }
  residuals.freedom += std::max(count - 1, 0.0);
}

Residuals residuals_of(const StartTimes& times) {
  Residuals residuals;
  add_side(times.base, residuals);
  add_side(times.fresh, residuals);
  return residuals;
}

class Estimate {
 public:
  explicit Estimate(const std::vector<SpreadRow>& rows) : rows_(rows) {
    for (const SpreadRow& row : rows) residuals_.push_back(residuals_of(row.times));
  }

  Spread run() {
    split_off_what_is_shared();
    find_typical();
    Spread spread;
    std::vector<double> totals;
    for (size_t i = 0; i < rows_.size(); ++i) {
      Variance total = total_of(i);
      if (hangs_on_one_start(rows_[i])) total.freedom = std::min(total.freedom, kLoneFreedom);
      spread.rows.push_back(difference(rows_[i], total));
      if (!rows_[i].alone) totals.push_back(std::sqrt(total.value));
    }
    if (!totals.empty()) spread.typical = median_of(totals);
    spread.from = from_;
    spread.repeated = repeated_;
    return spread;
  }

 private:
  static bool hangs_on_one_start(const SpreadRow& row) {
    return std::min(count_of(row.times.base), count_of(row.times.fresh)) < 2;
  }

  bool tells(size_t i) const { return !rows_[i].alone && residuals_[i].freedom > 0; }

  /// The median of each start's residuals, if enough rows tell it.
  void split_off_what_is_shared() {
    const size_t starts = residuals_.empty() ? 0 : residuals_.front().starts.size();
    const size_t of_base = rows_.empty() ? 0 : rows_.front().times.base.size();
    double squares = 0, on_base = 0, on_fresh = 0;
    for (size_t s = 0; s < starts; ++s) {
      std::vector<double> of_start;
      for (size_t i = 0; i < rows_.size(); ++i) {
        if (tells(i) && residuals_[i].starts[s]) of_start.push_back(*residuals_[i].starts[s]);
      }
      if (of_start.size() < kEnoughRows) continue;
      const double common = median_of(of_start);
      for (size_t i = 0; i < rows_.size(); ++i) {
        if (tells(i) && residuals_[i].starts[s]) *residuals_[i].starts[s] -= common;
      }
      squares += common * common;
      ++(s < of_base ? on_base : on_fresh);
    }
    shared_.freedom = std::max(on_base - 1, 0.0) + std::max(on_fresh - 1, 0.0);
    if (shared_.freedom > 0) shared_.value = squares / shared_.freedom;
  }

  Variance own_of(size_t i) const {
    double squares = 0;
    for (const auto& value : residuals_[i].starts) squares += value ? *value * *value : 0;
    const double freedom = residuals_[i].freedom;
    return {freedom > 0 ? squares / freedom : 0, freedom};
  }

  void find_typical() {
    std::map<int, std::vector<Variance>> alike;
    std::vector<Variance> all;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!tells(i)) continue;
      all.push_back(own_of(i));
      alike[rows_[i].alike].push_back(all.back());
    }
    if (all.size() >= kEnoughRows) {
      typical_ = typical_variance(all);
      for (const auto& [kind, own] : alike) {
        if (own.size() >= kEnoughRows) typical_of_[kind] = typical_variance(own);
      }
      repeated_ = true;
      from_ = "starts that were repeated";
    } else {
      guess_typical();
    }
    shared_ = guessed_total_ ? Variance{0, 0}
                             : moderated(shared_, Variance{typical_.prior.value, kSharedFreedom});
  }

  void guess(const Variance& variance) { typical_ = {variance, variance.value}; }

  /// Without repeated starts the rows tell about each other, if there are enough.
  void guess_typical() {
    std::vector<double> scaled;
    double widest = 0;
    for (const SpreadRow& row : rows_) {
      widest = std::max(widest, row.within);
      if (!row.alone) scaled.push_back(difference(row, {}).value / error_scale(row));
    }
    if (scaled.size() >= kEnoughRows) {
      guess({scatter_variance(scaled), kAssumedFreedom});
      from_ = fmt::format("guessed from how much the ratios of {} differ from each other",
                          counted(static_cast<long long>(scaled.size()), "row"));
      return;
    }
    // Samples without any scatter are no measurement, and taken at their word.
    guess({widest > 0 ? kAssumed * kAssumed : 0, kAssumedFreedom});
    guessed_total_ = true;
    from_ = fmt::format("assumed, for fewer than {} rows tell little", kEnoughRows);
  }

  Variance total_of(size_t i) const {
    const Variance own = own_with_shared(i);
    if (rows_[i].alone) return own;
    const auto kind = typical_of_.find(rows_[i].alike);
    const TypicalVariance& typical = kind == typical_of_.end() ? typical_ : kind->second;
    Variance part = moderated(own_of(i), typical.prior);
    // That a few starts of one build lay close together does not make the only one of the other a
    // safe one.
    if (hangs_on_one_start(rows_[i])) part.value = std::max(part.value, typical.middle);
    const double total = part.value + shared_.value;
    if (total <= 0 || shared_.freedom <= 0) return {total, part.freedom};
    const double freedom =  // Satterthwaite
        total * total /
        (part.value * part.value / part.freedom + shared_.value * shared_.value / shared_.freedom);
    return {total, freedom};
  }

  /// As measured, before anything was split off.
  Variance own_with_shared(size_t i) const {
    const Residuals whole = residuals_of(rows_[i].times);
    double squares = 0;
    for (const auto& value : whole.starts) squares += value ? *value * *value : 0;
    return {whole.freedom > 0 ? squares / whole.freedom : 0, whole.freedom};
  }

  static double error_scale(const SpreadRow& row) {
    return std::sqrt(1 / count_of(row.times.base) + 1 / count_of(row.times.fresh));
  }

  static Difference difference(const SpreadRow& row, const Variance& total) {
    return {mean_of(row.times.fresh) - mean_of(row.times.base),
            std::sqrt(total.value) * error_scale(row), total.freedom, row.within};
  }

  const std::vector<SpreadRow>& rows_;
  std::vector<Residuals> residuals_;
  Variance shared_;
  TypicalVariance typical_;
  std::map<int, TypicalVariance> typical_of_;
  bool repeated_ = false, guessed_total_ = false;
  std::string from_;
};

}  // namespace

double count_of(const std::vector<std::optional<double>>& values) {
  return static_cast<double>(
      std::count_if(values.begin(), values.end(), [](const auto& value) { return !!value; }));
}

double mean_of(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  for (const auto& value : values) sum += value.value_or(0);
  return sum / count_of(values);
}

double Difference::p_above(double limit) const {
  const double beyond = value - limit;
  if (beyond <= kRounding) return 1;
  double p = 0;
  if (between > 0)
    p = boost::math::cdf(complement(boost::math::students_t(freedom), beyond / between));
  if (within > 0)
    p = std::max(p, boost::math::cdf(complement(boost::math::normal(), beyond / within)));
  return p;
}

std::pair<double, double> Difference::interval(double tail) const {
  double half = 0;
  if (between > 0)
    half = between * boost::math::quantile(complement(boost::math::students_t(freedom), tail));
  if (within > 0)
    half = std::max(half, within * boost::math::quantile(complement(boost::math::normal(), tail)));
  return {value - half, value + half};
}

Spread spread_of(const std::vector<SpreadRow>& rows) { return Estimate(rows).run(); }

}  // namespace arb
