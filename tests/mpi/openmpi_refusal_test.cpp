// Started with settings under which nothing can be forced: each must be named, on all ranks, and
// the library's own choice must still run. ARB_WANTED_REASON: words of the reason.
#include <gtest/gtest.h>

#include <cstdlib>

#include "collectives/error.hpp"
#include "tests/mpi/openmpi/harness.hpp"

namespace arb {
namespace {

TEST(OpenMpiRefusal, NamesTheReason) {
  ASSERT_TRUE(kForcingAllowed);
  const char* wanted = std::getenv("ARB_WANTED_REASON");
  ASSERT_NE(wanted, nullptr);
  const Shape shape{Collective::kAllReduce, world_size(), 0, 1000, Dtype::kInt32, Op::kSum};
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    if (row.forced == 0 || openmpi_unsupported(row, shape)) continue;
    try {
      prepare_openmpi(row, shape, false, MPI_COMM_WORLD);
      ADD_FAILURE() << row.name << " was forced";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(row.name), std::string::npos) << error.what();
    }
  }
}

TEST(OpenMpiRefusal, TheChoiceOfTheLibraryStillRuns) {
  const Shape shape{Collective::kAllReduce, world_size(), 0, 1000, Dtype::kInt32, Op::kSum};
  const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, "openmpi:default");
  const auto operation = prepare_openmpi(row, shape, false, MPI_COMM_WORLD);
  EXPECT_TRUE(run_checked(*operation, shape, false).ok());
}

}  // namespace
}  // namespace arb
