// Runs operations on emulated GPUs and checks every element against the oracle.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/cuda/group.hpp"
#include "tests/cuda/emulated/emulator.hpp"
#include "verify/check.hpp"

namespace arb {

/// Few threads a block: what they do does not depend on how many they are, the time they take does.
inline constexpr int kEmulatedThreads = 32;

struct GroupOptions {
  int ranks = 2;
  int gpus = 1;
  int ranks_per_gpu = 0;  // 0: as many as needed
  Launch launch = Launch::kStream;
  bool peer_access = true;
  GpuTuning tuning{kEmulatedThreads, 0, 0, 0};
  RankFault fault;
  double deadline_seconds = 60;  // from the making of the group
  const std::atomic<bool>* interrupted = nullptr;
  Peers* peers = nullptr;
};

/// On the emulated GPUs as they are configured.
std::unique_ptr<GpuGroup> make_group(const GroupOptions& options);

struct RunOptions {
  bool in_place = false;
  int unalign = 0;  // elements
  int times = 2;    // exact and random data in turn
  int batch = 1;
  SlotConfig config;
  uint64_t seed = 1;
};

struct Outcome {
  Verdict verdict;
  std::string protocol;
  std::string context;  // for messages
};

/// Throws what the group throws.
Outcome run_checked(GpuGroup& group, const std::string& algorithm, const Shape& shape,
                    const RunOptions& options);

/// Schedules are proved once per program.
Made make_operation(Runner& runner, const std::string& algorithm, const Shape& shape, bool in_place,
                    const SlotConfig& config);

/// All ranks' messages, in the memory of their GPUs, with guards around.
class Messages {
 public:
  Messages(GpuGroup& group, const Shape& shape, bool in_place, int unalign = 0);

  const RankBuffers* table() const { return table_.data(); }
  /// Of the driven ranks.
  void fill(const DataSpec& spec) const;
  Verdict check(const Operation& operation, const DataSpec& spec) const;

 private:
  Range real(int rank, bool of_input) const;

  GpuGroup& group_;
  Shape shape_;
  bool in_place_;
  std::vector<std::shared_ptr<std::byte>> memory_;
  std::vector<RankBuffers> table_;  // [rank]
};

SlotConfig small_slots(bool lines, int channels, size_t slot_bytes, int slots = 4);

#define ARB_EXPECT_RIGHT(outcome)                                 \
  do {                                                            \
    const Outcome arb_outcome = (outcome);                        \
    EXPECT_TRUE(arb_outcome.verdict.ok()) << arb_outcome.context; \
  } while (false)

}  // namespace arb
