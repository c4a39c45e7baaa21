// The forced algorithm is the one that runs: seen by the messages that each rank sends, counted by
// Open MPI's component pml/monitoring (started with pml_monitoring_enable 1).
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "tests/mpi/openmpi/harness.hpp"

namespace arb {
namespace {

struct Sent {
  long messages = 0;
  long bytes = 0;
};

/// What this rank has sent since MPI_Init.
class Monitor {
 public:
  Monitor() {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session_);
    messages_ = start("pml_monitoring_messages_count");
    bytes_ = start("pml_monitoring_messages_size");
  }
  ~Monitor() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
  }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  bool works() const {
    return messages_ != MPI_T_PVAR_HANDLE_NULL && bytes_ != MPI_T_PVAR_HANDLE_NULL;
  }
  Sent sent() const { return {total(messages_), total(bytes_)}; }

 private:
  MPI_T_pvar_handle start(const char* name) {
    int index = 0;
    int count = 0;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS ||
        MPI_T_pvar_handle_alloc(session_, index, &world, &handle, &count) != MPI_SUCCESS ||
        count != world_size() || MPI_T_pvar_start(session_, handle) != MPI_SUCCESS) {
      return MPI_T_PVAR_HANDLE_NULL;
    }
    return handle;
  }

  long total(MPI_T_pvar_handle handle) const {
    std::vector<unsigned long long> to(static_cast<size_t>(world_size()));
    EXPECT_EQ(MPI_T_pvar_read(session_, handle, to.data()), MPI_SUCCESS);
    return static_cast<long>(std::accumulate(to.begin(), to.end(), 0ull));
  }

  MPI_T_pvar_session session_ = nullptr;
  MPI_T_pvar_handle messages_ = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_handle bytes_ = MPI_T_PVAR_HANDLE_NULL;
};

Sent during(Monitor& monitor, Operation& operation, std::vector<std::byte>& message) {
  const int rank = world_rank();
  operation.begin(rank, {message.data(), message.data()});
  MPI_Barrier(MPI_COMM_WORLD);
  const Sent before = monitor.sent();
  operation.advance(rank);
  const Sent after = monitor.sent();
  return {after.messages - before.messages, after.bytes - before.bytes};
}

class OpenMpiMessages : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kForcingAllowed);
    ASSERT_TRUE(monitor_.works()) << "start with OMPI_MCA_pml_monitoring_enable=1";
  }

  Sent sent_by(const char* name, size_t count) {
    const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, name);
    const Shape shape{Collective::kAllReduce, world_size(), 0, count, Dtype::kInt32, Op::kSum};
    const auto operation = prepare_openmpi(row, shape, true, MPI_COMM_WORLD);
    std::vector<std::byte> message(shape.bytes());
    return during(monitor_, *operation, message);
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
  Monitor monitor_;
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

TEST_F(OpenMpiMessages, RingOfFewerElementsThanRanksWouldBeRecursiveDoubling) {
  // What openmpi_unsupported() refuses, seen from the library itself.
  const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, "openmpi:ring");
  const Communicator ring = duplicate_forced(row, MPI_COMM_WORLD);
  int value[64] = {};
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = monitor_.sent().messages;
  MPI_Allreduce(MPI_IN_PLACE, value, world_size() - 1, MPI_INT, MPI_SUM, ring.get());
  EXPECT_EQ(monitor_.sent().messages - before, !paired_ ? steps_ : odd_ ? steps_ + 1 : 1);
}

TEST_F(OpenMpiMessages, SegmentedRingReducesInPhases) {
  const long phase = ranks_ * 16384;  // ints in a segment of 64 KiB per rank
  for (const long phases : {1, 2, 3}) {
    const Sent sent = sent_by("openmpi:segmented-ring", static_cast<size_t>(phases * phase));
    EXPECT_EQ(sent.messages, (phases + 1) * (ranks_ - 1)) << phases << " phases";
    EXPECT_EQ(sent.bytes, 2 * (ranks_ - 1) * phases * 65536) << phases << " phases";
  }
}

TEST_F(OpenMpiMessages, ShortSegmentedRingWouldBeARing) {
  const OpenMpiAlgorithm& row = *find_openmpi(Collective::kAllReduce, "openmpi:segmented-ring");
  const Communicator ring = duplicate_forced(row, MPI_COMM_WORLD);
  // With one element less than it takes, two phases turn into none: 2(n-1) messages, as with one.
  // So the segment is what shows the rule: a message of 2 phases less than a segment is cut.
  std::vector<int> value(static_cast<size_t>(ranks_) * 16384 * 2);
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = monitor_.sent().messages;
  MPI_Allreduce(MPI_IN_PLACE, value.data(), static_cast<int>(value.size()), MPI_INT, MPI_SUM,
                ring.get());
  EXPECT_EQ(monitor_.sent().messages - before, 3 * (ranks_ - 1));
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
  int value[64] = {};
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = monitor_.sent().messages;
  MPI_Allreduce(MPI_IN_PLACE, value, static_cast<int>(power_ - 1), MPI_INT, MPI_SUM, forced.get());
  EXPECT_EQ(monitor_.sent().messages - before, power_ == 1         ? 0
                                               : world_rank() == 0 ? ranks_ - 1
                                                                   : 1);
}

}  // namespace
}  // namespace arb
