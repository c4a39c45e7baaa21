#include "tests/compare/builds.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/reports/plain_record.hpp"

namespace arb {

Record timed(const std::string& algorithm, int64_t bytes, double seconds, double half) {
  Record record = plain_record(algorithm, 2, bytes);
  record.backend = "host";
  record.time->n = 100;
  record.time->median = seconds;
  record.time->min = seconds * (1 - half);
  record.time->max = seconds * (1 + half);
  record.time->ci95 = {seconds * (1 - half), seconds * (1 + half)};
  return record;
}

Report report_of(std::vector<Record> records) {
  Report report;
  report.complete = true;
  report.environment.host = "box";
  report.environment.cpu = "EPYC";
  report.environment.cores_usable = 2;
  report.environment.fingerprint = "0123456789abcdef";
  report.records = std::move(records);
  return report;
}

Report build(const Factor& factor, double half) {
  std::vector<Record> records;
  const std::string names[] = {"naive-root", "ring", "tree"};
  for (int a = 0; a < 3; ++a) {
    for (int s = 0; s < 5; ++s) {
      const double seconds = 1e-6 * (a + 1) + static_cast<double>(kSizes[s]) * 1e-9;
      records.push_back(timed(names[a], kSizes[s], seconds * factor(a, s), half));
    }
  }
  return report_of(std::move(records));
}

std::vector<Report> starts(const std::vector<double>& shares, double slow) {
  std::vector<Report> reports;
  for (const double share : shares) {
    reports.push_back(
        build([&](int a, int s) { return slow * (1 + ((a + s) % 2 == 0 ? share : -share)); }));
  }
  return reports;
}

const CompareRow& row_of(const Comparison& comparison, const std::string& algorithm,
                         int64_t bytes) {
  for (const CompareRow& row : comparison.rows) {
    if (row.key.algorithm == algorithm && row.key.bytes == bytes) return row;
  }
  throw std::logic_error("no row " + algorithm);
}

int64_t count(const Comparison& comparison, Change change) {
  return std::count_if(comparison.rows.begin(), comparison.rows.end(),
                       [change](const CompareRow& row) { return row.change == change; });
}

Comparison compared(const Report& base, const Report& fresh, const CompareRules& rules) {
  return compare({&base, 1}, {&fresh, 1}, rules);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace arb
