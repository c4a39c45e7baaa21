#include "bench/prove_command.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/progress.hpp"
#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

constexpr int kMostRanks = 64;  // of the default list 1..64
constexpr size_t kShownFindings = 4;

struct Tally {
  int proved = 0;
  int refuted = 0;  // below the algorithm's own minimum of slots, as it says
  int failed = 0;
  std::string refuted_because;
  std::vector<std::string> failures;
};

std::string list_of(const std::vector<int>& values) {
  const bool run =
      values.size() > 3 && values.back() - values.front() == static_cast<int>(values.size()) - 1;
  return run ? fmt::format("{}..{}", values.front(), values.back())
             : fmt::format("{}", fmt::join(values, ", "));
}

void prove_one(const Algorithm& algorithm, int ranks, int root, const std::vector<int>& slots_list,
               const std::vector<bool>& places, bool slots_asked, Tally& tally) {
  const Schedule schedule = algorithm.build(ranks, root);
  for (const int slots : slots_list) {
    for (const bool in_place : places) {
      const Proof proof = prove(schedule, algorithm.collective, root, slots, in_place);
      const bool too_few = ranks > 1 && slots < algorithm.min_slots;
      if (proof.ok()) {
        ++tally.proved;
      } else if (too_few && !slots_asked) {
        ++tally.refuted;
        if (tally.refuted_because.empty()) tally.refuted_because = proof.findings.front().message;
      } else {
        ++tally.failed;
        for (const Finding& finding : proof.findings) {
          if (tally.failures.size() == kShownFindings) break;
          tally.failures.push_back(fmt::format("{} ranks, {} slots, {}: {}: {}", ranks, slots,
                                               in_place ? "in place" : "out of place", finding.kind,
                                               finding.message));
        }
      }
    }
  }
}

std::string cost(const Algorithm& algorithm, int ranks, int root) {
  const Schedule schedule = algorithm.build(ranks, root);
  const Proof proof =
      prove(schedule, algorithm.collective, root, std::max(algorithm.min_slots, 2), false);
  if (!proof.ok()) return "";
  const double chunks = proof.chunks;
  return fmt::format("{} ranks: {} steps, at most {:.3g} K sent and {:.3g} K received by a rank",
                     ranks, proof.latency_steps,
                     static_cast<double>(proof.max_sent_chunks()) / chunks,
                     static_cast<double>(proof.max_received_chunks()) / chunks);
}

}  // namespace

int run_prove(const Options& options) {
  std::vector<int> ranks = options.ranks;
  if (ranks.empty()) {
    for (int r = 1; r <= kMostRanks; ++r) ranks.push_back(r);
  }
  const std::vector<int> slots =
      options.prove_slots.empty() ? std::vector<int>{1, 2, 4, 8} : options.prove_slots;
  std::vector<bool> places{false};
  if (options.prove_in_place) places.push_back(true);
  const auto start = std::chrono::steady_clock::now();
  int failed = 0;
  int proofs = 0;
  for (const Algorithm& algorithm : algorithms()) {
    const bool wanted = options.algorithms.empty() ||
                        std::find(options.algorithms.begin(), options.algorithms.end(),
                                  algorithm.name) != options.algorithms.end();
    if (algorithm.collective != options.collective || !wanted) continue;
    Tally tally;
    int last = 0;
    for (const int r : ranks) {
      if (options.root >= r) continue;
      if (algorithm.unsupported != nullptr && algorithm.unsupported(r)) continue;
      prove_one(algorithm, r, options.root, slots, places, !options.prove_slots.empty(), tally);
      last = r;
    }
    std::vector<int> usable;
    for (const int s : slots) {
      if (s >= algorithm.min_slots || tally.refuted == 0) usable.push_back(s);
    }
    fmt::print("{} {}: {} for {} ranks, {} slots, {}\n", name(algorithm.collective), algorithm.name,
               tally.failed > 0 ? fmt::format("NOT PROVED in {} of {} proofs", tally.failed,
                                              tally.proved + tally.refuted + tally.failed)
                                : "proved",
               list_of(ranks), list_of(usable),
               places.size() == 2 ? "out of place and in place" : "out of place");
    if (const std::string text = last > 0 ? cost(algorithm, last, options.root) : "";
        !text.empty()) {
      fmt::print("    {}\n", text);
    }
    if (tally.refuted > 0) {
      fmt::print("    needs {} slots (by design); with fewer: {}\n", algorithm.min_slots,
                 tally.refuted_because);
    }
    for (const std::string& failure : tally.failures) fmt::print("    {}\n", failure);
    failed += tally.failed;
    proofs += tally.proved + tally.refuted + tally.failed;
  }
  if (proofs == 0) {
    throw Error(
        ErrorKind::kUsage,
        "there is nothing to prove: native algorithms have no schedule, and --root must be below "
        "--ranks; see `allreduce-bench list`");
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string took =
      seconds < 1 ? fmt::format("{:.2f} s", seconds) : format_duration(seconds);
  if (failed > 0) {
    fmt::print("\n{} of {} proofs failed, in {}\n", failed, proofs, took);
  } else {
    fmt::print("\n{} proofs in {}: no deadlock, no race, every contribution exactly once\n", proofs,
               took);
  }
  return failed > 0 ? 3 : 0;
}

}  // namespace arb
