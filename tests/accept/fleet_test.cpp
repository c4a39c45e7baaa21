#include "reports/accept/fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace arb {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

TEST(PairRounds, AreAFactorisationOfAllPairs) {
  for (int n = 1; n <= 33; ++n) {
    SCOPED_TRACE(n);
    const auto rounds = pair_rounds(n, 0);
    EXPECT_EQ(rounds.size(), static_cast<size_t>(n < 2 ? 0 : n % 2 == 0 ? n - 1 : n));
    std::set<std::pair<int, int>> seen;
    for (const Pairs& pairs : rounds) {
      EXPECT_EQ(pairs.size(), static_cast<size_t>(n / 2));
      std::set<int> busy;
      for (const auto& [a, b] : pairs) {
        EXPECT_TRUE(0 <= a && a < b && b < n);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(seen.insert({a, b}).second);
      }
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(n * (n - 1) / 2));
  }
}

TEST(PairRounds, BoundedOnesMeetAsManyDifferentPartnersAsThereAreRounds) {
  for (int n = 2; n <= 33; ++n) {
    for (int most = 1; most <= n + 1; ++most) {
      const auto rounds = pair_rounds(n, most);
      const int wanted = std::min(most, n % 2 == 0 ? n - 1 : n);
      ASSERT_EQ(rounds.size(), static_cast<size_t>(wanted)) << n;
      std::vector<std::set<int>> partners(static_cast<size_t>(n));
      for (const Pairs& pairs : rounds) {
        for (const auto& [a, b] : pairs) {
          partners[static_cast<size_t>(a)].insert(b);
          partners[static_cast<size_t>(b)].insert(a);
        }
      }
      for (const auto& met : partners) {
        const size_t rests = n % 2 == 0 ? 0 : 1;  // once at most
        EXPECT_GE(met.size() + rests, static_cast<size_t>(wanted)) << n << ", " << most;
      }
    }
  }
}

TEST(PairRounds, TwoRoundsTieAllUnitsTogether) {
  for (int n = 2; n <= 33; ++n) {
    std::vector<int> tribe(static_cast<size_t>(n));
    std::iota(tribe.begin(), tribe.end(), 0);
    const std::function<int(int)> chief = [&](int unit) {
      const int above = tribe[static_cast<size_t>(unit)];
      return above == unit ? unit : chief(above);
    };
    for (const Pairs& pairs : pair_rounds(n, 2)) {
      for (const auto& [a, b] : pairs) tribe[static_cast<size_t>(chief(a))] = chief(b);
    }
    for (int unit = 1; unit < n; ++unit) EXPECT_EQ(chief(unit), chief(0)) << n;
  }
}

TEST(GroupRounds, DoubleBelowTheFleetAndAreDisjoint) {
  for (int n = 1; n <= 33; ++n) {
    SCOPED_TRACE(n);
    const auto rounds = group_rounds(n);
    size_t size = 2;
    for (const auto& groups : rounds) {
      EXPECT_EQ(groups.size(), static_cast<size_t>(n) / size);
      std::set<int> busy;
      for (const std::vector<int>& group : groups) {
        EXPECT_EQ(group.size(), size);
        EXPECT_TRUE(std::is_sorted(group.begin(), group.end()));
        for (const int unit : group) {
          EXPECT_TRUE(0 <= unit && unit < n);
          EXPECT_TRUE(busy.insert(unit).second);
        }
      }
      size *= 2;
    }
    EXPECT_GE(size, static_cast<size_t>(n));
    EXPECT_LT(rounds.empty() ? 0 : size / 2, static_cast<size_t>(n));
  }
}

TEST(StageNames, AreThoseOfProfiles) {
  EXPECT_EQ(name(Stage::kAlone), "alone");
  EXPECT_EQ(name(Stage::kSoak), "soak");
}

}  // namespace
}  // namespace arb
