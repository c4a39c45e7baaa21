#include "bench/tune_effect.hpp"

#include <fmt/format.h>

#include "collectives/error.hpp"
#include "reports/text.hpp"
#include "reports/tune/text.hpp"
#include "reports/units.hpp"

namespace arb {

namespace {

double median_at(const Medians& medians, int64_t ranks, int64_t bytes) {
  const auto at = medians.find({ranks, bytes});
  if (at != medians.end() && at->second > 0) return at->second;
  throw Error(ErrorKind::kEnvironment, fmt::format("--verify: a run did not measure {} on {}",
                                                   exact_size(bytes), counted(ranks, "rank")));
}

}  // namespace

Medians medians_of(const Report& report) {
  Medians medians;
  for (const Record& record : report.records) {
    if (record.status == Status::kOk && record.time && record.algorithm == "openmpi:default") {
      medians.emplace(std::pair(record.ranks, record.bytes), record.time->median);
    }
  }
  return medians;
}

std::vector<Subject> subjects_of(const std::vector<Tuning>& tunings) {
  std::vector<Subject> subjects;
  for (const Tuning& tuning : tunings) {
    if (tuning.of.collective != "all-reduce") continue;
    for (const Scale& scale : tuning.scales) {
      for (TunedRange& range : ranges_of(scale)) {
        if (range.variant.empty()) continue;
        Subject subject{scale.ranks, std::move(range), {}};
        const std::vector<int64_t>& all = subject.range.sizes;
        for (const size_t at : {size_t{0}, all.size() / 2, all.size() - 1}) {
          if (subject.sizes.empty() || subject.sizes.back() != all[at]) {
            subject.sizes.push_back(all[at]);
          }
        }
        subjects.push_back(std::move(subject));
      }
    }
  }
  return subjects;
}

Effect effect_on(const Subject& subject, const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) {
    std::vector<double> without;
    std::vector<double> with;
    for (const int64_t bytes : subject.sizes) {
      without.push_back(median_at(pair.without, subject.ranks, bytes));
      with.push_back(median_at(pair.with, subject.ranks, bytes));
    }
    ratios.push_back(mean_ratio(without, with));
  }
  return judge(std::move(ratios));
}

std::string effect_text(const Subject& subject, const Effect& effect) {
  return fmt::format("{}, {}, {}: {} x{:.2f} [{:.2f}, {:.2f}]", counted(subject.ranks, "rank"),
                     span_text(subject.range), subject.range.variant, name(effect.verdict),
                     effect.ratio, effect.low, effect.high);
}

}  // namespace arb
