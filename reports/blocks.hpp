// Which results belong next to each other, and how their common title reads.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/record.hpp"

namespace arb {

/// Splits by `key`, in order of first appearance; the order within a group is kept.
template <class T, class Key>
auto grouped(const std::vector<T>& items, Key key) {
  std::vector<std::pair<decltype(key(items.front())), std::vector<T>>> groups;
  for (const T& item : items) {
    const auto of_item = key(item);
    auto group = std::find_if(groups.rbegin(), groups.rend(),
                              [&](const auto& each) { return each.first == of_item; });
    if (group == groups.rend()) {
      groups.push_back({of_item, {item}});
    } else {
      group->second.push_back(item);
    }
  }
  return groups;
}

using Records = std::vector<const Record*>;

Records pointers(const std::vector<Record>& records);

/// What is compared within one block of a table: all but the size and the algorithm.
inline auto block_key(const Record* r) {
  return std::make_tuple(r->backend, r->collective, r->ranks, r->nodes, r->gpus, r->in_place,
                         r->dtype, r->op, r->root, r->cache, r->unalign, r->transport, r->launch);
}

/// What fits, crossovers and best rows are about: they share these fields with records.
auto case_key(const auto& row) {
  return std::make_tuple(row.backend, row.collective, row.ranks, row.in_place);
}

/// "host all-reduce, 4 ranks, float32 sum, out of place, hot cache"
std::string block_title(const Record& record);

/// "2(n-1)/n": what algbw is multiplied by to get busbw; empty for an unknown collective.
std::string_view bus_factor_text(std::string_view collective);
/// Its value; missing for an unknown collective, and for one rank, which has no bus.
std::optional<double> bus_factor(std::string_view collective, int64_t ranks);

/// The algorithm, with its protocol where `others` hold the same algorithm with another one:
/// "ring/ll".
std::string label(const Record& record, const Records& others);

/// From the median to the farther end of its interval, as a share of the median (what --precision
/// is about); missing without an interval.
std::optional<double> half_width(const TimeStats& time);

/// Is wrong data known of it, whatever its status says?
bool is_wrong(const Record& record);

/// May this result be compared and win: it ran, and is not known to be wrong.
bool usable(const Record& record);

/// The usable record with the smallest median, or nullptr.
const Record* fastest(const Records& records);

/// Do the intervals of the medians overlap? Without an interval nothing is known, so no.
bool tied(const Record& a, const Record& b);

/// "WRONG 12345678 elements, first at index 42 of rank 1: wanted 3, got 2.5 (1 ulps, exact)"
std::string wrong_text(const Record& record);

}  // namespace arb
