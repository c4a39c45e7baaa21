// Every row of the table through the Operation interface, under the same checks as our algorithms.
#include <gtest/gtest.h>

#include <map>

#include "tests/mpi/openmpi/harness.hpp"

namespace arb {
namespace {

std::vector<Op> ops_of(Collective collective) {
  if (!reduces(collective)) return {Op::kSum};
  return {Op::kSum, Op::kProd, Op::kMin, Op::kMax};
}

/// True if the shape was run; a wrong result is a test failure.
bool run(const OpenMpiAlgorithm& row, const Shape& shape, bool in_place) {
  // Known to be wrong unless Open MPI is told otherwise: the saturation test has these.
  if (reduces(shape.collective) && !openmpi_cure(shape.dtype, shape.op).empty()) return false;
  if (openmpi_unsupported(row, shape)) return false;
  const auto operation = prepare_openmpi(row, shape, in_place, MPI_COMM_WORLD);
  const Verdict verdict = run_checked(*operation, shape, in_place);
  EXPECT_TRUE(verdict.ok()) << describe(row, shape, in_place) << ": " << verdict.wrong << " wrong, "
                            << verdict.check << ", index " << verdict.index << ", wanted "
                            << verdict.wanted << ", got " << verdict.got;
  return true;
}

size_t in_blocks(const OpenMpiAlgorithm& row, size_t count) {
  return blocked(row.collective) ? count * static_cast<size_t>(world_size()) : count;
}

TEST(OpenMpiCorrectness, EveryRowDtypeAndOp) {
  const int ranks = world_size();
  std::map<std::string, int> runs;
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    for (const Dtype dtype : kDtypes) {
      // Twice: one that all rows but segmented-ring run, and one that it runs.
      for (const size_t count : {size_t{1000}, 70000 * static_cast<size_t>(ranks) + 13}) {
        for (const Op op : ops_of(row.collective)) {
          const bool long_one = count > 1000;
          if (long_one && (row.name != "openmpi:segmented-ring" || op == Op::kMin)) continue;
          for (const bool in_place : {false, true}) {
            const Shape shape{row.collective, ranks, ranks - 1, in_blocks(row, count), dtype, op};
            if (run(row, shape, in_place)) ++runs[describe(row, {row.collective}, false)];
          }
        }
      }
    }
  }
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    const bool possible = row.forced == 0 || ranks > 1;
    EXPECT_EQ(runs[describe(row, {row.collective}, false)] > 0, possible) << row.name;
  }
}

TEST(OpenMpiCorrectness, AwkwardCountsAndRoots) {
  const int ranks = world_size();
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    const int roots = has_root(row.collective) ? ranks : 1;
    for (int root = 0; root < roots; ++root) {
      for (const size_t count : {0, 1, 2, 3, 4, 5, 7, 8, 31, 63, 64, 65, 255, 4099}) {
        for (const bool in_place : {false, true}) {
          const Shape shape{row.collective,        ranks,           root,
                            in_blocks(row, count), Dtype::kFloat32, Op::kSum};
          run(row, shape, in_place);
        }
      }
    }
  }
}

TEST(OpenMpiCorrectness, LongMessagesRunAgainAndAgain) {
  const int ranks = world_size();
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    for (const bool in_place : {false, true}) {
      const Shape shape{row.collective,         ranks,           0,
                        in_blocks(row, 300007), Dtype::kFloat32, Op::kSum};
      if (openmpi_unsupported(row, shape)) continue;
      const auto operation = prepare_openmpi(row, shape, in_place, MPI_COMM_WORLD);
      const Verdict verdict = run_checked(*operation, shape, in_place, 4);
      EXPECT_TRUE(verdict.ok()) << describe(row, shape, in_place);
    }
  }
}

TEST(OpenMpiCorrectness, TwoOperationsInterleaved) {
  const int ranks = world_size();
  const Shape shape{Collective::kAllReduce, ranks, 0, 1000, Dtype::kInt64, Op::kSum};
  std::vector<std::unique_ptr<Operation>> operations;
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    if (row.collective != shape.collective || openmpi_unsupported(row, shape)) continue;
    operations.push_back(prepare_openmpi(row, shape, false, MPI_COMM_WORLD));
  }
  for (int round = 0; round < 10; ++round) {
    for (const auto& operation : operations) {
      EXPECT_TRUE(run_checked(*operation, shape, false, 1).ok());
    }
  }
}

}  // namespace
}  // namespace arb
