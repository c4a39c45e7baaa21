#include "reports/compare/compare.hpp"

namespace arb {

std::string_view name(Change change) {
  switch (change) {
    case Change::kSame:
      return "same";
    case Change::kFaster:
      return "faster";
    case Change::kSlower:
      return "slower";
    case Change::kCannotTell:
      return "cannot tell";
    case Change::kMissing:
      return "missing";
    case Change::kNews:
      return "new";
    case Change::kWrong:
      return "wrong data";
    case Change::kNotJudged:
      return "not judged";
  }
  return "not judged";
}

// Worth another start: what was called slower (it must hold), what looks slower than allowed, and
// what may well be: its interval reaches over the limit and its ratio is more than half of the way
// there. With only the interval to go by, every noisy row would be measured again. What has no
// start of the baseline to hold it against cannot be told by more of the new build.
bool suspicious(const CompareRow& row) {
  if (!row.limit) return false;
  if (row.change == Change::kSlower) return true;
  if (row.change != Change::kCannotTell || row.base_starts == 0) return false;
  if (row.fresh_starts == 0 || !row.ratio) return true;
  if (*row.ratio > *row.limit) return true;
  const double allowed = 1 - 1 / *row.limit;
  return row.interval && row.interval->second > *row.limit && *row.ratio > 1 + allowed / 2;
}

}  // namespace arb
