// Ranks 0 and 1 of the job, each with its own view of the FIFOs between them; others look on.
#include "collectives/runners/mpi/pump.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/arena.hpp"

namespace arb {
namespace {

constexpr size_t kSlotBytes = 20000;  // more than an eager message

/// One process's view of a FIFO, as compiled operations have it.
struct View {
  View(int sender, int receiver, int channel, uint32_t slot_count)
      : slots(std::make_unique<Slot[]>(slot_count)),
        memory(slot_count * kSlotBytes),
        lengths(slot_count) {
    fifo.slots = slots.get();
    fifo.credit = &credit;
    fifo.memory = memory.data();
    fifo.lengths = lengths.data();
    fifo.slot_count = slot_count;
    fifo.slot_bytes = kSlotBytes;
    fifo.sender = sender;
    fifo.receiver = receiver;
    fifo.channel = channel;
    end.fifo = &fifo;
  }

  std::unique_ptr<Slot[]> slots;
  std::vector<std::byte> memory;
  std::vector<size_t> lengths;
  FifoCredit credit;
  Fifo fifo;
  FifoEnd end;
};

size_t length_of(int message) {
  constexpr size_t kLengths[] = {0,    1, Slot::kInlineBytes, Slot::kInlineBytes + 1, kSlotBytes,
                                 5000, 7};
  return kLengths[static_cast<size_t>(message) % std::size(kLengths)];
}

std::vector<std::byte> content_of(int message, int salt) {
  std::vector<std::byte> content(length_of(message));
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<std::byte>(static_cast<size_t>(message * 31 + salt * 7 + 1) + i / 3);
  }
  return content;
}

class PumpOfTwo : public testing::Test {
 protected:
  void SetUp() override {
    if (all.size() < 2) GTEST_SKIP() << "takes two";
    rank = all.rank();
  }
  void TearDown() override { check_mpi(MPI_Barrier(all.get()), "MPI_Barrier"); }

  bool plays() const { return rank < 2; }
  void barrier() const {
    if (plays()) check_mpi(MPI_Barrier(two.get()), "MPI_Barrier");
  }

  template <typename Done>
  void pump_until(MessagePump& pump, const Done& done) {
    while (!done()) {
      pump.progress();
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("hangs");
    }
  }
  /// direct: from the caller's memory, which stays as it is until the FIFO is drained.
  void send(MessagePump& pump, View& view, const std::vector<std::byte>& content, bool direct) {
    pump_until(pump, [&] { return view.end.free(); });
    const std::byte* from = content.data();
    if (!direct) {
      std::byte* const payload = view.end.payload(content.size());
      std::copy(content.begin(), content.end(), payload);
      from = payload;
    }
    view.end.publish(from, content.size());
  }
  void expect(MessagePump& pump, View& view, const std::vector<std::byte>& content) {
    pump_until(pump, [&] { return view.end.full(); });
    ASSERT_TRUE(std::equal(content.begin(), content.end(), view.end.slot().data))
        << "message " << view.end.count << " of channel " << view.fifo.channel;
    view.end.release();
  }

  static Communicator first_two() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &part), "MPI_Comm_split");
    return Communicator(part);
  }

  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(120);
  Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  Communicator two = first_two();
  int rank = 0;
};

TEST_F(PumpOfTwo, KeepsOrderAndContentOfEveryMessageWithAnyNumberOfSlots) {
  for (const uint32_t slots : {1u, 2u, 4u}) {
    if (!plays()) break;
    barrier();  // the last pump is gone on both sides
    std::vector<std::vector<std::byte>> messages;
    for (int m = 0; m < 1000; ++m) messages.push_back(content_of(m, 1));
    View view(0, 1, 0, slots);
    MessagePump pump(two, rank, 5, {&view.fifo});
    for (size_t m = 0; m < messages.size(); ++m) {
      if (rank == 0) {
        send(pump, view, messages[m], m % 3 == 0);
      } else {
        ASSERT_NO_FATAL_FAILURE(expect(pump, view, messages[m]));
      }
    }
    if (rank == 0) pump_until(pump, [&] { return view.end.drained(); });
    barrier();
  }
}

TEST_F(PumpOfTwo, ChannelsAndDirectionsDoNotMix) {
  if (!plays()) return;
  const int peer = 1 - rank;
  std::vector<std::unique_ptr<View>> out, in;
  std::vector<Fifo*> fifos;
  for (const int channel : {0, 1, 2}) {
    // The order of the FIFOs differs on both sides.
    out.push_back(std::make_unique<View>(rank, peer, channel, 2));
    fifos.push_back(&out.back()->fifo);
    in.push_back(std::make_unique<View>(peer, rank, channel, 2));
    fifos.push_back(&in.back()->fifo);
  }
  MessagePump pump(two, rank, 0, fifos);
  for (int m = 0; m < 100; ++m) {
    for (const size_t channel : {2u, 0u, 1u}) {
      const int salt = static_cast<int>(channel) * 10;
      send(pump, *out[channel], content_of(m, salt + rank), false);
    }
    for (const size_t channel : {0u, 1u, 2u}) {
      const int salt = static_cast<int>(channel) * 10;
      ASSERT_NO_FATAL_FAILURE(expect(pump, *in[channel], content_of(m, salt + peer)));
    }
  }
  for (const auto& view : out) pump_until(pump, [&] { return view->end.drained(); });
  barrier();
}

TEST_F(PumpOfTwo, PumpsWithOtherTagsDoNotMix) {
  if (!plays()) return;
  View a(0, 1, 0, 4), b(0, 1, 0, 4);
  MessagePump pump_a(two, rank, 10, {&a.fifo});
  MessagePump pump_b(two, rank, 11, {&b.fifo});
  for (int m = 0; m < 50; ++m) {
    if (rank == 0) {
      send(pump_b, b, content_of(m, 2), false);
      pump_b.start();
      send(pump_a, a, content_of(m, 1), false);
      pump_a.start();
    } else {
      ASSERT_NO_FATAL_FAILURE(expect(pump_a, a, content_of(m, 1)));
      ASSERT_NO_FATAL_FAILURE(expect(pump_b, b, content_of(m, 2)));
    }
  }
  if (rank == 0) {
    pump_until(pump_a, [&] { return a.end.drained(); });
    pump_until(pump_b, [&] { return b.end.drained(); });
  }
  barrier();
}

// A long message waits for its receiver, the short one behind it has left at once: the slot of the
// long one is not free before it has left too, and slots are counted in order.
TEST_F(PumpOfTwo, SlotsBecomeFreeInOrderThoughSendsCompleteOutOfOrder) {
  if (!plays()) return;
  const Waiting waiting(0);
  Arena arena(two, waiting);  // rank 1 waits here without a call of MPI
  View view(0, 1, 0, 4);
  MessagePump pump(two, rank, 0, {&view.fifo});
  const std::vector<std::byte> longest(kSlotBytes, std::byte{1});
  const std::vector<std::byte> shortest(3, std::byte{2});
  if (rank == 0) {
    send(pump, view, longest, false);
    send(pump, view, shortest, false);
    for (int i = 0; i < 1000; ++i) pump.progress();
    EXPECT_EQ(view.credit.consumed.load(), 0u);
  }
  ASSERT_TRUE(arena.meet());
  if (rank == 0) {
    pump_until(pump, [&] { return view.end.drained(); });
  } else {
    ASSERT_NO_FATAL_FAILURE(expect(pump, view, longest));
    ASSERT_NO_FATAL_FAILURE(expect(pump, view, shortest));
  }
  barrier();
}

TEST_F(PumpOfTwo, ReceivesArePostedForFreeSlotsOnly) {
  if (!plays()) return;
  View view(0, 1, 0, 2);
  MessagePump pump(two, rank, 0, {&view.fifo});
  if (rank == 0) {
    for (int m = 4; m < 8; ++m) send(pump, view, content_of(m, 1), false);
    pump_until(pump, [&] { return view.end.drained(); });
  } else {
    pump_until(pump, [&] { return view.slots[1].published == 2; });
    const std::vector<std::byte> kept = view.memory;
    for (int i = 0; i < 1000; ++i) pump.progress();
    EXPECT_EQ(view.memory, kept) << "unread messages were overwritten";
    for (int m = 4; m < 8; ++m) ASSERT_NO_FATAL_FAILURE(expect(pump, view, content_of(m, 1)));
  }
  barrier();
}

TEST_F(PumpOfTwo, SendsNoMoreThanTheMessage) {
  if (!plays()) return;
  View view(0, 1, 0, 1);
  std::fill(view.memory.begin(), view.memory.end(), std::byte{0xEE});
  MessagePump pump(two, rank, 0, {&view.fifo});
  const std::vector<std::byte> content(100, std::byte{1});
  if (rank == 0) {
    send(pump, view, content, true);
    pump_until(pump, [&] { return view.end.drained(); });
  } else {
    ASSERT_NO_FATAL_FAILURE(expect(pump, view, content));
    EXPECT_EQ(view.memory[99], std::byte{1});
    EXPECT_EQ(view.memory[100], std::byte{0xEE});
  }
  barrier();
}

TEST_F(PumpOfTwo, LeavesNothingBehind) {
  if (!plays()) return;
  for (int round = 0; round < 20; ++round) {
    View view(round % 2, 1 - round % 2, 0, 4);
    {
      MessagePump pump(two, rank, 0, {&view.fifo});
      for (int m = 0; m < round % 6; ++m) {
        if (rank == view.fifo.sender) {
          send(pump, view, content_of(m, round), false);
        } else {
          ASSERT_NO_FATAL_FAILURE(expect(pump, view, content_of(m, round)));
        }
      }
      if (rank == view.fifo.sender) pump_until(pump, [&] { return view.end.drained(); });
      barrier();
    }
    barrier();
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, two.get(), &there, MPI_STATUS_IGNORE);
    EXPECT_EQ(there, 0);
    barrier();
  }
}

TEST_F(PumpOfTwo, SaysWhetherAnythingHappened) {
  if (!plays()) return;
  View view(0, 1, 0, 2);
  MessagePump pump(two, rank, 0, {&view.fifo});
  EXPECT_FALSE(pump.start()) << "receives were posted at once, and nothing is to be sent";
  if (rank == 0) {
    EXPECT_FALSE(pump.progress());
    view.end.publish(view.end.payload(8), 8);
    EXPECT_TRUE(pump.start());
    EXPECT_FALSE(pump.start());
    pump_until(pump, [&] { return view.end.drained(); });
  } else {
    while (!pump.progress()) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    EXPECT_TRUE(view.end.full());
    view.end.release();
    EXPECT_TRUE(pump.start()) << "the slot is free again: a receive is posted";
  }
  barrier();
}

TEST_F(PumpOfTwo, BlocksUntilAMessageHasArrived) {
  if (!plays()) return;
  View view(0, 1, 0, 2);
  MessagePump pump(two, rank, 0, {&view.fifo});
  if (rank == 0) {
    EXPECT_THROW(pump.block(), Error) << "nothing is on its way";
    const auto content = content_of(4, 1);
    send(pump, view, content, false);
    pump.start();
    while (!view.end.drained()) pump.block();
  } else {
    pump.block();
    EXPECT_TRUE(view.end.full());
    ASSERT_NO_FATAL_FAILURE(expect(pump, view, content_of(4, 1)));
  }
  barrier();
}

TEST(Pump, RefusesSlotsLargerThanAMessage) {
  const Communicator self = Communicator::duplicate(MPI_COMM_SELF);
  View view(0, 1, 0, 1);
  view.fifo.slot_bytes = size_t{INT_MAX} + 1;
  EXPECT_THROW(MessagePump(self, 0, 0, {&view.fifo}), Error);
}

TEST(Pump, WithoutFifosDoesNothing) {
  const Communicator self = Communicator::duplicate(MPI_COMM_SELF);
  MessagePump pump(self, 0, 0, {});
  EXPECT_FALSE(pump.progress());
}

}  // namespace
}  // namespace arb
