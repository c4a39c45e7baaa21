// Operations that follow each other on the streams without the host between them, each on inputs
// that its stream wrote just before: a rank that is ahead must neither read what another has not
// written yet, nor overwrite what another still reads.
#include <cstring>

#include "collectives/runners/cuda/runner.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

constexpr int kOperations = 8;

/// All inputs and results of a row of operations, in host memory that streams copy from and to.
class Row {
 public:
  Row(int ranks, size_t count)
      : ranks_(ranks), count_(count), inputs_(bytes(), "inputs"), outputs_(bytes(), "outputs") {
    for (int i = 0; i < kOperations; ++i) {
      for (int rank = 0; rank < ranks; ++rank) generate(data(i), rank, 0, count, input(i, rank));
    }
    std::memset(outputs_.host(), 0xa5, bytes());
  }

  std::byte* input(int operation, int rank) { return inputs_.host() + offset(operation, rank); }
  std::byte* output(int operation, int rank) { return outputs_.host() + offset(operation, rank); }

  /// Sums of int32 wrap, so any order gives them.
  bool right(int operation, int rank) {
    for (size_t k = 0; k < count_; ++k) {
      uint32_t sum = 0;
      for (int from = 0; from < ranks_; ++from) sum += word(input(operation, from), k);
      if (word(output(operation, rank), k) != sum) return false;
    }
    return true;
  }

 private:
  DataSpec data(int operation) const {
    return {DataKind::kRandom, Dtype::kInt32, Op::kSum, ranks_,
            100 + static_cast<uint64_t>(operation)};
  }
  static uint32_t word(const std::byte* from, size_t k) {
    uint32_t value = 0;
    std::memcpy(&value, from + k * sizeof value, sizeof value);
    return value;
  }
  size_t offset(int operation, int rank) const {
    return (static_cast<size_t>(operation) * static_cast<size_t>(ranks_) +
            static_cast<size_t>(rank)) *
           count_ * sizeof(int32_t);
  }
  size_t bytes() const { return offset(kOperations, 0); }

  int ranks_;
  size_t count_;
  PinnedMemory inputs_, outputs_;
};

/// The number of wrong results.
int run_row(const std::string& algorithm, bool lines, uint32_t first_epoch, uint64_t seed) {
  constexpr int kRanks = 3;
  const size_t count = seed % 3 == 0 ? 2 : 90;
  emulated::Settings machine;
  machine.seed = seed;
  machine.store_buffer = seed % 2 == 0;
  machine.stale_reads = seed % 2 == 0;
  emulated::configure(machine);
  GpuSettings settings;
  settings.gpus = kRanks;
  GpuWorld world(kRanks, settings, nullptr, {16, 0, first_epoch, 0});
  CudaRunner runner(world);
  Row row(kRanks, count);
  const size_t bytes = count * sizeof(int32_t);
  std::vector<std::shared_ptr<std::byte>> memory;
  std::vector<RankBuffers> table;
  for (int rank = 0; rank < kRanks; ++rank) {
    memory.push_back(runner.locality().memory_of(rank, 2 * 512));
    table.push_back({memory.back().get(), memory.back().get() + 512});
  }
  const Shape shape{Collective::kAllReduce, kRanks, 0, count, Dtype::kInt32, Op::kSum};
  Made made = make_operation(runner, algorithm, shape, false, small_slots(lines, 1, 64, 2));
  auto& operation = dynamic_cast<DeviceOperation&>(*made.operation);
  for (int i = 0; i < kOperations; ++i) {
    for (const LocalGpu& gpu : world.local) {
      const auto rank = static_cast<size_t>(gpu.first_rank);
      cudaSetDevice(gpu.device);
      cudaMemcpyAsync(table[rank].input, row.input(i, gpu.first_rank), bytes,
                      cudaMemcpyHostToDevice, gpu.stream);
    }
    operation.enqueue(world.local, table.data(), kNone);
    for (const LocalGpu& gpu : world.local) {
      const auto rank = static_cast<size_t>(gpu.first_rank);
      cudaSetDevice(gpu.device);
      cudaMemcpyAsync(row.output(i, gpu.first_rank), table[rank].output, bytes,
                      cudaMemcpyDeviceToHost, gpu.stream);
    }
  }
  for (const LocalGpu& gpu : world.local) {
    EXPECT_EQ(cudaStreamSynchronize(gpu.stream), cudaSuccess) << emulated::last_deadlock();
  }
  int wrong = 0;
  for (int i = 0; i < kOperations; ++i) {
    for (int rank = 0; rank < kRanks; ++rank) wrong += row.right(i, rank) ? 0 : 1;
  }
  return wrong;
}

TEST(Stream, InputsAreWrittenBetweenOperationsThatNobodyWaitsFor) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    for (const bool lines : {false, true}) {
      EXPECT_EQ(run_row("ring", lines, 0, seed), 0) << seed;
      EXPECT_EQ(run_row("tree", lines, 0, seed), 0) << seed;
      EXPECT_EQ(run_row("naive-root", lines, 0, seed), 0) << seed;
    }
    for (const uint32_t epoch : {0U, 0x7ffffffaU, 0xfffffffaU}) {
      EXPECT_EQ(run_row("one-shot", true, epoch, seed), 0) << seed << ", " << epoch;
      EXPECT_EQ(run_row("two-shot", false, epoch, seed), 0) << seed << ", " << epoch;
    }
    if (HasFailure()) FAIL() << "with seed " << seed;
  }
}

}  // namespace
}  // namespace arb
