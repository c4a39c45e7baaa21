#include "reports/model/best.hpp"

#include <algorithm>
#include <map>

namespace arb {
namespace {

struct Entry {
  const std::string* algorithm;
  Point point;
};

struct Range {
  Best best;
  std::vector<std::vector<Entry>> sizes;  // the field at each size, the winner first
};

std::map<int64_t, std::vector<Entry>> by_size(const std::vector<Contender>& contenders) {
  std::map<int64_t, std::vector<Entry>> fields;
  for (const Contender& contender : contenders) {
    for (const Point& point : contender.points) {
      fields[point.bytes].push_back({&contender.algorithm, point});
    }
  }
  for (auto& [bytes, field] : fields) {
    std::stable_sort(field.begin(), field.end(), [](const Entry& a, const Entry& b) {
      return a.point.seconds < b.point.seconds;
    });
  }
  return fields;
}

bool wins_clearly(const std::vector<Entry>& field) {
  return std::all_of(field.begin() + 1, field.end(), [&](const Entry& other) {
    return told_apart(field.front().point, other.point);
  });
}

void append(std::vector<Range>& ranges, Range range) {
  if (ranges.empty() || ranges.back().best.algorithm != range.best.algorithm) {
    ranges.push_back(std::move(range));
    return;
  }
  Range& last = ranges.back();
  last.best.max_bytes = range.best.max_bytes;
  last.best.resolved = last.best.resolved || range.best.resolved;
  last.sizes.insert(last.sizes.end(), range.sizes.begin(), range.sizes.end());
}

// Measured at every size of the range, and never told apart from the winner.
bool keeps_up(const std::string& algorithm, const Range& range) {
  return std::all_of(range.sizes.begin(), range.sizes.end(), [&](const std::vector<Entry>& field) {
    return std::any_of(field.begin(), field.end(), [&](const Entry& entry) {
      return *entry.algorithm == algorithm && !told_apart(field.front().point, entry.point);
    });
  });
}

std::vector<Range> without_noise(std::vector<Range> ranges) {
  std::vector<Range> merged;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const bool inner = !merged.empty() && i + 1 < ranges.size();
    if (inner && !ranges[i].best.resolved) {
      const std::string& around = merged.back().best.algorithm;
      if (around == ranges[i + 1].best.algorithm && keeps_up(around, ranges[i])) {
        ranges[i].best.algorithm = around;
      }
    }
    append(merged, std::move(ranges[i]));
  }
  return merged;
}

}  // namespace

std::vector<Best> best_ranges(const std::vector<Contender>& contenders) {
  std::vector<Range> ranges;
  for (const auto& [bytes, field] : by_size(contenders)) {
    Range range;
    range.best.min_bytes = range.best.max_bytes = bytes;
    range.best.algorithm = *field.front().algorithm;
    range.best.resolved = wins_clearly(field);
    range.sizes = {field};
    append(ranges, std::move(range));
  }
  std::vector<Best> best;
  for (Range& range : without_noise(std::move(ranges))) best.push_back(std::move(range.best));
  return best;
}

}  // namespace arb
