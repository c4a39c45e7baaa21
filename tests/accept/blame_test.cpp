// Known faults in made-up fleets: who is named, and who is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/accept/fleet_model.hpp"

namespace arb {
namespace {

using Units = std::vector<int>;

std::vector<Units> named(const std::vector<Culprit>& culprits) {
  std::vector<Units> all;
  for (const Culprit& culprit : culprits) all.push_back(culprit.units);
  std::sort(all.begin(), all.end());
  return all;
}

struct Runs {
  int right = 0;  // exactly the culprit that was wanted
  int innocent = 0;
  int nobody = 0;
  size_t measured = 0;
};

Runs simulate(int runs, const std::function<Units(FleetModel&)>& prepare) {
  const Profile profile = plain_profile();
  Runs result;
  for (int run = 0; run < runs; ++run) {
    FleetModel model;
    model.random.seed(static_cast<unsigned>(run) + 1);
    const Units guilty = prepare(model);
    const Fleet fleet = model.measure(profile);
    EXPECT_TRUE(fleet.complete);
    const auto culprits = named(blame(fleet, profile));
    if (culprits == std::vector<Units>{guilty}) ++result.right;
    if (culprits.empty()) ++result.nobody;
    for (const Units& units : culprits) {
      if (units != guilty) ++result.innocent;
    }
    result.measured += fleet.results.size();
  }
  return result;
}

TEST(Blame, NobodyInAThousandHealthyRuns) {
  const Runs runs = simulate(1000, [](FleetModel&) { return Units{}; });
  EXPECT_EQ(runs.nobody, 1000);
  EXPECT_LT(runs.measured, 1000U * 18);  // few pairs are measured again
}

TEST(Blame, NobodyInNoisierHealthyRuns) {
  const Runs runs = simulate(300, [](FleetModel& model) {
    model.noise = 0.08;
    return Units{};
  });
  EXPECT_EQ(runs.nobody, 300);
}

TEST(Blame, TheUnitAtHalfRate) {
  const Runs runs = simulate(500, [](FleetModel& model) {
    model.faults.half_rate = 3;
    return Units{3};
  });
  EXPECT_GE(runs.right, 490);
  EXPECT_LE(runs.innocent, 2);
}

TEST(Blame, TheDelayedLink) {
  const Runs runs = simulate(500, [](FleetModel& model) {
    model.faults.delay = {1, 4};
    return Units{1, 4};
  });
  EXPECT_GE(runs.right, 490);
  EXPECT_LE(runs.innocent, 2);
}

TEST(Blame, TheLateUnit) {
  const Runs runs = simulate(500, [](FleetModel& model) {
    model.faults.late = 5;
    return Units{5};
  });
  EXPECT_GE(runs.right, 490);
  EXPECT_LE(runs.innocent, 5);
}

TEST(Blame, TheCorruptingUnitThoughOthersHoldTheWrongElements) {
  const Runs runs = simulate(500, [](FleetModel& model) {
    model.faults.corrupt = 0;
    return Units{0};
  });
  EXPECT_GE(runs.right, 490);
}

TEST(Blame, FewRoundsAreHelpedByMeasuringSuspectsWithOthers) {
  for (const int rounds : {1, 2, 3}) {
    SCOPED_TRACE(rounds);
    const auto with = [&](auto fault) {
      return simulate(200, [&](FleetModel& model) {
        model.units = 9;
        model.rounds = rounds;
        return fault(model.faults);
      });
    };
    EXPECT_GE(with([](Faults& faults) {
                faults.half_rate = 3;
                return Units{3};
              }).right,
              196);
    const auto [a, b] = pair_rounds(9, rounds)[static_cast<size_t>(rounds - 1)][1];
    EXPECT_GE(with([&](Faults& faults) {
                faults.delay = {a, b};
                return Units{a, b};
              }).right,
              196);
    EXPECT_EQ(with([](Faults&) { return Units{}; }).innocent, 0);
  }
}

Fleet measured(int units, const Faults& faults, int rounds = 0) {
  FleetModel model;
  model.units = units;
  model.rounds = rounds;
  model.faults = faults;
  model.noise = 0.03;
  model.outliers = 0;
  return model.measure(plain_profile());
}

std::vector<Units> named(int units, const Faults& faults) {
  return named(blame(measured(units, faults), plain_profile()));
}

TEST(Blame, SeveralCulprits) {
  Faults two;
  two.slow = {1, 4};
  EXPECT_EQ(named(6, two), (std::vector<Units>{{1}, {4}}));
  EXPECT_EQ(named(5, two), (std::vector<Units>{{1}, {4}}));
  Faults three;
  three.slow = {0, 5, 9};
  EXPECT_EQ(named(10, three), (std::vector<Units>{{0}, {5}, {9}}));
  Faults both;
  both.slow = {2};
  both.delay = {0, 5};
  EXPECT_EQ(named(6, both), (std::vector<Units>{{0, 5}, {2}}));
  EXPECT_EQ(named(7, both), (std::vector<Units>{{0, 5}, {2}}));
}

TEST(Blame, OneOfThreeOrFour) {
  Faults slow;
  slow.slow = {2};
  EXPECT_EQ(named(3, slow), (std::vector<Units>{{2}}));
  EXPECT_EQ(named(4, slow), (std::vector<Units>{{2}}));
  Faults link;
  link.delay = {0, 1};
  EXPECT_EQ(named(3, link), (std::vector<Units>{{0, 1}}));
  EXPECT_EQ(named(3, {}), std::vector<Units>{});
}

TEST(Blame, ALinkBesideATwoRoundFleetIsNotAUnit) {
  Faults link;
  link.delay = pair_rounds(8, 2)[1][2];
  const auto culprits = blame(measured(8, link, 2), plain_profile());
  ASSERT_EQ(culprits.size(), 1U);
  EXPECT_EQ(culprits[0].units, (Units{link.delay->first, link.delay->second}));
}

TEST(Blame, TheWholeFleetIsNobody) {
  Faults all;
  all.all_slow = true;
  Profile profile = plain_profile();
  profile.limits[0].max_time_s = 20e-3;
  FleetModel model;
  model.faults = all;
  const Fleet fleet = model.measure(profile);
  EXPECT_TRUE(blame(fleet, profile).empty());
  EXPECT_TRUE(suspects(fleet, profile).empty());
}

TEST(Blame, RacksAreNotAFault) {
  // Between two racks it takes twice as long: no unit is bad with nearly all.
  for (const int units : {5, 6, 7, 8}) {
    FleetModel model;
    model.units = units;
    model.outliers = 0;
    Fleet fleet = model.measure(plain_profile());
    for (GroupResult& result : fleet.results) {
      const bool across = (result.units[0] < units / 2) != (result.units[1] < units / 2);
      for (Record& record : result.records) record.time->median *= across ? 2 : 1;
    }
    EXPECT_TRUE(blame(fleet, plain_profile()).empty()) << units;
  }
}

TEST(Blame, AUnitThatCannotBeMeasured) {
  Faults dead;
  dead.dead = 4;
  const auto culprits = blame(measured(6, dead), plain_profile());
  ASSERT_EQ(culprits.size(), 1U);
  EXPECT_EQ(culprits[0].units, Units{4});
  EXPECT_EQ(culprits[0].why, "could not be measured with all 5 partners: no answer");
}

TEST(Blame, SaysWhyWithNumbers) {
  Faults slow;
  slow.slow = {3};
  const auto culprits = blame(measured(6, slow), plain_profile());
  ASSERT_EQ(culprits.size(), 1U);
  const std::string& why = culprits[0].why;
  EXPECT_NE(why.find("x slower than the fleet's median with all 5 partners, "), std::string::npos)
      << why;
  EXPECT_NE(why.find("1.30x"), std::string::npos) << why;
}

TEST(Blame, TwoUnitsCannotBeToldApartUnlessOneWasWaitedFor) {
  Faults slow;
  slow.slow = {1};
  Profile profile = plain_profile();
  profile.limits[0].max_time_s = 20e-3;
  FleetModel model;
  model.units = 2;
  model.faults = slow;
  Fleet fleet = model.measure(profile);
  auto culprits = blame(fleet, profile);
  ASSERT_EQ(named(culprits), (std::vector<Units>{{0, 1}}));
  EXPECT_NE(culprits[0].why.find("cannot be told which of the two"), std::string::npos)
      << culprits[0].why;
  for (GroupResult& result : fleet.results) {
    for (Record& record : result.records) record.straggler = 1;
    result.records.insert(result.records.end(), result.records.begin(), result.records.end());
  }
  culprits = blame(fleet, profile);
  ASSERT_EQ(named(culprits), (std::vector<Units>{{1}}));
  EXPECT_NE(culprits[0].why.find("the others waited for it in"), std::string::npos);
}

TEST(Blame, WhoIsWaitedForWithEverybody) {
  Profile profile = plain_profile();
  profile.max_straggler_share = 0.5;
  FleetModel model;
  Fleet fleet = model.measure(profile);
  for (GroupResult& result : fleet.results) {
    for (Record& record : result.records) {
      if (result.units[0] == 2) record.straggler = 0;
      if (result.units[1] == 2) record.straggler = 1;
    }
  }
  const auto culprits = blame(fleet, profile);
  ASSERT_EQ(named(culprits), (std::vector<Units>{{2}}));
  EXPECT_EQ(culprits[0].why.find("the others waited for it in "), 0U) << culprits[0].why;
}

TEST(Blame, SpreadIsAMatterOfItsOwn) {
  Profile profile = plain_profile();
  profile.max_spread = 0.5;
  FleetModel model;
  model.outliers = 0;
  Fleet fleet = model.measure(profile);
  for (GroupResult& result : fleet.results) {
    if (result.units[0] != 1 && result.units[1] != 1) continue;
    for (Record& record : result.records) record.time->p95 = 1.8 * record.time->median;
  }
  const auto culprits = blame(fleet, profile);
  ASSERT_EQ(named(culprits), (std::vector<Units>{{1}}));
  EXPECT_EQ(culprits[0].why, "times spread by 80 % with all 5 partners, 8 B ring (50 % allowed)");
}

TEST(Blame, WrongDataOfASinglePairIsTheRanksThatHoldIt) {
  FleetModel model;
  model.outliers = 0;
  Fleet fleet = model.measure(plain_profile());
  Record& record = fleet.results[4].records[1];
  record.status = Status::kWrong;
  record.verify.verdict = "wrong";
  record.verify.wrong = 1;
  record.verify.rank = 1;
  const auto culprits = blame(fleet, plain_profile());
  ASSERT_EQ(named(culprits), (std::vector<Units>{{fleet.results[4].units[1]}}));
  EXPECT_TRUE(culprits[0].wrong);
  EXPECT_EQ(culprits[0].why.find("wrong data with 1 of its 5 partners: 1 wrong element in 1 case; "
                                 "first: ring 64 KiB, rank 1 ("),
            0U)
      << culprits[0].why;
  record.verify.rank.reset();
  EXPECT_EQ(named(blame(fleet, plain_profile())), (std::vector<Units>{fleet.results[4].units}));
}

TEST(Suspects, ASlowUnitMeetsAGoodOneAgainAndABadPairItself) {
  FleetModel model;
  model.outliers = 0;
  model.faults.slow = {3};
  model.faults.delay = {0, 5};
  Fleet fleet;
  fleet.noun = "node";
  for (int unit = 0; unit < 6; ++unit) fleet.units.push_back({"n" + std::to_string(unit), {unit}});
  int64_t round = 0;
  for (const auto& pairs : pair_rounds(6, 0)) {
    for (const auto& [a, b] : pairs) fleet.results.push_back(model.pair(a, b, round));
    ++round;
  }
  EXPECT_EQ(suspects(fleet, plain_profile()), (std::vector<std::pair<int, int>>{{0, 5}, {3, 4}}));
}

}  // namespace
}  // namespace arb
