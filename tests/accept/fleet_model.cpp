#include "tests/accept/fleet_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/reports/plain_record.hpp"

namespace arb {
namespace {

constexpr double kAlpha = 5e-3;  // s
constexpr double kBeta = 20e6;   // bytes/s

}  // namespace

Record FleetModel::record(int a, int b, int64_t bytes, double disturbed) {
  const auto is = [&](const std::optional<int>& unit) {
    return unit && (*unit == a || *unit == b);
  };
  double rate = kBeta;
  if (is(faults.half_rate)) rate /= 2;
  double alpha = kAlpha;
  if (faults.delay == std::pair{a, b}) alpha += 10e-3;
  double seconds = 2 * alpha + static_cast<double>(bytes) / rate;
  seconds *= disturbed * std::exp(std::normal_distribution<double>(0, noise)(random));
  if (is(faults.late)) seconds *= uniform(1.3, 3);
  if (faults.all_slow) seconds *= 3;
  const bool slow = std::any_of(faults.slow.begin(), faults.slow.end(),
                                [&](int unit) { return unit == a || unit == b; });
  if (slow) seconds *= 3;
  Record record = plain_record("ring", 2, bytes);
  record.time->n = 20;
  record.time->median = seconds;
  record.time->ci95 = {seconds * 0.97, seconds * 1.03};
  record.busbw_gbps = static_cast<double>(bytes) / seconds / 1e9;
  record.verify.checks = 2;
  if (is(faults.corrupt) && uniform(0, 1) < 0.5) {
    record.status = Status::kWrong;
    record.verify.verdict = "wrong";
    record.verify.wrong = 3;
    record.verify.index = 7;
    record.verify.rank = uniform(0, 1) < 0.5 ? 0 : 1;  // whoever received it
    record.verify.check = "exact";
    record.verify.got = "3.5";
    record.verify.wanted = "3";
  }
  return record;
}

GroupResult FleetModel::pair(int a, int b, int64_t round) {
  GroupResult result;
  result.stage = Stage::kPairs;
  result.round = round;
  result.units = {a, b};
  result.seconds = 1;
  if (faults.dead == a || faults.dead == b) {
    result.error = "no answer";
    return result;
  }
  const double disturbed = uniform(0, 1) < outliers ? 2 : 1;
  for (const int64_t bytes : {int64_t{8}, int64_t{65536}, int64_t{1048576}}) {
    const double alone = uniform(0, 1) < outliers ? 2 : 1;
    result.records.push_back(record(a, b, bytes, std::max(disturbed, alone)));
  }
  return result;
}

Fleet FleetModel::measure(const Profile& profile) {
  Fleet fleet;
  fleet.noun = "node";
  fleet.complete = true;
  for (int unit = 0; unit < units; ++unit) {
    fleet.units.push_back({fmt::format("n{:02}", unit), {unit}});
  }
  int64_t round = 0;
  for (const auto& pairs : pair_rounds(units, rounds)) {
    for (const auto& [a, b] : pairs) fleet.results.push_back(pair(a, b, round));
    ++round;
  }
  for (int again = 0; again < 20; ++again) {
    const auto pairs = suspects(fleet, profile);
    if (pairs.empty()) return fleet;
    for (const auto& [a, b] : pairs) fleet.results.push_back(pair(a, b, round));
    ++round;
  }
  fleet.complete = false;  // the suspects never end
  return fleet;
}

Profile plain_profile() {
  Profile profile;
  profile.name = "plain";
  profile.stages = {{Stage::kPairs, {{"sizes", "8,64K,1M"}}, 0, 0}};
  Limit limit;
  limit.max_time_of_fleet = 1.3;
  profile.limits = {limit};
  return profile;
}

const GateRow* row_named(const Gate& gate, const std::string& group, const std::string& name) {
  for (const GateRow& row : gate.rows) {
    if (row.group == group && row.name == name) return &row;
  }
  return nullptr;
}

size_t count(const Gate& gate, GateResult result) {
  return static_cast<size_t>(
      std::count_if(gate.rows.begin(), gate.rows.end(),
                    [&](const GateRow& row) { return row.result == result; }));
}

FleetModel quiet(const Faults& faults, int units) {
  FleetModel model;
  model.units = units;
  model.noise = 0.02;
  model.outliers = 0;
  model.faults = faults;
  return model;
}

GroupResult together(Stage stage, int units, double seconds, int64_t bytes) {
  GroupResult result;
  result.stage = stage;
  for (int unit = 0; unit < units; ++unit) result.units.push_back(unit);
  Record record = plain_record("ring", units, bytes);
  record.time->n = 20;
  record.time->median = seconds;
  record.busbw_gbps = 2.0 * (units - 1) / units * static_cast<double>(bytes) / seconds / 1e9;
  record.verify.checks = 2;
  result.records.push_back(record);
  return result;
}

}  // namespace arb
