// Ranks on GPUs of several processes and nodes: every element is right, and it came as messages
// where it had to.
#include <map>
#include <set>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "tests/cuda/mpi/nodes.hpp"

namespace arb {
namespace {

int processes() { return world().size(); }

/// One node, each process alone, two in each of two orders; three if there are enough processes.
std::vector<std::vector<int>> layouts() {
  std::set<std::vector<int>> all = {contiguous(processes(), 1), contiguous(processes(), 2),
                                    round_robin(processes(), 2), contiguous(processes(), 3)};
  return {all.begin(), all.end()};
}

int node_count(const std::vector<int>& node_of) {
  return static_cast<int>(std::set<int>(node_of.begin(), node_of.end()).size());
}

std::string text_of(const std::vector<int>& node_of) {
  std::string text = "nodes";
  for (const int node : node_of) text += " " + std::to_string(node);
  return text;
}

/// Types, operators, counts, cuts of the FIFOs in turn: the same for all processes.
struct Turns {
  size_t turn = 0;

  template <class T>
  T next(const std::vector<T>& list) const {
    return list[turn % list.size()];
  }
  Shape shape(const Algorithm& row, int ranks) const {
    const auto n = static_cast<size_t>(ranks);
    Shape shape{row.collective, ranks, ranks - 1, 0, Dtype::kFloat32, Op::kSum};
    shape.dtype = next<Dtype>(
        {Dtype::kFloat32, Dtype::kBfloat16, Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt8});
    if (shape.dtype != Dtype::kInt8) shape.op = next<Op>({Op::kSum, Op::kAvg, Op::kMax});
    shape.count = next<size_t>({0, 1, 1009, n + 1, 4096, 31, 2049});
    if (blocked(row.collective)) shape.count = (shape.count + n - 1) / n * n;
    return shape;
  }
  RunOptions run(const Algorithm& row) const {
    RunOptions run;
    run.in_place = turn % 2 == 1;
    run.seed = turn;
    run.unalign = turn % 5 == 0 ? 1 : 0;
    run.batch = run.in_place ? 1 : 1 + static_cast<int>(turn % 3);
    run.config = small_slots(false, 1 + static_cast<int>(turn % 3), size_t{64} << (turn % 4),
                             std::max(row.min_slots, 1 + static_cast<int>(turn % 4)));
    return run;
  }
};

void sweep(GpuJob& job, Turns& turns, const std::string& protocol) {
  for (const Algorithm& row : algorithms()) {
    if (row.unsupported != nullptr && row.unsupported(job.ranks)) continue;
    for (int k = 0; k < 2; ++k, ++turns.turn) {
      const Outcome outcome = run_checked(*job.group, std::string(row.name),
                                          turns.shape(row, job.ranks), turns.run(row));
      EXPECT_TRUE(outcome.verdict.ok()) << outcome.context;
      // Of an algorithm that stays on a node it is another one, for example a broadcast's.
      if (row.name == "ring") {
        EXPECT_EQ(outcome.protocol, protocol) << outcome.context;
      }
    }
  }
}

TEST(Nodes, EveryElementIsRight) {
  Turns turns;
  for (const std::vector<int>& node_of : layouts()) {
    SCOPED_TRACE(text_of(node_of));
    const bool several = node_count(node_of) > 1;
    GpuJob::Options options;
    options.ranks_per_gpu = 2;
    options.machine.seed = 17 + static_cast<uint64_t>(world().rank());
    GpuJob job(node_of, options);
    EXPECT_EQ(job.group->transport(), several ? "messages" : "direct");
    sweep(job, turns, several ? "simple, messages" : "simple");
    EXPECT_EQ(sum_of_all(job.peers->messages()) > 0, several);
  }
}

TEST(Nodes, MessagesFromAndToTheMemoryOfGpus) {
  Turns turns;
  for (const std::vector<int>& node_of :
       {contiguous(processes(), processes()), contiguous(processes(), 2)}) {
    SCOPED_TRACE(text_of(node_of));
    GpuJob::Options options;
    options.device_messages = DeviceMessages::kYes;
    GpuJob job(node_of, options);
    sweep(job, turns, "simple, device messages");
    EXPECT_GT(sum_of_all(job.peers->messages()), 0u);
  }
}

std::string protocol_of(GpuJob& job) {
  RunOptions run;
  run.config = small_slots(false, 2, 256);
  const Shape shape{Collective::kAllReduce, job.ranks, 0, 501, Dtype::kFloat32, Op::kSum};
  const Outcome outcome = run_checked(*job.group, "ring", shape, run);
  EXPECT_TRUE(outcome.verdict.ok()) << outcome.context;
  return outcome.protocol;
}

TEST(Nodes, AnMpiThatFailsWithTheMemoryOfGpusGetsThatOfTheHost) {
  GpuJob::Options options;
  options.device_messages = DeviceMessages::kBroken;
  GpuJob job(contiguous(processes(), 2), options);
  EXPECT_EQ(protocol_of(job), "simple, messages");
}

TEST(Nodes, MessagesAndHostMemoryGoTogether) {
  if (processes() < 3) GTEST_SKIP() << "two on a node, and another";
  GpuJob::Options options;
  options.group.peer_access = false;
  GpuJob job(contiguous(processes(), 2), options);
  EXPECT_EQ(protocol_of(job), "simple, host memory, messages");
}

TEST(Nodes, WeakMemoryLateCountersAndGraphs) {
  GpuJob::Options options;
  options.ranks_per_gpu = 2;
  options.machine.store_buffer = true;
  options.machine.stale_reads = true;
  options.group.launch = Launch::kGraph;
  options.group.tuning.first_message = (uint64_t{1} << 32) - 3;
  for (const DeviceMessages way : {DeviceMessages::kNo, DeviceMessages::kYes}) {
    options.device_messages = way;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      options.machine.seed = seed;
      GpuJob job(contiguous(processes(), 2), options);
      protocol_of(job);
    }
  }
}

// A queue of a GPU has an end, and who waits for room in it carries nothing: so they are queued
// part by part. (Emulated queues have no end: this shows that the parts are right.)
TEST(Nodes, MoreOperationsThanAQueueHolds) {
  if (processes() != 2) GTEST_SKIP() << "takes long with more";
  GpuJob job(contiguous(2, 2), {});
  RunOptions run;
  run.batch = 600;
  run.times = 1;
  run.config = small_slots(false, 1, 64);
  const Shape shape{Collective::kAllReduce, 2, 0, 3, Dtype::kFloat32, Op::kMax};
  ARB_EXPECT_RIGHT(run_checked(*job.group, "ring", shape, run));
  EXPECT_GE(job.peers->messages(), 600u);
}

TEST(Nodes, OperationsInTurnKeepTheirMessagesApart) {
  GpuJob job(contiguous(processes(), 2), {});
  const SlotConfig config = small_slots(false, 2, 128);
  const Shape shape{Collective::kAllReduce, job.ranks, 0, 700, Dtype::kFloat32, Op::kSum};
  std::vector<Made> made;
  std::vector<std::unique_ptr<Messages>> messages;
  for (const char* name : {"ring", "tree", "naive-root", "ring"}) {
    made.push_back(make_operation(job.group->runner(), name, shape, false, config));
    messages.push_back(std::make_unique<Messages>(*job.group, shape, false));
  }
  for (uint64_t round = 0; round < 3; ++round) {
    const DataSpec spec{DataKind::kRandom, shape.dtype, shape.op, shape.ranks, round};
    std::vector<Execution> executions;
    for (size_t i = 0; i < made.size(); ++i) {
      messages[i]->fill(spec);
      executions.push_back({made[i].operation.get(), messages[i]->table(), shape.ranks, 2});
    }
    job.group->crew().run(executions);
    for (size_t i = 0; i < made.size(); ++i) {
      EXPECT_TRUE(messages[i]->check(*made[i].operation, spec).ok()) << i << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace arb
