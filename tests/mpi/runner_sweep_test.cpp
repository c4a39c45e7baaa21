// Every algorithm at awkward counts, in and out of place, over shared memory, over messages, and
// over both on pretended nodes. Dtypes and ops take turns.
#include <gtest/gtest.h>

#include <set>

#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"
#include "collectives/runners/native/registry.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

constexpr size_t kCounts[] = {0, 1, 2, 3, 5, 7, 70, 257, 4097, 70000};
constexpr size_t kLargeTiles = 4097;  // from here on slots are not of the smallest kind
constexpr std::pair<Dtype, Op> kTypes[] = {
    {Dtype::kFloat32, Op::kSum},  {Dtype::kInt32, Op::kProd},   {Dtype::kFloat64, Op::kAvg},
    {Dtype::kBfloat16, Op::kSum}, {Dtype::kUint64, Op::kMax},   {Dtype::kFloat16, Op::kMin},
    {Dtype::kInt8, Op::kSum},     {Dtype::kFloat32, Op::kProd}, {Dtype::kFloat64, Op::kSum},
    {Dtype::kUint8, Op::kMin},    {Dtype::kInt64, Op::kSum}};

struct Named {
  Collective collective;
  std::string algorithm;
  bool openmpi = false;
};

std::vector<Named> every_algorithm() {
  std::vector<Named> all;
  for (const Algorithm& row : algorithms()) all.push_back({row.collective, std::string(row.name)});
  for (const NativeAlgorithm& row : natives()) {
    all.push_back({row.collective, std::string(row.name)});
  }
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    all.push_back({row.collective, std::string(row.name), true});
  }
  return all;
}

/// Two checked executions, exact data and random data, of one operation.
struct Trial {
  Trial(const Shape& of, bool in_place_too, Prepared made, Job& job, uint64_t seed)
      : shape(of),
        in_place(in_place_too),
        prepared(std::move(made)),
        buffers(shape, {in_place, static_cast<int>(seed % 3), 0}, job.runner().locality()) {
    for (const DataKind kind : {DataKind::kExact, DataKind::kRandom}) {
      checks.push_back(std::make_unique<CheckedRun>(
          CheckRequest{shape, in_place, kind, seed, true, {}}, prepared, buffers, 0, job.crew()));
    }
  }

  Shape shape;
  bool in_place;
  Prepared prepared;
  CaseBuffers buffers;
  std::vector<std::unique_ptr<CheckedRun>> checks;
};

class Sweep {
 public:
  /// stride: every so many counts.
  Sweep(Path path, size_t stride)
      : stride_(stride),
        job_(settings_of(path)),
        tiny_(world().slot_chooser(path, {}), {2, size_t{64}}),
        small_(world().slot_chooser(path, {}), {3, size_t{1024}}) {}

  void run() {
    for (const Named& named : every_algorithm()) {
      run(named);
      if (testing::Test::HasFailure()) return;
    }
  }
  const std::set<std::string>& protocols() const { return protocols_; }
  size_t tried() const { return tried_; }

 private:
  Preparer& preparer(size_t count) {
    return count < kLargeTiles ? tiny_ : count == kLargeTiles ? small_ : job_.preparer;
  }

  void run(const Named& named) {
    std::vector<std::unique_ptr<Trial>> trials;
    std::vector<Execution> executions;
    for (const size_t count : kCounts) {
      for (const bool in_place : {false, true}) {
        if (number_++ % stride_ != 0) continue;
        add_trial(named, count, in_place, trials);
      }
    }
    for (const auto& trial : trials) {
      for (const auto& check : trial->checks) {
        executions.push_back(
            {trial->prepared.operation.get(), trial->buffers.set(0), world().size()});
        check->attach(executions.back());
      }
    }
    job_.crew().run(executions);
    for (const auto& trial : trials) {
      for (const auto& check : trial->checks) {
        const Verdict verdict = check->verdict();
        EXPECT_TRUE(verdict.ok()) << name(named.collective) << " " << named.algorithm << ", "
                                  << trial->shape.count << " " << name(trial->shape.dtype) << " "
                                  << name(trial->shape.op) << (trial->in_place ? ", in place" : "")
                                  << ", " << trial->prepared.protocol << ": " << describe(verdict);
      }
    }
    tried_ += trials.size();
  }

  void add_trial(const Named& named, size_t count, bool in_place,
                 std::vector<std::unique_ptr<Trial>>& trials) {
    const auto [dtype, op] = kTypes[number_ % std::size(kTypes)];
    Shape shape = shape_of(count, named.collective);
    if (blocked(named.collective)) shape.count *= static_cast<size_t>(shape.ranks);
    shape.root = static_cast<int>(number_) % shape.ranks;
    shape.dtype = dtype;
    if (reduces(named.collective)) shape.op = op;
    // Known to be wrong unless Open MPI is told otherwise.
    if (named.openmpi && !openmpi_cure(shape.dtype, shape.op).empty()) return;
    Preparer& from = preparer(count);
    if (from.unsupported(named.algorithm, shape, job_.runner())) return;
    Prepared prepared = from.prepare(named.algorithm, shape, in_place, job_.runner());
    protocols_.insert(prepared.protocol);
    trials.push_back(std::make_unique<Trial>(shape, in_place, std::move(prepared), job_, number_));
  }

  size_t stride_;
  Job job_;
  Preparer tiny_, small_;
  size_t number_ = 0;
  size_t tried_ = 0;
  std::set<std::string> protocols_;
};

TEST(RunnerSweep, SharedMemory) {
  Sweep sweep(Path::kAuto, 1);
  sweep.run();
  EXPECT_GT(sweep.tried(), 200u);
  EXPECT_TRUE(sweep.protocols().count("shm slots"));
  EXPECT_EQ(sweep.protocols().count("shm direct"), world().size() > 1 ? 1u : 0u);
  EXPECT_FALSE(sweep.protocols().count("messages"));
}

TEST(RunnerSweep, Messages) {
  if (world().size() == 1) GTEST_SKIP() << "nobody to send to";
  Sweep sweep(Path::kMessages, 1);
  sweep.run();
  EXPECT_GT(sweep.tried(), 200u);
  EXPECT_EQ(sweep.protocols(), (std::set<std::string>{"messages", "mpi"}));
}

TEST(RunnerSweep, SeveralRanksOnEachOfSeveralNodes) {
  const int ranks = world().size();
  if (ranks < 4) GTEST_SKIP() << "takes four";
  for (const auto& node_of :
       {contiguous(ranks, 2), round_robin(ranks, 2), contiguous(ranks, 3), round_robin(ranks, 3)}) {
    const PretendedNodes pretended(node_of);
    Sweep sweep(Path::kAuto, 3);
    sweep.run();
    EXPECT_GT(sweep.tried(), 60u);
    EXPECT_EQ(sweep.protocols(), (std::set<std::string>{"shm+messages", "mpi"}));
  }
}

}  // namespace
}  // namespace arb
