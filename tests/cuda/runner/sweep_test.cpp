// Every scheduled algorithm of every collective, in both protocols, on 1 to 8 ranks spread over
// 1, 2 and 4 GPUs, with awkward counts; types, operators, placement and cuts of the FIFOs in turn.
#include <algorithm>
#include <random>

#include "collectives/algorithms/registry.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

struct Case {
  Collective collective;
  std::string algorithm;
  bool lines;
};

std::string identifier(const Case& each) {
  std::string text =
      std::string(name(each.collective)) + "_" + each.algorithm + (each.lines ? "_ll" : "_simple");
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

void PrintTo(const Case& each, std::ostream* out) { *out << identifier(each); }

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const Algorithm& row : algorithms()) {
    for (const bool lines : {false, true}) {
      cases.push_back({row.collective, std::string(row.name), lines});
    }
  }
  return cases;
}

std::vector<std::pair<Dtype, Op>> every_type() {
  std::vector<std::pair<Dtype, Op>> types;
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      if (!unsupported(dtype, op)) types.emplace_back(dtype, op);
    }
  }
  return types;
}

constexpr int kCases = 20;  // of each algorithm, protocol, number of ranks and of GPUs

/// Goes round a list whose length shares no factor with the others', so that all pairs meet.
template <class T>
const T& in_turn(const std::vector<T>& list, size_t turn) {
  return list[turn % list.size()];
}

class Sweep : public testing::TestWithParam<Case> {};

TEST_P(Sweep, EveryElementIsRight) {
  const auto& [collective, algorithm, lines] = GetParam();
  const Algorithm& row = *find_algorithm(collective, algorithm);
  const std::vector<std::pair<Dtype, Op>> types = every_type();
  size_t turn = lines ? 1 : 0;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    if (row.unsupported != nullptr && row.unsupported(ranks)) continue;
    for (const int gpus : {1, 2, 4}) {
      if (gpus > ranks) continue;
      emulated::Settings machine;
      machine.seed = 100 * static_cast<uint64_t>(ranks) + static_cast<uint64_t>(gpus);
      emulated::configure(machine);
      GroupOptions options;
      options.ranks = ranks;
      options.gpus = gpus;
      const auto group = make_group(options);
      const auto n = static_cast<size_t>(ranks);
      std::mt19937 random(static_cast<unsigned>(machine.seed));
      const auto below = [&](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
      };
      for (int k = 0; k < kCases; ++k, ++turn) {
        const auto [dtype, op] = in_turn(types, turn);
        RunOptions run;
        run.in_place = below(2) == 1;
        run.seed = turn;
        run.unalign = below(3) == 0 ? 1 : 0;
        run.config = small_slots(lines, 1 + below(3), size_t{64} << below(4),
                                 std::max(row.min_slots, 1 + below(4)));
        Shape shape{collective, ranks, below(ranks), 0, dtype, op};
        shape.count = size_t{840} << 7;  // whole blocks for any number of ranks
        const Schedule schedule = row.build(ranks, shape.root);
        const size_t tile = tile_for(schedule, shape, run.config).tile();
        const auto round = static_cast<size_t>(run.config.slots * run.config.channels);
        const std::vector<size_t> counts = {0,
                                            1,
                                            n - 1,
                                            n,
                                            n + 1,
                                            31,
                                            tile - 1,
                                            tile,
                                            tile + 1,
                                            2 * tile,
                                            2 * tile + 3,
                                            1009,
                                            tile * (round + 1) + 1};
        shape.count = in_turn(counts, turn);
        if (blocked(collective)) shape.count = (shape.count + n - 1) / n * n;
        ARB_EXPECT_RIGHT(run_checked(*group, algorithm, shape, run));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Emulated, Sweep, testing::ValuesIn(every_case()),
                         [](const auto& each) { return identifier(each.param); });

TEST(NativeSweep, EveryElementIsRight) {
  const std::vector<std::pair<Dtype, Op>> types = every_type();
  size_t turn = 0;
  for (const std::string algorithm : {"one-shot", "two-shot"}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      for (const int gpus : {1, 2, 4}) {
        if (gpus > ranks) continue;
        emulated::Settings machine;
        machine.seed = 1000 + turn;
        emulated::configure(machine);
        GroupOptions options;
        options.ranks = ranks;
        options.gpus = gpus;
        const auto group = make_group(options);
        const auto n = static_cast<size_t>(ranks);
        const std::vector<size_t> counts = {0,  1,  n - 1, n,    n + 1, 31,
                                            64, 65, 509,   1009, 4096,  64 * n + 1};
        for (int k = 0; k < 12; ++k, ++turn) {
          const auto [dtype, op] = in_turn(types, turn);
          RunOptions run;
          run.in_place = turn % 2 == 1;
          run.seed = turn;
          run.unalign = turn % 5 == 0 ? 1 : 0;
          run.times = 3;
          const Shape shape{Collective::kAllReduce, ranks, 0, in_turn(counts, turn), dtype, op};
          ARB_EXPECT_RIGHT(run_checked(*group, algorithm, shape, run));
        }
      }
    }
  }
}

}  // namespace
}  // namespace arb
