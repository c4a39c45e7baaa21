// What goes wrong is said: no peer access, memory, launches, grids, ranks that stop.
#include <algorithm>

#include "collectives/error.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

const Shape kShape{Collective::kAllReduce, 4, 0, 300, Dtype::kFloat32, Op::kSum};

/// The message of the Error that `job` throws.
template <class Job>
std::string error_of(ErrorKind kind, const Job& job) {
  try {
    job();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
  }
}

std::vector<emulated::DevicePair> all_pairs(int devices) {
  std::vector<emulated::DevicePair> pairs;
  for (int a = 0; a < devices; ++a) {
    for (int b = 0; b < devices; ++b) {
      if (a != b) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

GroupOptions four_gpus() {
  GroupOptions options;
  options.ranks = 4;
  options.gpus = 4;
  return options;
}

void expect_right_through_the_host(GpuGroup& group) {
  EXPECT_EQ(group.transport(), "host memory");
  RunOptions run;
  run.config = small_slots(false, 2, 256);
  Outcome outcome = run_checked(group, "ring", kShape, run);
  EXPECT_EQ(outcome.protocol, "simple, host memory");
  EXPECT_TRUE(outcome.verdict.ok()) << outcome.context;
  run.config.lines = true;
  outcome = run_checked(group, "tree", kShape, run);
  EXPECT_EQ(outcome.protocol, "ll, host memory");
  EXPECT_TRUE(outcome.verdict.ok()) << outcome.context;
  outcome = run_checked(group, "one-shot", kShape, run);
  EXPECT_EQ(outcome.protocol, "ll, host memory");
  EXPECT_TRUE(outcome.verdict.ok()) << outcome.context;
}

TEST(Peers, DirectWhereTheyReachEachOther) {
  emulated::configure({});
  const auto group = make_group(four_gpus());
  EXPECT_EQ(group->transport(), "direct");
  RunOptions run;
  run.config = small_slots(true, 1, 256);
  EXPECT_EQ(run_checked(*group, "ring", kShape, run).protocol, "ll");
  EXPECT_EQ(run_checked(*group, "two-shot", kShape, run).protocol, "zero-copy");
}

TEST(Peers, RefusedAccessGoesThroughTheHostAndSaysSo) {
  emulated::Settings machine;
  machine.faults.no_peer = all_pairs(4);
  emulated::configure(machine);
  const auto group = make_group(four_gpus());
  expect_right_through_the_host(*group);
  const auto reason = group->runner().unsupported_native("two-shot", kShape);
  ASSERT_TRUE(reason);
  expect_contains(*reason, {"GPU 0", "does not reach that of GPU 1"});
}

TEST(Peers, SwitchedOff) {
  emulated::configure({});
  GroupOptions options = four_gpus();
  options.peer_access = false;
  const auto group = make_group(options);
  expect_right_through_the_host(*group);
}

TEST(Peers, OnePairOnlyTakesTheDetour) {
  emulated::Settings machine;
  machine.faults.no_peer = {{1, 2}};
  emulated::configure(machine);
  const auto group = make_group(four_gpus());
  expect_right_through_the_host(*group);
}

TEST(Peers, WhatTheDriverPromisesIsTriedWithData) {
  emulated::Settings machine;
  machine.faults.broken_peer = {{1, 0}};
  emulated::configure(machine);
  const GpuSystem system = read_gpus(true);
  EXPECT_EQ(system.off, "");
  ASSERT_EQ(system.paths.size(), 4u);
  for (size_t reader = 0; reader < 4; ++reader) {
    for (size_t owner = 0; owner < 4; ++owner) {
      const PeerPath wanted = reader == owner             ? PeerPath::kSame
                              : reader == 1 && owner == 0 ? PeerPath::kBroken
                                                          : PeerPath::kPeer;
      EXPECT_EQ(system.paths[reader][owner], wanted) << reader << " reads " << owner;
    }
  }
  const auto group = make_group(four_gpus());
  expect_right_through_the_host(*group);
}

TEST(System, SaysWhatThereIs) {
  emulated::Settings machine;
  machine.devices = 2;
  machine.faults.no_peer = {{0, 1}};
  emulated::configure(machine);
  const GpuSystem system = read_gpus(true);
  EXPECT_EQ(system.off, "");
  ASSERT_EQ(system.gpus.size(), 2u);
  EXPECT_EQ(system.gpus[0].multiprocessors, machine.multiprocessors);
  EXPECT_EQ(system.gpus[0].l2_bytes, machine.l2_bytes);
  EXPECT_TRUE(system.gpus[0].cooperative);
  EXPECT_EQ(system.gpus[0].uuid.substr(0, 4), "GPU-");
  EXPECT_EQ(system.gpus[0].uuid.size(), 40u);
  EXPECT_NE(system.gpus[0].uuid, system.gpus[1].uuid);
  EXPECT_EQ(system.paths[0][1], PeerPath::kRefused);
  EXPECT_EQ(system.paths[1][0], PeerPath::kPeer);
  EXPECT_EQ(system.driver, "13.0");
}

TEST(System, SaysWhyThereIsNone) {
  emulated::Settings machine;
  machine.devices = 0;
  emulated::configure(machine);
  expect_contains(read_gpus(true).off, {"no GPU is visible"});
  expect_contains(error_of(ErrorKind::kEnvironment, [] { make_group(four_gpus()); }),
                  {"4 GPUs asked for", "none found"});
  machine.devices = 4;
  machine.driver_version = 12000;
  emulated::configure(machine);
  expect_contains(read_gpus(true).off, {"too old", "12.0", "13.0"});
  machine.driver_version = 0;
  emulated::configure(machine);
  EXPECT_NE(read_gpus(true).off, "");
}

TEST(System, TooFewGpusOrTooManyRanks) {
  emulated::Settings machine;
  machine.devices = 2;
  emulated::configure(machine);
  expect_contains(error_of(ErrorKind::kEnvironment, [] { make_group(four_gpus()); }),
                  {"4 GPUs asked for, 2 found", "--ranks-per-gpu"});
  GroupOptions options;
  options.ranks = 5;
  options.gpus = 2;
  options.ranks_per_gpu = 2;
  expect_contains(error_of(ErrorKind::kEnvironment, [&] { make_group(options); }),
                  {"5 ranks do not fit on 2 GPUs with 2 each", "--ranks-per-gpu 3"});
}

TEST(Grid, ThatDoesNotFitIsRefusedWithTheNumbers) {
  emulated::Settings machine;
  machine.multiprocessors = 3;
  machine.blocks_per_multiprocessor = 2;
  emulated::configure(machine);
  GroupOptions options;
  options.ranks = 4;
  const auto group = make_group(options);
  const std::string message = error_of(ErrorKind::kEnvironment, [&] {
    make_operation(group->runner(), "ring", kShape, false, small_slots(false, 2, 64));
  });
  expect_contains(message, {"4 ranks with 4 lanes in all and 2 channels", "GPU 0",
                            "need 8 blocks at once, but only 6 fit", "--ranks-per-gpu"});
  RunOptions run;
  run.config = small_slots(false, 1, 64);
  ARB_EXPECT_RIGHT(run_checked(*group, "ring", kShape, run));
  for (const char* native : {"one-shot", "two-shot"}) {  // take as many blocks as fit
    ARB_EXPECT_RIGHT(run_checked(*group, native, kShape, run));
  }
}

TEST(Memory, EveryAllocationMayFail) {
  bool succeeded = false;
  for (int n = 1; n < 200 && !succeeded; ++n) {
    emulated::Settings machine;
    machine.faults.fail_allocation = n;
    emulated::configure(machine);
    try {
      const auto group = make_group(four_gpus());
      RunOptions run;
      run.times = 1;
      run.config = small_slots(false, 1, 256);
      for (const char* algorithm : {"tree", "one-shot", "two-shot"}) {
        ARB_EXPECT_RIGHT(run_checked(*group, algorithm, kShape, run));
      }
      succeeded = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
      expect_contains(error.what(),
                      {"cannot allocate", "cudaErrorMemoryAllocation", "use smaller"});
    }
    EXPECT_EQ(emulated::counters().live_allocations, 0u) << "when allocation " << n << " fails";
    EXPECT_EQ(emulated::counters().live_streams, 0u);
    EXPECT_EQ(emulated::counters().live_events, 0u);
  }
  EXPECT_TRUE(succeeded);
}

TEST(Kernels, ThatDoNotStartOrDie) {
  for (const Launch launch : {Launch::kStream, Launch::kGraph}) {
    for (const bool dies : {false, true}) {
      bool succeeded = false;
      for (int n = 1; n < 200 && !succeeded; ++n) {
        emulated::Settings machine;
        (dies ? machine.faults.fail_kernel : machine.faults.fail_launch) = n;
        emulated::configure(machine);
        GroupOptions options = four_gpus();
        options.launch = launch;
        try {
          const auto group = make_group(options);
          RunOptions run;
          run.config = small_slots(false, 1, 256);
          ARB_EXPECT_RIGHT(run_checked(*group, "ring", kShape, run));
          succeeded = true;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
          expect_contains(error.what(), {"cannot ", "(cudaError"});
        }
      }
      EXPECT_TRUE(succeeded);
    }
  }
}

std::string hang(const GroupOptions& options, const std::string& algorithm, bool lines,
                 int batch = 1) {
  const auto group = make_group(options);
  RunOptions run;
  run.batch = batch;
  run.config = small_slots(lines, 1, 64);
  return error_of(ErrorKind::kTimeLimit, [&] { run_checked(*group, algorithm, kShape, run); });
}

TEST(Hang, ARankThatStopsIsNamedAndWhoWaitsForIt) {
  for (const Launch launch : {Launch::kStream, Launch::kGraph}) {
    for (const bool lines : {false, true}) {
      for (const int gpus : {1, 2}) {
        emulated::configure({});
        GroupOptions options;
        options.ranks = 4;
        options.gpus = gpus;
        options.launch = launch;
        options.fault.stall_rank = 1;
        options.deadline_seconds = 0.3;
        // Operations queued behind the one that hangs do not blur where it stood.
        const std::string text = hang(options, "ring", lines, 3);
        expect_contains(text, {"stopped in iteration 0:", "\n  rank 1: takes no part",
                               "\n  rank 2: rank 2, lane 0", "waits for data from rank 1", "step 1",
                               "tile 0 of", "\n  rank 3: rank 3, lane 0"});
      }
    }
  }
}

TEST(Hang, OfNativeAlgorithms) {
  for (const char* algorithm : {"one-shot", "two-shot"}) {
    emulated::configure({});
    GroupOptions options = four_gpus();
    options.fault.stall_rank = 2;
    options.deadline_seconds = 0.3;
    expect_contains(
        hang(options, algorithm, false),
        {"rank 2: takes no part", "rank 0: " + std::string(algorithm) + ", waits for", "rank 2"});
  }
}

TEST(Hang, AnInterruptCutsItToo) {
  emulated::configure({});
  GroupOptions options = four_gpus();
  options.fault.stall_rank = 0;
  const std::atomic<bool> interrupted{true};
  options.interrupted = &interrupted;
  expect_contains(hang(options, "ring", false), {"rank 0: takes no part"});
}

TEST(Hang, AnInterruptEndsARunThatIsDone) {
  emulated::configure({});
  GroupOptions options = four_gpus();
  const std::atomic<bool> interrupted{true};
  options.interrupted = &interrupted;
  EXPECT_EQ(hang(options, "ring", false), "was interrupted");
}

TEST(Late, ARankThatIsLateChangesNothing) {
  emulated::configure({});
  for (const int rank : {0, 3}) {
    GroupOptions options = four_gpus();
    options.fault.delay_rank = rank;
    options.fault.delay_seconds = 0.002;
    const auto group = make_group(options);
    RunOptions run;
    run.config = small_slots(true, 1, 256);
    ARB_EXPECT_RIGHT(run_checked(*group, "ring", kShape, run));
  }
}

TEST(Unfilled, RanksThatLeaveGpusOverOrHalfFull) {
  for (const int ranks : {1, 3, 5}) {
    emulated::configure({});
    GroupOptions options;
    options.ranks = ranks;
    options.gpus = 4;
    options.ranks_per_gpu = 2;
    const auto group = make_group(options);
    Shape shape = kShape;
    shape.ranks = ranks;
    RunOptions run;
    run.config = small_slots(false, 2, 128);
    for (const char* algorithm : {"ring", "tree", "one-shot", "two-shot"}) {
      ARB_EXPECT_RIGHT(run_checked(*group, algorithm, shape, run));
    }
  }
}

TEST(Natives, SayWhatTheyCannotDo) {
  emulated::configure({});
  const auto group = make_group(four_gpus());
  Shape shape = kShape;
  shape.count = size_t{1} << 20;
  expect_contains(*group->runner().unsupported_native("one-shot", shape), {"1 MiB", "two-shot"});
  EXPECT_FALSE(group->runner().unsupported_native("two-shot", shape));
  shape.collective = Collective::kBroadcast;
  for (const char* native : {"one-shot", "two-shot", "three-shot"}) {
    expect_contains(*group->runner().unsupported_native(native, shape),
                    {"no such algorithm for broadcast"});
  }
}

}  // namespace
}  // namespace arb
