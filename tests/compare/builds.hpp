// Made-up reports of two builds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reports/compare/compare.hpp"

namespace arb {

/// A host all-reduce of 2 ranks; the interval of its median has the half-width `half`, a share.
Record timed(const std::string& algorithm, int64_t bytes, double seconds, double half = 0);

Report report_of(std::vector<Record> records);

inline constexpr int64_t kSizes[] = {8, 4096, 65536, 1 << 20, 4 << 20};

/// Three algorithms at five sizes, 15 rows; each time is multiplied by factor(algorithm, size).
using Factor = std::function<double(int algorithm, int size)>;
Report build(
    const Factor& factor = [](int, int) { return 1.0; }, double half = 0);

/// Every time of a start is off by its share in `shares`, by turns between rows, so that rows
/// differ.
std::vector<Report> starts(const std::vector<double>& shares, double slow = 1);

const CompareRow& row_of(const Comparison& comparison, const std::string& algorithm, int64_t bytes);
int64_t count(const Comparison& comparison, Change change);

/// compare() of one report of each.
Comparison compared(const Report& base, const Report& fresh, const CompareRules& rules = {});

/// The message of the std::invalid_argument that `call` throws; "" if it does not.
std::string refusal(const std::function<void()>& call);

}  // namespace arb
