// The forced algorithm is the one that runs: seen by the messages that each rank sends. Open MPI's
// component pml/monitoring (pml_monitoring_enable 1) reports every message of the process, those
// inside collectives too, to the function below, whose place we take: its own counters cannot be
// read through MPI_T in 4.1.4.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>

#include "tests/mpi/openmpi/harness.hpp"

namespace {

struct Sent {
  long messages = 0;
  long bytes = 0;
} sent;

}  // namespace

extern "C" __attribute__((visibility("default"))) void mca_common_monitoring_record_pml(
    int /*to*/, size_t bytes, int /*tag*/) {
  ++sent.messages;
  sent.bytes += static_cast<long>(bytes);
}

namespace arb {
namespace {

/// Skips or fails unless messages are reported; the same on all ranks.
bool reported() {
  sent = {};
  MPI_Barrier(MPI_COMM_WORLD);
  return sent.messages > 0;
}

bool is_version_4_1() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string(text).find("Open MPI v4.1") != std::string::npos;
}

/// Runs one MPI_Allreduce; what this rank sends meanwhile.
Sent during(Operation& operation, std::vector<std::byte>& message) {
  operation.begin(world_rank(), {message.data(), message.data()});
  MPI_Barrier(MPI_COMM_WORLD);
  sent = {};
  operation.advance(world_rank());
  return sent;
}

Sent during_allreduce(MPI_Comm comm, int count) {
  std::vector<int> value(static_cast<size_t>(count));
  MPI_Barrier(MPI_COMM_WORLD);
  sent = {};
  MPI_Allreduce(MPI_IN_PLACE, value.data(), count, MPI_INT, MPI_SUM, comm);
  return sent;
}

class OpenMpiMessages : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kForcingAllowed);
    if (reported()) return;
    if (!is_version_4_1()) GTEST_SKIP() << "this MPI does not report its messages";
    FAIL() << "no message was reported: start with OMPI_MCA_pml_monitoring_enable=1";
  }

  Sent sent_by(const char* name, size_t count) {
    const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, name);
    const Shape shape{Collective::kAllReduce, world_size(), 0, count, Dtype::kInt32, Op::kSum};
    const auto operation = prepare_openmpi(row, shape, true, MPI_COMM_WORLD);
    std::vector<std::byte> message(shape.bytes());
    return during(*operation, message);
  }

  static long total(long own) {
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return own;
  }

  const long ranks_ = world_size();
  const long power_ = static_cast<long>(std::bit_floor(static_cast<unsigned long>(ranks_)));
  const long steps_ = std::bit_width(static_cast<unsigned long>(ranks_)) - 1;
  const bool paired_ = world_rank() < 2 * (ranks_ - power_);
  const bool odd_ = world_rank() % 2 != 0;
};

TEST_F(OpenMpiMessages, BasicLinear) {
  const Sent sent = sent_by("openmpi:basic-linear", 1200);
  EXPECT_EQ(sent.messages, world_rank() == 0 ? ranks_ - 1 : 1);
  EXPECT_EQ(sent.bytes, sent.messages * 4800);
}

TEST_F(OpenMpiMessages, NonoverlappingIsATreeUpAndATreeDown) {
  const Sent sent = sent_by("openmpi:nonoverlapping", 1);
  EXPECT_EQ(total(sent.messages), 2 * (ranks_ - 1));
  EXPECT_EQ(total(sent.bytes), 2 * (ranks_ - 1) * 4);
}

TEST_F(OpenMpiMessages, RecursiveDoubling) {
  const Sent sent = sent_by("openmpi:recursive-doubling", 1200);
  EXPECT_EQ(sent.messages, !paired_ ? steps_ : odd_ ? steps_ + 1 : 1);
  EXPECT_EQ(sent.bytes, sent.messages * 4800);
}

TEST_F(OpenMpiMessages, Ring) {
  const Sent sent = sent_by("openmpi:ring", 1200);
  EXPECT_EQ(sent.messages, 2 * (ranks_ - 1));
  EXPECT_EQ(total(sent.bytes), 2 * (ranks_ - 1) * 4800);
}

// What openmpi_unsupported() refuses, seen from the library itself.
TEST_F(OpenMpiMessages, RingOfFewerElementsThanRanksWouldBeRecursiveDoubling) {
  const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, "openmpi:ring");
  const Communicator ring = duplicate_forced(row, MPI_COMM_WORLD);
  EXPECT_EQ(during_allreduce(ring.get(), world_size() - 1).messages, !paired_ ? steps_
                                                                     : odd_   ? steps_ + 1
                                                                              : 1);
  EXPECT_EQ(during_allreduce(ring.get(), world_size()).messages, 2 * (ranks_ - 1));
}

TEST_F(OpenMpiMessages, SegmentedRingReducesInPhases) {
  const long phase = ranks_ * 16384;  // ints in a segment of 64 KiB per rank
  for (const long phases : {1, 2, 3}) {
    const Sent sent = sent_by("openmpi:segmented-ring", static_cast<size_t>(phases * phase));
    EXPECT_EQ(sent.messages, (phases + 1) * (ranks_ - 1)) << phases << " phases";
    EXPECT_EQ(sent.bytes, 2 * (ranks_ - 1) * phases * 65536) << phases << " phases";
  }
}

TEST_F(OpenMpiMessages, Rabenseifner) {
  const Sent sent = sent_by("openmpi:rabenseifner", 1024);
  EXPECT_EQ(sent.messages, !paired_ ? 2 * steps_ : odd_ ? 2 : 2 * steps_ + 2);
  const long halved = 2 * 4096 * (power_ - 1) / power_;
  EXPECT_EQ(sent.bytes, !paired_ ? halved : odd_ ? 4096 : halved + 2048 + 4096);
}

TEST_F(OpenMpiMessages, RabenseifnerOfTooFewElementsWouldBeLinear) {
  const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, "openmpi:rabenseifner");
  const Communicator forced = duplicate_forced(row, MPI_COMM_WORLD);
  const long linear = world_rank() == 0 ? ranks_ - 1 : 1;
  const auto too_few = static_cast<int>(power_ - 1);
  EXPECT_EQ(during_allreduce(forced.get(), too_few).messages, linear);
  EXPECT_EQ(during_allreduce(forced.get(), too_few + 1).messages, !paired_ ? 2 * steps_
                                                                  : odd_   ? 2
                                                                           : 2 * steps_ + 2);
}

}  // namespace
}  // namespace arb
