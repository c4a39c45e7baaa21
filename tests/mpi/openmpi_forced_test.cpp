// The forced algorithm is the one that runs: seen by the reductions asked of an operator of ours.
#include <gtest/gtest.h>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/openmpi_trial.hpp"
#include "tests/mpi/openmpi/harness.hpp"

namespace arb {
namespace {

std::vector<OpenMpiAlgorithm> forced_rows() {
  std::vector<OpenMpiAlgorithm> rows;
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    if (row.forced != 0) rows.push_back(row);
  }
  return rows;
}

TEST(OpenMpiForced, IsAvailableOnceAllowedBeforeInit) {
  ASSERT_TRUE(kForcingAllowed);
  EXPECT_EQ(openmpi_forcing_unavailable(), std::nullopt);
}

TEST(OpenMpiForced, EachAlgorithmShowsItsOwnPatternOfReductions) {
  for (const OpenMpiAlgorithm& row : forced_rows()) {
    const Communicator forced = duplicate_forced(row, MPI_COMM_WORLD);  // throws if it does not
    // Once more, with what the trial saw spelled out.
    if (row.name == "openmpi:nonoverlapping") continue;
    const OpCalls seen = observe_allreduce(forced.get(), trial_count(row.forced, world_size()));
    const OpCalls wanted = expected_calls(row.forced, world_size(), world_rank());
    EXPECT_EQ(seen.calls, wanted.calls) << row.name;
    EXPECT_EQ(seen.elements, wanted.elements) << row.name;
  }
}

TEST(OpenMpiForced, AnotherAlgorithmFailsTheTrial) {
  if (world_size() < 4) GTEST_SKIP() << "with fewer than 4 ranks several patterns are the same";
  const auto comm_of = [](const char* name) {
    return duplicate_forced(*find_openmpi(Collective::kAllReduce, name), MPI_COMM_WORLD);
  };
  const Communicator ring = comm_of("openmpi:ring");
  const Communicator doubling = comm_of("openmpi:recursive-doubling");
  EXPECT_TRUE(runs_as(4, ring.get()));
  EXPECT_FALSE(runs_as(3, ring.get()));
  EXPECT_FALSE(runs_as(6, ring.get()));
  EXPECT_TRUE(runs_as(3, doubling.get()));
  EXPECT_FALSE(runs_as(1, doubling.get()));
  EXPECT_FALSE(runs_as(2, doubling.get()));
  EXPECT_FALSE(runs_as(4, doubling.get()));
}

TEST(OpenMpiForced, CommunicatorsMadeLaterAreNotForced) {
  const Communicator before = Communicator::duplicate(MPI_COMM_WORLD);
  for (const OpenMpiAlgorithm& row : forced_rows()) {
    const Communicator forced = duplicate_forced(row, MPI_COMM_WORLD);
    const Communicator after = Communicator::duplicate(MPI_COMM_WORLD);
    for (const int count : {1, 100}) {
      EXPECT_EQ(observe_allreduce(after.get(), count), observe_allreduce(before.get(), count))
          << row.name;
    }
  }
}

TEST(OpenMpiForced, ManyCommunicatorsKeepTheirAlgorithms) {
  std::vector<Communicator> comms;
  for (int round = 0; round < 5; ++round) {
    for (const OpenMpiAlgorithm& row : forced_rows()) {
      comms.push_back(duplicate_forced(row, MPI_COMM_WORLD));
    }
  }
  const std::vector<OpenMpiAlgorithm> rows = forced_rows();
  for (size_t i = 0; i < comms.size(); ++i) {
    EXPECT_TRUE(runs_as(rows[i % rows.size()].forced, comms[i].get())) << i;
  }
}

TEST(OpenMpiForced, ANumberThatCollTunedDoesNotKnowIsRefusedOnAllRanks) {
  OpenMpiAlgorithm wrong = *find_openmpi(Collective::kAllReduce, "openmpi:ring");
  wrong.forced = 99;
  try {
    duplicate_forced(wrong, MPI_COMM_WORLD);
    ADD_FAILURE() << "99 was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("refuses the number 99"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(openmpi_forcing_unavailable(), std::nullopt);
}

TEST(OpenMpiForced, RefusesShapesThatItDoesNotSupport) {
  const OpenMpiAlgorithm& ring = *find_openmpi(Collective::kAllReduce, "openmpi:ring");
  Shape shape{Collective::kAllReduce, world_size(), 0, 1, Dtype::kFloat32, Op::kSum};
  EXPECT_THROW(prepare_openmpi(ring, shape, false, MPI_COMM_WORLD), Error);
  shape.count = 1000;
  ++shape.ranks;
  EXPECT_THROW(prepare_openmpi(ring, shape, false, MPI_COMM_WORLD), Error);
}

TEST(OpenMpiForced, SaysWhereItStandsAndDrivesOnlyItsOwnRank) {
  const OpenMpiAlgorithm& ring = *find_openmpi(Collective::kAllReduce, "openmpi:ring");
  const Shape shape{Collective::kAllReduce, world_size(), 0, 1000, Dtype::kInt32, Op::kSum};
  const auto operation = prepare_openmpi(ring, shape, true, MPI_COMM_WORLD);
  const int rank = world_rank();
  std::vector<std::byte> message(shape.bytes());
  EXPECT_EQ(operation->where(rank), "has not begun");
  operation->begin(rank, {message.data(), message.data()});
  EXPECT_EQ(operation->where(rank), "before MPI_Allreduce (openmpi:ring)");
  EXPECT_EQ(operation->waits_for(rank), kNone);
  EXPECT_EQ(operation->advance(rank), Advance::kDone);
  EXPECT_EQ(operation->where(rank), "done");
  EXPECT_EQ(operation->order(), nullptr);
  EXPECT_THROW(operation->begin(rank + 1, {}), Error);
}

}  // namespace
}  // namespace arb
