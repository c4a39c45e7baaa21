// Straight programs of a few threads over a small weak memory, explored in every order. Stores wait
// in a buffer of their block and reach memory in any order (those to one word in theirs); a release
// first lets everything out that is before it: what its own thread stored, and what other threads
// of the block had stored when they last met at the block's barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arb::model {

using Word = uint16_t;

enum class Compare {
  kEqual,
  kAtLeast,  // as plain numbers
  kReached,  // difference as signed 8 bits >= 0: right across the wrap of 8-bit counters
};

struct Instruction {
  enum class Kind {
    kStore,    // weak or relaxed: memory[address] := value, some time
    kRelease,  // memory[address] := value, after all that is before it
    kAwait,    // goes on when memory[address] & mask compares to value
    kExpect,   // reads memory[address]; anything but `value` is a fault
    kBarrier,  // of the block
  };
  Kind kind = Kind::kStore;
  size_t address = 0;
  Word value = 0;
  Word mask = 0xffff;
  Compare compare = Compare::kEqual;
};

Instruction store(size_t address, Word value);
Instruction release(size_t address, Word value);
Instruction await(size_t address, Word value, Compare compare);
/// Waits for a line whose upper byte is `flag`.
Instruction await_flag(size_t address, uint8_t flag);
Instruction expect(size_t address, Word value);
Instruction barrier();

struct Thread {
  std::string name;
  int block = 0;
  std::vector<Instruction> program;
};

struct Exploration {
  size_t states = 0;
  std::string fault;  // "": none; else what went wrong, and the way there
  bool deadlock = false;
};

/// Every state that the threads can reach from `memory`. Throws if there are more than
/// `most_states`.
Exploration explore(const std::vector<Thread>& threads, const std::vector<Word>& memory,
                    size_t most_states = 20'000'000);

}  // namespace arb::model
