#include "collectives/runners/mpi/process_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "collectives/error.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

int ranks() { return world().size(); }
int own_rank() { return world().rank(); }
bool is_last() { return own_rank() == ranks() - 1; }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string bits_of(const std::vector<Sample>& samples, const Timing& timing) {
  std::string bits;
  for (const Sample& sample : samples) {
    bits += std::to_string(std::hash<double>()(sample.seconds)) + " " +
            std::to_string(sample.straggler) + (sample.common_clock ? " common\n" : " own\n");
  }
  return bits + std::to_string(std::hash<double>()(timing.wall_seconds)) + " " +
         std::to_string(std::hash<double>()(timing.clock_error_seconds));
}

/// Runs a ring, or another algorithm, `times` times.
struct Rings {
  Rings(const GroupSettings& settings, size_t count, int times,
        const std::string& algorithm = "ring")
      : job(settings),
        prepared(job.prepare(algorithm, shape_of(count))),
        buffers(shape_of(count), {}, job.runner().locality()) {
    for (long i = 0; i < times; ++i) {
      executions.push_back({prepared.operation.get(), buffers.set(0), ranks(), 1, i});
    }
  }
  std::vector<Sample> run() { return job.crew().run(executions); }

  Job job;
  Prepared prepared;
  CaseBuffers buffers;
  std::vector<Execution> executions;
};

TEST(ProcessTeam, SamplesAreTheSameInAllProcesses) {
  for (const Path path : {Path::kAuto, Path::kMessages}) {
    Rings rings(settings_of(path), 1000, 20);
    for (int batch = 0; batch < 3; ++batch) {
      const std::vector<Sample> samples = rings.run();
      ASSERT_EQ(samples.size(), 20u);
      const Timing timing = rings.job.crew().timing();
      double all = 0;
      for (const Sample& sample : samples) {
        EXPECT_GT(sample.seconds, 0);
        EXPECT_TRUE(sample.common_clock) << "one node";
        all += sample.seconds;
      }
      EXPECT_EQ(timing.clock_error_seconds, 0);
      EXPECT_GT(timing.wall_seconds, 0);
      EXPECT_TRUE(same_everywhere(bits_of(samples, timing)));
    }
  }
}

TEST(ProcessTeam, NodesCompareTheirClocks) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  const PretendedNodes pretended(round_robin(ranks(), 2));
  Rings rings(settings_of(Path::kAuto), 1000, 5);
  const std::vector<Sample> samples = rings.run();
  const Timing timing = rings.job.crew().timing();
  EXPECT_GT(timing.clock_error_seconds, 0);
  EXPECT_TRUE(std::isfinite(timing.clock_error_seconds));
  for (const Sample& sample : samples) EXPECT_GT(sample.seconds, 0);
  EXPECT_TRUE(same_everywhere(bits_of(samples, timing)));
}

// Without a common clock a sample is the longest stay of a rank: the delay shows all the same.
TEST(ProcessTeam, ADelayedRankShowsInTheSamplesOfAllAndIsTheStraggler) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  for (const int nodes : {1, 2}) {
    const PretendedNodes pretended(contiguous(ranks(), nodes));
    // Without a root, and with one whose wait for the last rank is its last wait.
    for (const char* algorithm : {"ring", "naive-root"}) {
      GroupSettings settings = settings_of(Path::kAuto);
      const int late = ranks() - 1;
      settings.control.fault = {.delay_rank = late, .delay_every = 2, .delay_seconds = 0.1};
      Rings rings(settings, 1000, 8, algorithm);
      const std::vector<Sample> samples = rings.run();
      // Not each time: on a busy machine others may begin as late as this one is.
      int seen = 0;
      int named = 0;
      for (size_t i = 1; i < samples.size(); i += 2) {
        if (samples[i].seconds >= 0.09) ++seen;
        if (samples[i].straggler == late) ++named;
      }
      EXPECT_GE(seen, 2) << "of 4, " << algorithm << ", " << nodes << " nodes";
      EXPECT_GE(named, 2) << "of 4, " << algorithm << ", " << nodes << " nodes";
      EXPECT_TRUE(same_everywhere(bits_of(samples, rings.job.crew().timing())));
    }
  }
}

TEST(ProcessTeam, EverybodyHearsWhatEverybodySays) {
  Job job(settings_of(Path::kAuto));
  for (int round = 0; round < 3; ++round) {
    const auto said_by = [&](int rank) {
      return std::string(static_cast<size_t>((rank + round) % 3 * 1000), "abcdefgh"[rank % 8]);
    };
    const std::vector<std::string> all = job.crew().exchange(said_by(own_rank()));
    ASSERT_EQ(all.size(), static_cast<size_t>(ranks()));
    for (int rank = 0; rank < ranks(); ++rank) {
      EXPECT_EQ(all[static_cast<size_t>(rank)], said_by(rank));
    }
  }
}

TEST(ProcessTeam, AnInterruptOfOneEndsTheBatchOfAll) {
  std::atomic<bool> interrupted{false};
  GroupSettings settings = settings_of(Path::kAuto);
  settings.control.interrupted = &interrupted;
  Rings rings(settings, 1000, 5);
  rings.run();
  EXPECT_FALSE(rings.job.crew().interrupted());
  const std::function<void(int)> raise = [&](int) { interrupted = is_last(); };
  rings.executions[2].prepare = &raise;
  try {
    rings.run();
    ADD_FAILURE() << "nobody noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTimeLimit);
    EXPECT_TRUE(contains(error.what(), "interrupted")) << error.what();
  }
  EXPECT_TRUE(rings.job.crew().interrupted());
  EXPECT_FALSE(rings.job.crew().expired());
  interrupted = false;
  rings.executions[2].prepare = nullptr;
  EXPECT_EQ(rings.run().size(), 5u);  // still of use
  EXPECT_FALSE(rings.job.crew().interrupted());
}

TEST(ProcessTeam, WorkersAreTheProcessesOfTheNode) {
  const PretendedNodes pretended(round_robin(ranks(), 2));
  Job job(settings_of(Path::kAuto));
  const std::vector<int>& near = job.runner().locality().near;
  ASSERT_EQ(job.crew().workers(), static_cast<int>(near.size()));
  for (int worker = 0; worker < job.crew().workers(); ++worker) {
    const int rank = near[static_cast<size_t>(worker)];
    EXPECT_EQ(job.crew().ranks_of(worker, ranks()), std::pair(rank, rank + 1));
  }
  int called = 0;
  job.crew().on_all([&](int worker) {
    ++called;
    EXPECT_EQ(near[static_cast<size_t>(worker)], own_rank());
    EXPECT_TRUE(job.crew().meet());
  });
  EXPECT_EQ(called, 1);
  EXPECT_THROW(job.crew().on_all([](int) { throw Error(ErrorKind::kInternal, "boom"); }), Error);
}

/// Counts, in memory of all processes, who has come how far. The last rank is always late.
class Counting final : public Operation {
 public:
  struct Counts {
    std::atomic<int> prepared, done, inspected;
  };

  explicit Counting(Counts* counts) : counts_(counts) {}

  void begin(int rank, const RankBuffers&) override {
    EXPECT_EQ(rank, own_rank());
    EXPECT_EQ(counts_->prepared, ranks() * rounds) << "began before all were prepared";
    ++begun;
  }
  Advance advance(int) override {
    if (is_last()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++counts_->done;
    return Advance::kDone;
  }
  std::string where(int) const override { return "counting"; }
  int waits_for(int) const override { return kNone; }
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return nullptr; }

  void prepare() {
    EXPECT_EQ(counts_->inspected, ranks() * rounds) << "prepared before all had inspected";
    ++rounds;
    if (is_last()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++counts_->prepared;
  }
  void inspect(int batch) {
    EXPECT_EQ(counts_->done, ranks() * rounds * batch) << "inspected before all were done";
    EXPECT_EQ(counts_->prepared, ranks() * rounds) << "prepared before all had inspected";
    if (is_last()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++counts_->inspected;
  }

  int rounds = 0;
  int begun = 0;

 private:
  Counts* counts_;
  Tiling tiling_{0, 1, false, 1, 1};
};

TEST(ProcessTeam, AllPrepareThenAllRunThenAllInspect) {
  constexpr int kRounds = 10;
  constexpr int kBatch = 3;
  Job memory(settings_of(Path::kAuto));  // seen by all, however the team is tied together
  for (const Path path : {Path::kAuto, Path::kMessages}) {
    const auto block = memory.runner().locality().allocate(sizeof(Counting::Counts));
    Counting counting(reinterpret_cast<Counting::Counts*>(block.get()));
    Job job(settings_of(path));
    const std::function<void(int)> prepare = [&](int worker) {
      EXPECT_EQ(worker, path == Path::kAuto ? own_rank() : 0);
      counting.prepare();
    };
    const std::function<void(int)> inspect = [&](int) { counting.inspect(kBatch); };
    const std::vector<RankBuffers> buffers(static_cast<size_t>(ranks()));
    Execution execution{&counting, buffers.data(), ranks(), kBatch};
    execution.prepare = &prepare;
    execution.inspect = &inspect;
    job.crew().run(std::vector<Execution>(kRounds, execution));
    EXPECT_EQ(counting.begun, kRounds * kBatch);
    EXPECT_EQ(counting.rounds, kRounds);
    EXPECT_EQ(job.crew().current_operation(), nullptr);
  }
}

/// The error of a batch whose third execution one rank takes no part in.
std::string stall(const std::string& algorithm, Path path, int rank) {
  std::string text;
  try {
    // Destroyed while the stack is unwound, as in the program: the others may be anywhere.
    GroupSettings settings = settings_of(path, 1.0);
    settings.control.fault = {.stall_rank = rank, .stall_from = 2};
    Job job(settings);
    const Prepared prepared = job.prepare(algorithm, shape_of(1000));
    const CaseBuffers buffers(shape_of(1000), {}, job.runner().locality());
    std::vector<Execution> executions;
    for (long i = 0; i < 5; ++i) {
      executions.push_back({prepared.operation.get(), buffers.set(0), ranks(), 1, i});
    }
    try {
      job.crew().run(executions);
      ADD_FAILURE() << algorithm << " did not hang";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kTimeLimit);
      EXPECT_TRUE(job.crew().expired());
      EXPECT_FALSE(job.crew().interrupted());
      EXPECT_EQ(job.crew().current_operation(), prepared.operation.get());
      EXPECT_THROW(
          {
            try {
              job.crew().run(executions);
            } catch (const Error& again) {
              EXPECT_EQ(again.kind(), ErrorKind::kInternal);
              throw;
            }
          },
          Error);
      throw;
    }
  } catch (const Error& error) {
    text = error.what();
  }
  // Nobody begins anew before all have given up.
  world().exchange("");
  return text;
}

TEST(ProcessTeam, AStalledRankIsNamedWithThePlacesOfAllOthers) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  struct Try {
    const char* algorithm;
    Path path;
    int stalled;
  };
  for (const Try& one : {Try{"ring", Path::kAuto, ranks() - 1}, Try{"ring", Path::kMessages, 1},
                         Try{"tree", Path::kAuto, 0}, Try{"two-shot", Path::kAuto, 1}}) {
    const std::string text = stall(one.algorithm, one.path, one.stalled);
    const bool scheduled = std::string(one.algorithm) != "two-shot";
    EXPECT_TRUE(contains(text, "iteration 2: ")) << text;
    EXPECT_EQ(contains(text, "takes no part"), own_rank() == one.stalled || own_rank() == 0)
        << text;
    if (own_rank() != 0) {
      EXPECT_FALSE(contains(text, "\n")) << "its own place only: " << text;
      continue;
    }
    for (int rank = 0; rank < ranks(); ++rank) {
      const size_t at = text.find("\n  rank " + std::to_string(rank) + ": iteration 2: ");
      ASSERT_NE(at, std::string::npos) << text;
      const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
      EXPECT_EQ(contains(line, "takes no part"), rank == one.stalled) << line;
      if (scheduled && rank != one.stalled) {
        EXPECT_TRUE(contains(line, "lane ") && contains(line, "step ")) << line;
      }
    }
  }
}

TEST(ProcessTeam, ARankThatDoesNotAnswerIsNamedFirst) {
  if (ranks() < 2) GTEST_SKIP() << "takes two";
  std::string text;
  try {
    GroupSettings settings = settings_of(Path::kAuto, 1.0);
    Job job(settings);
    const Prepared prepared = job.prepare("ring", shape_of(1000));
    const CaseBuffers buffers(shape_of(1000), {}, job.runner().locality());
    const std::vector<Execution> executions(
        1, {prepared.operation.get(), buffers.set(0), ranks(), 1, 0});
    // The last one is outside of everything until rank 0 has waited long enough.
    if (is_last()) {
      world().exchange("");
      throw Error(ErrorKind::kTimeLimit, "");
    }
    job.crew().run(executions);
    ADD_FAILURE() << "did not hang";
  } catch (const Error& error) {
    text = error.what();
  }
  if (!is_last()) world().exchange("");
  if (own_rank() != 0) return;
  const std::string wanted =
      "stopped:\n  rank " + std::to_string(ranks() - 1) + ": does not answer";
  EXPECT_EQ(text.substr(0, wanted.size()), wanted) << text;
}

}  // namespace
}  // namespace arb
