#include "tests/cuda/models/explorer.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <unordered_map>

namespace arb::model {
namespace {

struct Pending {
  uint8_t block = 0;
  uint8_t thread = 0;
  bool met = false;  // its thread has met the others of the block since
  uint8_t address = 0;
  Word value = 0;
};

struct State {
  std::vector<uint8_t> at;       // [thread] next instruction
  std::vector<Word> memory;      // [address]
  std::vector<Pending> pending;  // oldest first within a block and address
};

/// Pending stores to different words are a set: any order of them is the same state.
std::string encode(State state) {
  std::stable_sort(state.pending.begin(), state.pending.end(),
                   [](const Pending& a, const Pending& b) {
                     return a.block != b.block ? a.block < b.block : a.address < b.address;
                   });
  std::string text(state.at.begin(), state.at.end());
  const auto add = [&](Word word) {
    text += static_cast<char>(word & 0xff);
    text += static_cast<char>(word >> 8);
  };
  for (const Word word : state.memory) add(word);
  for (const Pending& p : state.pending) {
    text += static_cast<char>(p.block);
    text += static_cast<char>(p.thread * 2 + (p.met ? 1 : 0));
    text += static_cast<char>(p.address);
    add(p.value);
  }
  return text;
}

class Explorer {
 public:
  Explorer(const std::vector<Thread>& threads, size_t most_states)
      : threads_(threads), most_states_(most_states) {}

  Exploration run(const std::vector<Word>& memory) {
    State first;
    first.at.assign(threads_.size(), 0);
    first.memory = memory;
    enter(first, "", "start");
    while (!open_.empty() && result_.fault.empty()) {
      const State state = std::move(open_.front());
      open_.pop_front();
      expand(state);
    }
    result_.states = came_from_.size();
    return std::move(result_);
  }

 private:
  struct Origin {
    std::string state;
    std::string step;
  };

  bool done(const State& state, size_t t) const {
    return state.at[t] == threads_[t].program.size();
  }
  const Instruction& next(const State& state, size_t t) const {
    return threads_[t].program[state.at[t]];
  }

  void expand(const State& state) {
    const std::string key = encode(state);
    bool moved = false;
    for (size_t i = 0; i < state.pending.size(); ++i) moved |= drain(state, key, i);
    for (size_t t = 0; t < threads_.size(); ++t) {
      if (!done(state, t)) moved |= step(state, key, t);
    }
    if (moved || !result_.fault.empty()) return;
    for (size_t t = 0; t < threads_.size(); ++t) {
      if (done(state, t)) continue;
      result_.deadlock = true;
      fail(key, threads_[t].name + " waits for ever at its instruction " +
                    std::to_string(int{state.at[t]}));
      return;
    }
  }

  /// Lets pending store i reach memory, if none to the same word is ahead of it.
  bool drain(const State& state, const std::string& key, size_t i) {
    const Pending& p = state.pending[i];
    for (size_t k = 0; k < i; ++k) {
      if (state.pending[k].block == p.block && state.pending[k].address == p.address) return false;
    }
    State to = state;
    to.memory[p.address] = p.value;
    to.pending.erase(to.pending.begin() + static_cast<long>(i));
    enter(to, key, "a store of " + threads_[p.thread].name + " arrives");
    return true;
  }

  bool step(const State& state, const std::string& key, size_t t) {
    const Instruction& what = next(state, t);
    State to = state;
    ++to.at[t];
    switch (what.kind) {
      case Instruction::Kind::kStore:
        to.pending.push_back({static_cast<uint8_t>(threads_[t].block), static_cast<uint8_t>(t),
                              false, static_cast<uint8_t>(what.address), what.value});
        break;
      case Instruction::Kind::kRelease:
        for (const Pending& p : state.pending) {
          if (p.thread == t || (p.met && p.block == threads_[t].block)) return false;
        }
        to.memory[what.address] = what.value;
        break;
      case Instruction::Kind::kAwait:
        if (!satisfied(what, seen(state, t, what.address))) return false;
        break;
      case Instruction::Kind::kExpect: {
        const Word got = seen(state, t, what.address);
        if (got != what.value) {
          fail(key, threads_[t].name + " reads " + std::to_string(got) + " from word " +
                        std::to_string(what.address) + ", not " + std::to_string(what.value));
          return true;
        }
        break;
      }
      case Instruction::Kind::kBarrier:
        if (!meet(state, to, t)) return false;
        break;
    }
    enter(to, key, threads_[t].name + " does its instruction " + std::to_string(int{state.at[t]}));
    return true;
  }

  /// The threads of the block go on together, so only the first of them steps.
  bool meet(const State& state, State& to, size_t first) const {
    const int block = threads_[first].block;
    for (size_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t].block != block || done(state, t)) continue;
      if (t < first || next(state, t).kind != Instruction::Kind::kBarrier) return false;
      if (t > first) ++to.at[t];
    }
    for (Pending& p : to.pending) p.met |= p.block == block;
    return true;
  }

  static bool satisfied(const Instruction& what, Word seen) {
    const auto value = static_cast<Word>(seen & what.mask);
    switch (what.compare) {
      case Compare::kEqual:
        return value == what.value;
      case Compare::kAtLeast:
        return value >= what.value;
      case Compare::kReached:
        return static_cast<int8_t>(static_cast<uint8_t>(value - what.value)) >= 0;
    }
    return false;
  }

  /// What a thread reads: the newest store of its own block, or memory.
  Word seen(const State& state, size_t t, size_t address) const {
    for (auto p = state.pending.rbegin(); p != state.pending.rend(); ++p) {
      if (p->block == threads_[t].block && p->address == address) return p->value;
    }
    return state.memory[address];
  }

  void enter(const State& state, const std::string& from, const std::string& how) {
    if (!came_from_.try_emplace(encode(state), Origin{from, how}).second) return;
    if (came_from_.size() > most_states_) throw std::runtime_error("too many states");
    open_.push_back(state);
  }

  void fail(const std::string& at, const std::string& what) {
    if (!result_.fault.empty()) return;
    std::vector<std::string> way;
    for (std::string key = at; !key.empty(); key = came_from_.at(key).state) {
      way.push_back(came_from_.at(key).step);
    }
    for (auto step = way.rbegin(); step != way.rend(); ++step) result_.fault += *step + "\n";
    result_.fault += what;
  }

  const std::vector<Thread>& threads_;
  size_t most_states_;
  Exploration result_;
  std::deque<State> open_;
  std::unordered_map<std::string, Origin> came_from_;
};

Instruction plain(Instruction::Kind kind, size_t address, Word value) {
  Instruction what;
  what.kind = kind;
  what.address = address;
  what.value = value;
  return what;
}

}  // namespace

Instruction store(size_t address, Word value) {
  return plain(Instruction::Kind::kStore, address, value);
}
Instruction release(size_t address, Word value) {
  return plain(Instruction::Kind::kRelease, address, value);
}
Instruction await(size_t address, Word value, Compare compare) {
  Instruction what = plain(Instruction::Kind::kAwait, address, value);
  what.compare = compare;
  return what;
}
Instruction await_flag(size_t address, uint8_t flag) {
  Instruction what = plain(Instruction::Kind::kAwait, address, static_cast<Word>(flag << 8));
  what.mask = 0xff00;
  return what;
}
Instruction expect(size_t address, Word value) {
  return plain(Instruction::Kind::kExpect, address, value);
}
Instruction barrier() { return plain(Instruction::Kind::kBarrier, 0, 0); }

Exploration explore(const std::vector<Thread>& threads, const std::vector<Word>& memory,
                    size_t most_states) {
  return Explorer(threads, most_states).run(memory);
}

}  // namespace arb::model
