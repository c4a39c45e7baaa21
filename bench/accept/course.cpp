#include "bench/accept/course.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRepeats = 3;           // of suspicious groups
constexpr size_t kMostRepeatRounds = 16;  // each time: a bad node meets many partners again

const std::string kYes = "yes";

using Groups = std::vector<std::vector<int>>;

Groups each_alone(int units) {
  Groups groups;
  groups.reserve(static_cast<size_t>(units));
  for (int unit = 0; unit < units; ++unit) groups.push_back({unit});
  return groups;
}

Groups as_groups(const std::vector<std::pair<int, int>>& pairs) {
  Groups groups;
  groups.reserve(pairs.size());
  for (const auto& [a, b] : pairs) groups.push_back({a, b});
  return groups;
}

class Course {
 public:
  Course(Field& field, const CourseEvents& events, Fleet& fleet)
      : field_(field), events_(events), fleet_(fleet), begin_(Clock::now()) {
    fleet_.noun = field.noun();
    fleet_.units = field.units();
  }

  bool run(const std::vector<Leg>& legs) {
    met_in_pairs_ = std::any_of(legs.begin(), legs.end(),
                                [](const Leg& leg) { return leg.stage == Stage::kPairs; });
    for (const Leg& leg : legs) {
      total_ += leg.soak_seconds > 0 ? leg.soak_seconds
                                     : static_cast<double>(rounds(leg).size()) * leg.round_seconds;
    }
    for (const Leg& leg : legs) {
      const std::vector<Round> planned = rounds(leg);
      if (field_.leads()) {
        size_t groups = 0;
        for (const Round& round : planned) groups = std::max(groups, round.groups.size());
        if (planned.empty()) fleet_.skipped.push_back(leg.stage);
        if (events_.begin) events_.begin(leg, planned.size(), groups);
      }
      if (!run_leg(leg, planned)) return false;
      if (field_.leads() && events_.end) events_.end();
    }
    return true;
  }

 private:
  int units() const { return static_cast<int>(fleet_.units.size()); }

  std::vector<Round> rounds(const Leg& leg) const {
    std::vector<Round> all;
    const auto add = [&](Groups groups) {
      all.push_back({leg.stage, static_cast<int64_t>(all.size()), std::move(groups)});
    };
    size_t ranks = 0;
    for (const Unit& unit : fleet_.units) ranks += unit.ranks.size();
    if (!has_sense(leg.stage, units(), static_cast<int>(ranks))) return all;
    std::vector<int> everybody(fleet_.units.size());
    std::iota(everybody.begin(), everybody.end(), 0);
    switch (leg.stage) {
      case Stage::kAlone:
        add(each_alone(units()));
        break;
      case Stage::kPairs:
        for (const auto& pairs : pair_rounds(units(), static_cast<int>(leg.rounds))) {
          add(as_groups(pairs));
        }
        break;
      case Stage::kGroups:
        for (const auto& groups : group_rounds(units())) {
          if (groups.front().size() > 2 || !met_in_pairs_) add(groups);
        }
        break;
      case Stage::kAll:
      case Stage::kSoak:
        add({everybody});
        break;
    }
    return all;
  }

  /// false: interrupted.
  bool run_leg(const Leg& leg, const std::vector<Round>& planned) {
    if (planned.empty()) return true;
    if (leg.stage == Stage::kSoak) return soak(leg, planned.front());
    for (const Round& round : planned) {
      if (!measure(round, leg)) return false;
    }
    return repeat_suspects(leg, planned.size());
  }

  bool soak(const Leg& leg, Round round) {
    const auto begin = Clock::now();
    const auto goes_on = [&] {
      const std::chrono::duration<double> passed = Clock::now() - begin;
      return field_.follow(passed.count() < leg.soak_seconds ? kYes : "no") == kYes;
    };
    for (; round.number == 0 || goes_on(); ++round.number) {
      if (!measure(round, leg)) return false;
    }
    return true;
  }

  /// What was bad once may have been a moment: it is judged by several.
  bool repeat_suspects(const Leg& leg, size_t rounds_before) {
    auto number = static_cast<int64_t>(rounds_before);
    for (int repeat = 0; repeat < kMostRepeats; ++repeat) {
      nlohmann::json said = nlohmann::json::array();
      if (field_.leads() && events_.suspects) said = events_.suspects(leg.stage, fleet_);
      const auto groups =
          nlohmann::json::parse(field_.follow(said.dump())).get<std::vector<std::vector<int>>>();
      if (groups.empty()) return true;
      for (const Round& round : rounds_of(leg.stage, number, groups, kMostRepeatRounds)) {
        total_ += leg.round_seconds;
        if (!measure(round, leg)) return false;
        ++number;
      }
    }
    return true;
  }

  bool measure(const Round& round, const Leg& leg) {
    const auto since = [](Clock::time_point begin) {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    if (field_.leads() && events_.before_round) events_.before_round(round, done_, total_);
    const double started = since(begin_);
    std::vector<GroupResult> results = field_.measure(round, leg.task);
    for (GroupResult& result : results) result.started_s = started;
    std::move(results.begin(), results.end(), std::back_inserter(fleet_.results));
    done_ += leg.stage == Stage::kSoak ? since(begin_) - started : leg.round_seconds;
    return !field_.interrupted();
  }

  Field& field_;
  const CourseEvents& events_;
  Fleet& fleet_;
  Clock::time_point begin_;
  bool met_in_pairs_ = false;
  double done_ = 0, total_ = 0;
};

}  // namespace

bool has_sense(Stage stage, int units, int ranks) {
  switch (stage) {
    case Stage::kAlone:
      return true;
    case Stage::kPairs:
      return units >= 2;
    case Stage::kGroups:
      return units >= 3;  // of two, the pair is all there is
    case Stage::kAll:
    case Stage::kSoak:
      return ranks >= 2;
  }
  return true;
}

std::vector<Round> rounds_of(Stage stage, int64_t first_number,
                             const std::vector<std::vector<int>>& groups, size_t most) {
  std::vector<Round> rounds;
  std::vector<std::set<int>> busy;  // [round]
  for (const std::vector<int>& group : groups) {
    const auto meets = [&](const std::set<int>& units) {
      return std::any_of(group.begin(), group.end(), [&](int u) { return units.count(u) > 0; });
    };
    size_t r = 0;
    while (r < busy.size() && meets(busy[r])) ++r;
    if (r == most) continue;
    if (r == busy.size()) {
      busy.emplace_back();
      rounds.push_back({stage, first_number + static_cast<int64_t>(r), {}});
    }
    busy[r].insert(group.begin(), group.end());
    rounds[r].groups.push_back(group);
  }
  return rounds;
}

void run_course(Field& field, const std::vector<Leg>& legs, const CourseEvents& events,
                Fleet& fleet) {
  fleet.complete = Course(field, events, fleet).run(legs);
}

}  // namespace arb
