// What several nodes cannot do is said, and a rank that stops is named by all.
#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "tests/cuda/mpi/nodes.hpp"

namespace arb {
namespace {

int processes() { return world().size(); }

Shape shape_for(const GpuJob& job) {
  return {Collective::kAllReduce, job.ranks, 0, 501, Dtype::kFloat32, Op::kSum};
}

TEST(Nodes, SayWhatTheyCannotRun) {
  GpuJob job(contiguous(processes(), 2), {});
  for (const char* name : {"one-shot", "two-shot"}) {
    const auto reason = job.group->runner().unsupported_native(name, shape_for(job));
    ASSERT_TRUE(reason.has_value()) << name;
    EXPECT_NE(reason->find("on several nodes"), std::string::npos) << *reason;
  }
  try {
    make_operation(job.group->runner(), "ring", shape_for(job), false, small_slots(true, 1, 128));
    ADD_FAILURE() << "lines went as messages";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("between nodes use simple"), std::string::npos);
  }
}

TEST(Nodes, LinesAreNotChosen) {
  GpuSettings settings;
  const Shape shape{Collective::kAllReduce, 4, 0, 16, Dtype::kFloat32, Op::kSum};
  const Schedule schedule = find_algorithm(shape.collective, "ring")->build(4, 0);
  EXPECT_TRUE(gpu_slot_chooser(settings, 4)(schedule, shape, false).lines);
  settings.nodes = 2;
  EXPECT_FALSE(gpu_slot_chooser(settings, 4)(schedule, shape, false).lines);
}

std::string hang(const std::vector<int>& node_of, int stalled) {
  GpuJob::Options options;
  options.group.fault.stall_rank = stalled;
  options.group.fault.stall_from = 1;
  options.group.deadline_seconds = 1.5;
  GpuJob job(node_of, options);
  RunOptions run;
  run.times = 20;
  run.config = small_slots(false, 1, 128, 2);
  try {
    run_checked(*job.group, "ring", shape_for(job), run);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTimeLimit);
    return error.what();
  }
  return "did not hang";
}

TEST(Nodes, ARankThatStopsIsNamedByAll) {
  const int stalled = processes() - 1;
  const std::string text = hang(contiguous(processes(), processes()), stalled);
  const std::string rank = "rank " + std::to_string(stalled);
  for (const std::string& part : std::vector<std::string>{"iteration 1:", rank + ": takes no part",
                                                          "waits for data from " + rank}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_TRUE(same_everywhere(text)) << text;
}

}  // namespace
}  // namespace arb
