// Every single mutation of every step of every algorithm is caught by the proof, or is still a
// right algorithm.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collectives/algorithms/registry.hpp"
#include "toy_runner.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

struct Mutant {
  std::string kind;
  std::string where;
  bool may_survive;
  Schedule schedule;
};

void for_each_step(const Schedule& schedule, auto&& use) {
  for (size_t rank = 0; rank < schedule.lanes.size(); ++rank) {
    for (size_t lane = 0; lane < schedule.lanes[rank].size(); ++lane) {
      for (size_t i = 0; i < schedule.lanes[rank][lane].steps.size(); ++i) use(rank, lane, i);
    }
  }
}

Slice other_chunk(Slice slice, int chunks) {
  slice.first = slice.first + slice.count < chunks ? slice.first + 1 : slice.first - 1;
  return slice;
}

bool overlap(const Slice& a, const Slice& b) {
  return a && b && a.first < b.first + b.count && b.first < a.first + a.count;
}

/// Neighbours that can change places without changing what is computed or what a FIFO carries.
/// Buffers do not matter, since in place the input is the output.
bool independent(const Step& a, const Step& b) {
  if (a.send_to != kNone && a.send_to == b.send_to) return false;
  if (a.recv_from != kNone && a.recv_from == b.recv_from) return false;
  return !overlap(a.store, b.store) && !overlap(a.store, b.local) && !overlap(a.local, b.store);
}

/// Two contributions to one sum: in the other order it is another, equally right, algorithm.
bool same_sum(const Step& a, const Step& b) {
  return verb(a) == "recv_reduce" && verb(b) == "recv_reduce" && a.local == a.store &&
         a.store == b.local && b.local == b.store;
}

bool is_copy(const Step& step) { return verb(step) == "copy"; }

/// After a copy, input and output hold the same data.
bool copied_before(const std::vector<Step>& steps, size_t i) {
  return std::any_of(
      steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i),
      [&](const Step& step) { return is_copy(step) && step.local.first == steps[i].local.first; });
}

std::vector<Mutant> mutants(const Schedule& original) {
  std::vector<Mutant> all;
  for_each_step(original, [&](size_t rank, size_t lane, size_t i) {
    const auto add = [&](const char* kind, auto&& change, bool may_survive = false) {
      const std::string where =
          describe(original, static_cast<int>(rank), static_cast<int>(lane), static_cast<int>(i));
      Mutant mutant{kind, where, may_survive, original};
      change(mutant.schedule.lanes[rank][lane].steps);
      all.push_back(std::move(mutant));
    };
    const auto at = static_cast<std::ptrdiff_t>(i);
    const std::vector<Step>& steps = original.lanes[rank][lane].steps;
    const Step& step = steps[i];
    add("drop", [&](auto& s) { s.erase(s.begin() + at); });
    add(
        "double", [&](auto& s) { s.insert(s.begin() + at, s[i]); }, is_copy(step));
    if (i + 1 < steps.size()) {
      const Step& next = steps[i + 1];
      const bool read_only =
          is_copy(step) && verb(next) == "send" && next.local.buffer == Buffer::kInput;
      add(
          "swap", [&](auto& s) { std::swap(s[i], s[i + 1]); },
          independent(step, next) || same_sum(step, next) || read_only);
    }
    for (int from = 0; step.recv_from != kNone && from < original.ranks; ++from) {
      if (from != step.recv_from) add("redirect", [&](auto& s) { s[i].recv_from = from; });
    }
    const auto can_move = [&](const Slice& slice) {
      return slice && slice.count < original.chunks;
    };
    if (can_move(step.local)) {
      add("chunk", [&](auto& s) { s[i].local = other_chunk(step.local, original.chunks); });
    }
    if (can_move(step.store)) {
      add("chunk", [&](auto& s) { s[i].store = other_chunk(step.store, original.chunks); });
    }
    if (can_move(step.local) && can_move(step.store)) {
      add("chunk", [&](auto& s) {
        s[i].local = other_chunk(step.local, original.chunks);
        s[i].store = other_chunk(step.store, original.chunks);
      });
    }
    for (Slice Step::*slice : {&Step::local, &Step::store}) {
      if ((step.*slice).count > 1) add("shorten", [&](auto& s) { --(s[i].*slice).count; });
    }
    if (step.after != kNone) add("event", [&](auto& s) { s[i].after = kNone; });
    if (step.marks != kNone) add("event", [&](auto& s) { s[i].marks = kNone; });
    for (const Buffer buffer : {Buffer::kInput, Buffer::kOutput, Buffer::kScratch}) {
      if (step.local && step.local.buffer != buffer) {
        add(
            "local", [&](auto& s) { s[i].local.buffer = buffer; }, copied_before(steps, i));
      }
    }
  });
  return all;
}

/// The reduction order of every chunk, independent of how the proof numbered its expressions.
std::string canonical(const ReductionOrder& order, int id) {
  const Expression& expression = order.arena[static_cast<size_t>(id)];
  if (expression.rank >= 0) return std::to_string(expression.rank);
  std::string left = canonical(order, expression.left);
  std::string right = canonical(order, expression.right);
  if (right < left) left.swap(right);
  return "(" + left + "+" + right + ")";
}

std::string canonical(const ReductionOrder& order) {
  std::string text;
  for (const int id : order.result) text += canonical(order, id) + ";";
  return text;
}

struct Count {
  int caught = 0;
  int same = 0;         // survived: the same expressions
  int other_order = 0;  // survived: each contribution once, the same at all ranks, in another order
};

class Mutations : public testing::TestWithParam<Algorithm> {
 protected:
  void attack(int ranks, int root) {
    const Algorithm& row = GetParam();
    const Schedule original = row.build(ranks, root);
    const int slots = std::max(row.min_slots, 2);
    const Proof healthy = prove(original, row.collective, root, slots, false);
    ASSERT_TRUE(healthy.ok());
    for (const Mutant& mutant : mutants(original)) {
      const std::string what =
          mutant.kind + " of " + mutant.where + ", root " + std::to_string(root);
      const Proof out = prove(mutant.schedule, row.collective, root, slots, false);
      const Proof in = prove(mutant.schedule, row.collective, root, slots, true);
      Count& count = counts_[mutant.kind];
      if (!out.ok() || !in.ok()) {
        ++count.caught;
        for (const Proof* proof : {&out, &in}) check_findings(*proof, what);
        check_deadlock(out, mutant.schedule, {row.collective, root, slots, false}, what);
        continue;
      }
      const bool same = canonical(out.order) == canonical(healthy.order);
      EXPECT_TRUE(same || mutant.kind == "swap") << what;
      ++(same ? count.same : count.other_order);
      EXPECT_EQ(canonical(out.order), canonical(in.order)) << what;
      for (const bool in_place : {false, true}) {
        for (uint64_t seed = 1; seed <= 5; ++seed) {
          EXPECT_EQ(toy_run(mutant.schedule, {row.collective, root, slots, in_place}, seed,
                            &(in_place ? in : out).facts),
                    "")
              << what;
        }
      }
      EXPECT_TRUE(mutant.may_survive) << what << " was not caught";
    }
  }

  static void check_findings(const Proof& proof, const std::string& what) {
    for (const Finding& finding : proof.findings) {
      EXPECT_GE(finding.rank, 0) << what;
      EXPECT_GE(finding.lane, 0) << what;
      const std::string place =
          "rank " + std::to_string(finding.rank) + ", lane " + std::to_string(finding.lane);
      EXPECT_EQ(finding.message.rfind(place, 0), 0U) << what << ": " << finding.message;
      EXPECT_NE(finding.message.find("step"), std::string::npos) << what << ": " << finding.message;
    }
  }

  static void check_deadlock(const Proof& proof, const Schedule& schedule, const ToyCase& spec,
                             const std::string& what) {
    if (proof.ok() || proof.findings[0].kind != "deadlock") return;
    EXPECT_EQ(toy_run(schedule, spec, 1), "deadlock") << what;
  }

  std::map<std::string, Count> counts_;
};

TEST_P(Mutations, AreCaughtOrHarmless) {
  const Algorithm& row = GetParam();
  for (const int ranks : {1, 2, 3, 4, 5, 8}) {
    attack(ranks, 0);
    if (has_root(row.collective) && ranks > 1) attack(ranks, ranks - 1);
  }
  int mutated = 0;
  int survived = 0;
  for (const auto& [kind, count] : counts_) {
    mutated += count.caught + count.same + count.other_order;
    survived += count.same + count.other_order;
    RecordProperty(kind, std::to_string(count.caught) + " caught, " + std::to_string(count.same) +
                             " equivalent, " + std::to_string(count.other_order) + " other order");
  }
  EXPECT_GT(mutated, 300);
  EXPECT_LT(survived, mutated / 4);
}

INSTANTIATE_TEST_SUITE_P(Registry, Mutations,
                         testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& row) {
                           std::string text = std::string(name(row.param.collective)) + "_" +
                                              std::string(row.param.name);
                           for (char& c : text) c = c == '-' ? '_' : c;
                           return text;
                         });

}  // namespace
}  // namespace arb
