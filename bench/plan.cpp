#include "bench/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "bench/sizes.hpp"
#include "collectives/error.hpp"

namespace arb {

namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t multiply(uint64_t a, uint64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }
uint64_t add(uint64_t a, uint64_t b) { return a > kMost - b ? kMost : a + b; }

class Planner {
 public:
  Planner(const Options& options, const Machine& machine, const Footprint& footprint)
      : options_(options), machine_(machine), footprint_(footprint) {}

  std::vector<Case> cases() const {
    std::vector<Case> all;
    for (const int ranks : rank_counts()) {
      std::optional<uint64_t> last;
      for (const uint64_t requested : options_.sizes) {
        const uint64_t count = count_of(requested, ranks);
        if (last == count) continue;
        last = count;
        if (options_.place != Place::kInPlace) all.push_back(make(ranks, requested, count, false));
        if (options_.place != Place::kOutOfPlace)
          all.push_back(make(ranks, requested, count, true));
      }
    }
    return all;
  }

 private:
  std::vector<int> rank_counts() const {
    if (!options_.ranks.empty()) return options_.ranks;
    std::vector<int> all =
        machine_.rank_counts.empty() ? default_ranks(machine_.cores) : machine_.rank_counts;
    all.erase(std::remove_if(all.begin(), all.end(), [&](int n) { return n <= options_.root; }),
              all.end());
    if (all.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--root {}: none of the default rank counts has it; "
                              "give --ranks {} or more",
                              options_.root, options_.root + 1));
    }
    return all;
  }

  uint64_t count_of(uint64_t requested, int ranks) const {
    const uint64_t count = requested / size_of(options_.dtype);
    return blocked(options_.collective) ? count - count % static_cast<uint64_t>(ranks) : count;
  }

  uint64_t needed(uint64_t bytes, int ranks, bool in_place, bool cold) const {
    const int here = footprint_.ranks_in_memory ? footprint_.ranks_in_memory(ranks) : ranks;
    const uint64_t set = buffer_bytes(options_.collective, bytes, here, in_place);
    const uint64_t sets = cold ? buffer_sets(set, footprint_.rotate_bytes) : 1;
    const auto buffers = static_cast<uint64_t>(here) * (in_place ? 1 : 2);
    const uint64_t around = multiply(buffers, footprint_.around_bytes);
    const uint64_t runner =
        footprint_.runner_bytes ? footprint_.runner_bytes(ranks, bytes, in_place) : 0;
    return add(multiply(add(set, around), sets), runner);
  }

  bool fits(uint64_t bytes, int ranks, bool in_place, bool cold) const {
    return needed(bytes, ranks, in_place, cold) <= machine_.memory_bytes;
  }

  Case make(int ranks, uint64_t requested, uint64_t count, bool in_place) const {
    Case result;
    result.ranks = ranks;
    result.requested_bytes = requested;
    result.count = count;
    result.bytes = count * size_of(options_.dtype);
    result.in_place = in_place;
    const bool cold = footprint_.rotate_bytes != 0;
    result.needed_bytes = needed(result.bytes, ranks, in_place, cold);
    if (result.needed_bytes > machine_.memory_bytes) {
      result.skip = fmt::format("needs {}, {} usable{}", format_bytes(result.needed_bytes),
                                format_bytes(machine_.memory_bytes), remedies(result, cold));
    }
    return result;
  }

  /// Only what would really make room.
  std::string remedies(const Case& wanted, bool cold) const {
    std::vector<std::string> all;
    if (!wanted.in_place && fits(wanted.bytes, wanted.ranks, true, cold)) {
      all.emplace_back("--in-place");
    }
    if (cold && fits(wanted.bytes, wanted.ranks, wanted.in_place, false)) {
      all.emplace_back("--cache hot");
    }
    if (wanted.ranks > 2 && fits(wanted.bytes, 2, wanted.in_place, cold)) {
      all.emplace_back("fewer ranks");
    }
    if (all.empty()) all.emplace_back("smaller sizes");
    return fmt::format("; try {}", fmt::join(all, " or "));
  }

  const Options& options_;
  const Machine& machine_;
  const Footprint& footprint_;
};

void require_all(const std::vector<Case>& cases) {
  const auto skipped = [](const Case& c) { return !c.skip.empty(); };
  const auto first = std::find_if(cases.begin(), cases.end(), skipped);
  if (first == cases.end()) return;
  throw Error(ErrorKind::kEnvironment,
              fmt::format("--strict: {} of {} cases cannot run; the first, {} on {} ranks, {}",
                          std::count_if(cases.begin(), cases.end(), skipped), cases.size(),
                          format_size(first->bytes), first->ranks, first->skip));
}

}  // namespace

std::vector<int> default_ranks(int cores) {
  std::vector<int> all = {2, 4};
  for (int ranks = 8; ranks <= cores; ranks *= 2) all.push_back(ranks);
  return all;
}

uint64_t buffer_bytes(Collective collective, uint64_t bytes, int ranks, bool in_place) {
  const auto n = static_cast<uint64_t>(ranks);
  if (in_place) return multiply(bytes, n);
  // One side of reduce-scatter and all-gather holds a rank's block only: n blocks are one message.
  return blocked(collective) ? add(multiply(bytes, n), bytes) : multiply(bytes, 2 * n);
}

uint64_t buffer_sets(uint64_t set_bytes, uint64_t rotate_bytes) {
  if (rotate_bytes == 0) return 1;
  return std::min(rotate_bytes / std::max<uint64_t>(set_bytes, 1) + 2, kMostSets);
}

std::vector<Case> plan(const Options& options, const Machine& machine, const Footprint& footprint) {
  std::vector<Case> cases = Planner(options, machine, footprint).cases();
  if (options.strict) require_all(cases);
  return cases;
}

}  // namespace arb
