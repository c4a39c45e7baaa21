// A made-up fleet with known faults, measured as the program would: rounds of pairs, then what is
// suspicious once more.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reports/accept/judge.hpp"

namespace arb {

struct Faults {
  std::optional<int> half_rate;              // a unit: bytes of its pairs take twice as long
  std::optional<std::pair<int, int>> delay;  // a link: 10 ms more
  std::optional<int> late;                   // a unit: its pairs take 1.3 to 3 times as long
  std::optional<int> corrupt;                // a unit whose results are wrong, in half the cases
  std::vector<int> slow;                     // units: their pairs take three times as long
  std::optional<int> dead;                   // a unit that cannot be measured
  bool all_slow = false;                     // every pair takes three times as long
};

struct FleetModel {
  int units = 6;
  int rounds = 0;       // all
  double noise = 0.05;  // standard deviation of the logarithm
  double outliers = 0.02;
  Faults faults;
  std::mt19937_64 random{1};

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }

  Record record(int a, int b, int64_t bytes, double disturbed);
  GroupResult pair(int a, int b, int64_t round);
  /// Alone, pairs, then suspects until there are none.
  Fleet measure(const Profile& profile);
};

/// Pairs of 8 B, 64 KiB and 1 MiB by ring, at most 1.3 times the fleet's median.
Profile plain_profile();

/// The default fleet, but for its faults and size: hardly any noise.
FleetModel quiet(const Faults& faults = {}, int units = 6);

/// All units together, once.
GroupResult together(Stage stage, int units, double seconds, int64_t bytes = 1048576);

/// nullptr: there is none.
const GateRow* row_named(const Gate& gate, const std::string& group, const std::string& name);
size_t count(const Gate& gate, GateResult result);

}  // namespace arb
