#include "tests/cuda/models/protocols.hpp"

namespace arb::model {
namespace {

/// Never 0; distinct within 255 messages.
uint8_t flag_of(int message) { return static_cast<uint8_t>(message % 255 + 1); }
Word line(uint8_t flag, int data) { return static_cast<Word>(flag << 8 | data); }
Word payload(int message, int half) { return static_cast<Word>(1 + message * 2 + half); }

/// Two blocks of two threads with `words` of memory before the slots, each of which has a word for
/// each half of a message.
struct Ring {
  Protocol protocol;
  size_t words;
  int slots;

  Ring(size_t words_before, int slot_count) : words(words_before), slots(slot_count) {
    protocol.memory.assign(words + 2 * static_cast<size_t>(slots), 0);
    for (const char* name : {"sender", "sender's second"})
      protocol.threads.push_back({name, 0, {}});
    for (const char* name : {"receiver", "receiver's second"}) {
      protocol.threads.push_back({name, 1, {}});
    }
  }
  std::vector<Instruction>& sender(int half) {
    return protocol.threads[static_cast<size_t>(half)].program;
  }
  std::vector<Instruction>& receiver(int half) {
    return protocol.threads[static_cast<size_t>(2 + half)].program;
  }
  size_t at(int message, int half) const {
    return words + static_cast<size_t>(message % slots * 2 + half);
  }
  /// The first thread of a sender waits until the slot is free.
  void wait_for_credit(int message, int half, size_t head, const RingFaults& faults) {
    if (half != 0 || message < slots || faults.no_credit) return;
    sender(half).push_back(await(head, static_cast<Word>(message - slots + 1), Compare::kAtLeast));
  }
  /// The first thread of a receiver hands the slot back, when the other has read too.
  void give_credit(int message, int half, size_t head, const RingFaults& faults) {
    if (!faults.early_credit) receiver(half).push_back(barrier());
    if (half == 0) receiver(half).push_back(store(head, static_cast<Word>(message + 1)));
  }
};

}  // namespace

Protocol slot_ring(int slots, int messages, const RingFaults& faults) {
  constexpr size_t kTail = 0;
  constexpr size_t kHead = 1;
  Ring ring(2, slots);
  for (int m = 0; m < messages; ++m) {
    const auto count = static_cast<Word>(m + 1);
    for (int half = 0; half < 2; ++half) {
      auto& send = ring.sender(half);
      ring.wait_for_credit(m, half, kHead, faults);
      send.push_back(barrier());
      send.push_back(store(ring.at(m, half), payload(m, half)));
      if (!faults.no_barrier_before) send.push_back(barrier());
      if (half == 0) {
        send.push_back(faults.relaxed_publish ? store(kTail, count) : release(kTail, count));
      }
      auto& receive = ring.receiver(half);
      if (half == 0) receive.push_back(await(kTail, count, Compare::kAtLeast));
      receive.push_back(barrier());
      receive.push_back(expect(ring.at(m, half), payload(m, half)));
      ring.give_credit(m, half, kHead, faults);
    }
  }
  return ring.protocol;
}

Protocol line_ring(int slots, int messages, uint8_t first, const RingFaults& faults) {
  constexpr size_t kHead = 0;
  Ring ring(1, slots);
  for (int m = 0; m < messages; ++m) {
    for (int half = 0; half < 2; ++half) {
      const Word message = line(flag_of(first + m), payload(m, half));
      auto& send = ring.sender(half);
      ring.wait_for_credit(m, half, kHead, faults);
      send.push_back(barrier());
      send.push_back(store(ring.at(m, half), message));
      send.push_back(barrier());
      auto& receive = ring.receiver(half);
      receive.push_back(await_flag(ring.at(m, half), flag_of(first + m)));
      receive.push_back(expect(ring.at(m, half), message));
      ring.give_credit(m, half, kHead, faults);
    }
  }
  return ring.protocol;
}

Protocol line_epochs(int ranks, int epochs, uint8_t first, const EpochFaults& faults) {
  const auto inbox = [&](int owner, int half, int sender) {
    return static_cast<size_t>((owner * 2 + half) * ranks + sender);
  };
  Protocol all;
  all.memory.assign(static_cast<size_t>(2 * ranks * ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    Thread thread{"rank " + std::to_string(rank), rank, {}};
    for (int e = 0; e < epochs; ++e) {
      const int half = faults.one_half ? 0 : e % 2;
      const uint8_t flag = flag_of(first + (faults.same_epoch ? e / 3 : e));
      for (int other = 0; other < ranks; ++other) {
        if (other == rank) continue;
        thread.program.push_back(store(inbox(other, half, rank), line(flag, e * ranks + rank)));
      }
      for (int other = 0; other < ranks; ++other) {
        if (other == rank) continue;
        if (faults.no_wait_own && other == ranks - 1) continue;
        thread.program.push_back(await_flag(inbox(rank, half, other), flag));
        thread.program.push_back(expect(inbox(rank, half, other), line(flag, e * ranks + other)));
      }
    }
    all.threads.push_back(std::move(thread));
  }
  return all;
}

Protocol barrier_epochs(int ranks, int operations, uint8_t first, const BarrierFaults& faults) {
  // word of `sender` at `owner`; then the buffers: stripe s of rank r.
  const auto word = [&](int owner, int sender) {
    return static_cast<size_t>(owner * ranks + sender);
  };
  const auto buffer = [&](int rank, int stripe) {
    return static_cast<size_t>(ranks * ranks + rank * ranks + stripe);
  };
  const auto input = [&](int op, int rank, int stripe) {
    return static_cast<Word>(100 * (op + 1) + 10 * rank + stripe);
  };
  const auto result = [&](int op, int stripe) {
    return static_cast<Word>(10000 + 100 * op + stripe);
  };
  Protocol all;
  all.memory.assign(static_cast<size_t>(2 * ranks * ranks), first);
  for (int rank = 0; rank < ranks; ++rank) {
    Thread thread{"rank " + std::to_string(rank), rank, {}};
    auto& program = thread.program;
    uint8_t epoch = first;
    const auto meet = [&](bool leave_out) {
      if (!faults.same_epoch || epoch == first) ++epoch;
      if (leave_out) return;
      for (int other = 0; other < ranks; ++other) {
        if (other == rank) continue;
        program.push_back(faults.relaxed_arrival ? store(word(other, rank), epoch)
                                                 : release(word(other, rank), epoch));
      }
      for (int other = 0; other < ranks; ++other) {
        if (other != rank) program.push_back(await(word(rank, other), epoch, faults.compare));
      }
    };
    for (int op = 0; op < operations; ++op) {
      for (int s = 0; s < ranks; ++s) program.push_back(store(buffer(rank, s), input(op, rank, s)));
      meet(false);
      for (int r = 0; r < ranks; ++r)
        program.push_back(expect(buffer(r, rank), input(op, r, rank)));
      for (int r = 0; r < ranks; ++r) program.push_back(store(buffer(r, rank), result(op, rank)));
      meet(faults.no_exit);
      for (int s = 0; s < ranks; ++s) program.push_back(expect(buffer(rank, s), result(op, s)));
    }
    all.threads.push_back(std::move(thread));
  }
  return all;
}

}  // namespace arb::model
