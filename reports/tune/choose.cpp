#include "reports/tune/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "reports/flags.hpp"
#include "reports/text.hpp"

namespace arb {
namespace {

const Combination kUsual{"", "float32", "sum", "hot", false, 0};

// A time cap or more ranks than cores leave an interval that can be believed; these do not.
constexpr std::array kDisturbed = {flag::kNoisy, flag::kBusyMachine, flag::kThrottled,
                                   flag::kInterrupted};

struct Field {  // at one size
  std::optional<Measured> usual;
  std::vector<Measured> named;
};

Combination combination_of(const Record& record) {
  return {record.collective, record.dtype,    record.op,
          record.cache,      record.in_place, record.unalign};
}

bool is_usual(Combination combination) {
  combination.collective = kUsual.collective;
  return combination == kUsual;
}

bool of_library(const Record& record, const Library& library) {
  if (record.backend != library.backend) return false;
  return record.algorithm == library.prefix ||
         record.algorithm.starts_with(std::string(library.prefix) + ":");
}

/// Why the record's time cannot be used, or nullopt.
std::optional<std::string> unusable(const Record& record) {
  if (record.status == Status::kWrong) return "wrong results";
  if (record.status != Status::kOk || !record.time) return "no time";
  if (record.bytes <= 0 || record.ranks < 2) return "nothing to choose (one rank or no data)";
  for (const std::string_view each : kDisturbed) {
    if (std::find(record.flags.begin(), record.flags.end(), each) != record.flags.end()) {
      return fmt::format("flag '{}'", each);
    }
  }
  return std::nullopt;
}

/// The combination of each collective that has most usable records.
std::map<std::string, Combination> main_combinations(
    const std::map<Combination, std::vector<const Record*>>& groups) {
  std::map<std::string, Combination> chosen;
  for (const auto& [combination, records] : groups) {
    const auto [at, is_new] = chosen.try_emplace(combination.collective, combination);
    const size_t best = groups.at(at->second).size();
    const bool tie = records.size() == best && is_usual(combination);
    if (!is_new && (records.size() > best || tie)) at->second = combination;
  }
  return chosen;
}

Choice choose_at(int64_t bytes, const Field& field, const std::string& before) {
  Choice choice;
  choice.bytes = bytes;
  const Measured* fastest = nullptr;
  const Measured* previous = nullptr;
  double smallest = 0;
  for (const Measured& each : field.named) {
    if (choice.fastest.empty() || each.point.seconds < smallest) {
      choice.fastest = each.variant;
      smallest = each.point.seconds;
    }
    const bool wins = field.usual && each.point.seconds < field.usual->point.seconds &&
                      told_apart(each.point, field.usual->point);
    if (!wins) continue;
    if (fastest == nullptr || each.point.seconds < fastest->point.seconds) fastest = &each;
    if (each.variant == before) previous = &each;
  }
  if (fastest == nullptr) {
    const bool ahead = field.usual && !field.named.empty() && smallest < field.usual->point.seconds;
    choice.why = !field.usual          ? "the default was not measured"
                 : field.named.empty() ? "only the default was measured"
                 : ahead               ? "not told apart from the default"
                                       : "the default is not beaten";
    return choice;
  }
  if (previous != nullptr && !told_apart(previous->point, fastest->point)) fastest = previous;
  choice.variant = fastest->variant;
  choice.speedup = field.usual->point.seconds / fastest->point.seconds;
  choice.segment_bytes = fastest->segment_bytes;
  return choice;
}

Scale choose_scale(int64_t ranks, int64_t nodes, const std::map<int64_t, Field>& fields) {
  Scale scale{ranks, nodes, {}};
  std::string before;
  for (const auto& [bytes, field] : fields) {
    scale.choices.push_back(choose_at(bytes, field, before));
    before = scale.choices.back().variant;
  }
  return scale;
}

/// A file without nodes cannot serve a rank count that was measured on several node counts.
void drop_ambiguous(Tuning& tuning) {
  std::map<int64_t, int> scales;
  for (const Scale& scale : tuning.scales) ++scales[scale.ranks];
  for (Scale& scale : tuning.scales) {
    if (scales[scale.ranks] < 2) continue;
    for (Choice& choice : scale.choices) {
      choice.variant.clear();
      choice.speedup = 0;
      choice.why = "measured on several node counts, which the file cannot tell apart";
    }
  }
}

class Chooser {
 public:
  explicit Chooser(const Library& library) : library_(library) {}

  Tuning tuning(const Combination& of, const std::vector<const Record*>& records) {
    Tuning tuning;
    tuning.of = of;
    std::map<std::string, int> left_out;
    std::map<std::pair<int64_t, int64_t>, std::map<int64_t, Field>> scales;
    std::set<std::tuple<int64_t, int64_t, std::string, int64_t>> seen;
    for (const Record* record : records) {
      const Variant variant = library_.variant(*record);
      if (!variant.problem.empty()) {
        ++left_out[fmt::format("{}: {}", printable(record->algorithm), variant.problem)];
        continue;
      }
      if (!seen.emplace(record->ranks, record->nodes, variant.name, record->bytes).second) {
        ++left_out[fmt::format("{}: measured before at the same size, the first counts",
                               printable(record->algorithm))];
        continue;
      }
      const TimeStats& time = *record->time;
      const Measured measured{record->ranks, record->nodes, variant.name, variant.segment_bytes,
                              Point{record->bytes, time.median, time.ci95, time.n}};
      Field& field = scales[{record->ranks, record->nodes}][record->bytes];
      if (variant.name.empty()) {
        field.usual = measured;
      } else {
        field.named.push_back(measured);
      }
      tuning.measured.push_back(measured);
    }
    for (const auto& [where, fields] : scales) {
      tuning.scales.push_back(choose_scale(where.first, where.second, fields));
    }
    for (const auto& [reason, count] : left_out) {
      tuning.notes.push_back(fmt::format("{} left out: {}", counted(count, "record"), reason));
    }
    if (!library_.knows_nodes) drop_ambiguous(tuning);
    return tuning;
  }

 private:
  const Library& library_;
};

std::vector<std::string> unused_notes(const std::map<std::string, int>& reasons) {
  std::vector<std::string> notes;
  notes.reserve(reasons.size());
  for (const auto& [reason, count] : reasons) {
    notes.push_back(fmt::format("{} not used: {}", counted(count, "record"), reason));
  }
  return notes;
}

std::string append_reason(const std::string& reasons, const std::string& reason) {
  if (reasons.empty()) return reason;
  return reasons.find(reason) == std::string::npos ? reasons + "; " + reason : reasons;
}

}  // namespace

std::string describe(const Combination& of) {
  std::string text = fmt::format("{} of {}", of.collective, of.dtype);
  if (of.op != "none") text += ", " + of.op;
  text += of.in_place ? ", in place" : ", out of place";
  text += fmt::format(", {} cache", of.cache);
  if (of.unalign != 0) text += fmt::format(", unaligned by {}", of.unalign);
  return printable(text);
}

bool Tuning::has_rules() const {
  return std::any_of(scales.begin(), scales.end(), [](const Scale& scale) {
    return std::any_of(scale.choices.begin(), scale.choices.end(),
                       [](const Choice& choice) { return !choice.variant.empty(); });
  });
}

std::vector<Tuning> choose(const Report& report, const Library& library) {
  std::map<Combination, std::vector<const Record*>> groups;
  std::map<std::string, std::map<std::string, int>> unused;  // per collective and reason
  for (const Record& record : report.records) {
    if (!of_library(record, library)) continue;
    if (const auto reason = unusable(record)) {
      ++unused[record.collective][*reason];
    } else {
      groups[combination_of(record)].push_back(&record);
    }
  }
  std::vector<Tuning> tunings;
  for (const auto& [collective, combination] : main_combinations(groups)) {
    Tuning tuning = Chooser(library).tuning(combination, groups.at(combination));
    for (std::string& note : unused_notes(unused[collective])) {
      tuning.notes.push_back(std::move(note));
    }
    for (const auto& [other, records] : groups) {
      if (other.collective != collective || other == combination) continue;
      tuning.notes.push_back(fmt::format("{} not used: {}; most records are {}",
                                         counted(static_cast<long long>(records.size()), "record"),
                                         describe(other), describe(combination)));
    }
    unused.erase(collective);
    tunings.push_back(std::move(tuning));
  }
  for (const auto& [collective, reasons] : unused) {
    Tuning nothing;
    nothing.of.collective = collective;
    nothing.notes = unused_notes(reasons);
    tunings.push_back(std::move(nothing));
  }
  return tunings;
}

std::vector<TunedRange> ranges_of(const Scale& scale) {
  std::vector<TunedRange> ranges;
  for (const Choice& choice : scale.choices) {
    const bool joins = !ranges.empty() && ranges.back().variant == choice.variant &&
                       ranges.back().segment_bytes == choice.segment_bytes;
    if (!joins) {
      TunedRange range;
      range.first_bytes = choice.bytes;
      range.variant = choice.variant;
      range.segment_bytes = choice.segment_bytes;
      range.least_speedup = range.most_speedup = choice.speedup;
      ranges.push_back(range);
    }
    TunedRange& range = ranges.back();
    range.last_bytes = choice.bytes;
    range.why = append_reason(range.why, choice.why);
    range.least_speedup = std::min(range.least_speedup, choice.speedup);
    range.most_speedup = std::max(range.most_speedup, choice.speedup);
    range.sizes.push_back(choice.bytes);
  }
  return ranges;
}

}  // namespace arb
