#include "reports/accept/wrong.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reports/blocks.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

struct WrongGroup {
  const MeasuredGroup* subject;
  std::vector<size_t> named;  // [unit]: records whose first wrong element it holds
};

bool is_wrong(const MeasuredGroup& subject) {
  return std::any_of(subject.results.begin(), subject.results.end(), [](const GroupResult* result) {
    return std::any_of(result->records.begin(), result->records.end(),
                       [](const Record& record) { return arb::is_wrong(record); });
  });
}

WrongGroup named_in(const Fleet& fleet, const MeasuredGroup& subject) {
  WrongGroup group{&subject, std::vector<size_t>(fleet.units.size())};
  for (const GroupResult* result : subject.results) {
    for (const Record& record : result->records) {
      if (!arb::is_wrong(record) || !record.verify.rank) continue;
      const int unit = unit_of_rank(fleet, subject.units, *record.verify.rank);
      if (unit >= 0) ++group.named[static_cast<size_t>(unit)];
    }
  }
  return group;
}

/// Worse is larger.
using Suspicion = std::tuple<size_t, size_t, long>;

std::vector<Suspicion> suspicions(const Fleet& fleet, const std::vector<WrongGroup>& wrong,
                                  const std::vector<const MeasuredGroup*>& right) {
  std::vector<Suspicion> all(fleet.units.size());
  for (const WrongGroup& group : wrong) {
    for (const int unit : group.subject->units) {
      const auto u = static_cast<size_t>(unit);
      ++std::get<0>(all[u]);
      std::get<1>(all[u]) += group.named[u];
    }
  }
  for (const MeasuredGroup* subject : right) {
    for (const int unit : subject->units) --std::get<2>(all[static_cast<size_t>(unit)]);
  }
  return all;
}

std::string with_whom(const Fleet& fleet, int unit, const std::vector<WrongGroup>& wrong,
                      const std::vector<const MeasuredGroup*>& right) {
  const auto is_pair_of = [&](const MeasuredGroup& subject) {
    return subject.stage == Stage::kPairs &&
           std::find(subject.units.begin(), subject.units.end(), unit) != subject.units.end();
  };
  const auto bad =
      static_cast<size_t>(std::count_if(wrong.begin(), wrong.end(), [&](const WrongGroup& group) {
        return is_pair_of(*group.subject);
      }));
  const auto good = static_cast<size_t>(
      std::count_if(right.begin(), right.end(),
                    [&](const MeasuredGroup* subject) { return is_pair_of(*subject); }));
  if (bad == 0) {
    return fmt::format("in {} ({})", units_text(fleet, wrong.front().subject->units),
                       name(wrong.front().subject->stage));
  }
  if (good == 0) {
    return bad == 1 ? "with its only partner" : fmt::format("with all {} partners", bad);
  }
  return fmt::format("with {} of its {} partners", bad, bad + good);
}

}  // namespace

std::string wrong_data(const Fleet& fleet, const MeasuredGroup& subject) {
  int64_t records = 0;
  int64_t elements = 0;
  std::string first;
  for (const GroupResult* result : subject.results) {
    for (const Record& record : result->records) {
      if (!arb::is_wrong(record)) continue;
      ++records;
      elements += record.verify.wrong;
      if (!first.empty()) continue;
      first = fmt::format("{} {}", record.algorithm, exact_size(record.bytes));
      if (result->stage == Stage::kSoak) {
        first += fmt::format(", {:.1f} minutes after the start", result->started_s / 60);
      }
      const Verification& verify = record.verify;
      if (verify.rank) {
        const int unit = unit_of_rank(fleet, subject.units, *verify.rank);
        first += ", ";
        if (verify.index) first += fmt::format("element {} of ", *verify.index);
        first += fmt::format("rank {}", *verify.rank);
        if (unit >= 0) first += fmt::format(" ({})", fleet.units[static_cast<size_t>(unit)].name);
      }
      if (!verify.got.empty()) first += fmt::format(": {}, wanted {}", verify.got, verify.wanted);
      if (!verify.check.empty()) first += fmt::format(" ({})", verify.check);
    }
  }
  if (records == 0) return "";
  return fmt::format("{} in {}; first: {}", counted(elements, "wrong element"),
                     counted(records, "case"), first);
}

std::vector<Culprit> wrong_culprits(const Fleet& fleet,
                                    const std::vector<MeasuredGroup>& subjects) {
  std::vector<WrongGroup> left;
  std::vector<const MeasuredGroup*> right;
  for (const MeasuredGroup& subject : subjects) {
    if (is_wrong(subject)) {
      left.push_back(named_in(fleet, subject));
    } else if (subject.error.empty()) {
      right.push_back(&subject);
    }
  }
  std::vector<Culprit> culprits;
  while (!left.empty()) {
    const std::vector<Suspicion> all = suspicions(fleet, left, right);
    const Suspicion worst = *std::max_element(all.begin(), all.end());
    Culprit culprit;
    for (size_t unit = 0; unit < all.size(); ++unit) {
      if (all[unit] == worst) culprit.units.push_back(static_cast<int>(unit));
    }
    // Equally suspicious units that are not the two of one pair stand for as many faults.
    const bool pair = culprit.units.size() == 2 &&
                      std::any_of(left.begin(), left.end(), [&](const WrongGroup& group) {
                        return group.subject->units == culprit.units;
                      });
    if (culprit.units.size() > 1 && !pair) {
      if (std::get<1>(worst) == 0 && std::get<0>(worst) == 1) return culprits;  // nobody is named
      culprit.units = {culprit.units.front()};
    }
    const auto has_it = [&](const WrongGroup& group) {
      return std::any_of(culprit.units.begin(), culprit.units.end(), [&](int unit) {
        return std::find(group.subject->units.begin(), group.subject->units.end(), unit) !=
               group.subject->units.end();
      });
    };
    const auto rest = std::stable_partition(left.begin(), left.end(), has_it);
    const std::vector<WrongGroup> mine(left.begin(), rest);
    culprit.wrong = true;
    culprit.why =
        fmt::format("wrong data {}", pair ? "between the two"
                                          : with_whom(fleet, culprit.units.front(), mine, right));
    culprit.why += ": " + wrong_data(fleet, *mine.front().subject);
    culprits.push_back(std::move(culprit));
    left.erase(left.begin(), rest);
  }
  return culprits;
}

}  // namespace arb
