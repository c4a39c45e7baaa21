// Compares outputs with what their reduction order makes of the inputs, and inputs with what they
// were; one element at a time, nothing is stored.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "verify/compare_bits.hpp"
#include "verify/cuda/device/elements.hpp"
#include "verify/cuda/tables.hpp"
#include "verify/element.hpp"

namespace arb {

/// Shifts instead of indexing, so that it lives in registers.
template <class T>
struct ProgramStack {
  T value[kProgramStack] = {};  // [0] is the top

  ARB_DEVICE void push(T top) {
    for (int i = kProgramStack - 1; i > 0; --i) value[i] = value[i - 1];
    value[0] = top;
  }
  ARB_DEVICE void combine(Op op, bool swapped) {
    const T a = swapped ? value[0] : value[1];
    const T b = swapped ? value[1] : value[0];
    value[0] = apply(op, a, b);
    for (int i = 1; i < kProgramStack - 1; ++i) value[i] = value[i + 1];
  }

 private:
  ARB_DEVICE static T apply(Op op, T a, T b) {
    switch (op) {
      case Op::kProd:
        return Prod::apply(a, b);
      case Op::kMin:
        return Min::apply(a, b);
      case Op::kMax:
        return Max::apply(a, b);
      default:  // an average is a sum, divided at the end
        return Sum::apply(a, b);
    }
  }
};

/// The result of a program; every input that it loads is shown to leaf(word, value) first.
template <class T, class Leaf>
ARB_DEVICE T evaluate(const int32_t* words, const ChunkProgram& program, const DataSpec& data,
                      uint64_t index, const Leaf& leaf) {
  ProgramStack<T> stack;
  for (uint32_t w = program.first; w < program.first + program.words; ++w) {
    const int32_t word = words[w];
    if (word < 0) {
      stack.combine(data.op, word == kCombineSwapped);
      continue;
    }
    const T value = make_element<T>(data, word & 0xffff, index);
    leaf.see(word, value);
    stack.push(value);
  }
  if constexpr (kIsFloat<T>) {
    if (program.divides) return divide(stack.value[0], data.ranks);
  }
  return stack.value[0];
}

/// What one thread found.
struct ThreadCheck {
  const CheckArgs& args;
  CheckFinding& finding;
  uint64_t item = 0;

  template <class T>
  ARB_DEVICE void compare(int32_t rank, uint64_t index, T got, T wanted) const {
    ++finding.compared;
    if (same(got, wanted)) return;
    ++finding.wrong;
    const uint64_t key = static_cast<uint64_t>(rank) << 48 | index;
    if (key >= finding.first_key) return;
    finding.first_key = key;
    finding.first_item = item;
  }
};

/// Compares inputs where they are, as they are generated for the result.
struct InputCheck {
  const ThreadCheck& check;
  const uint8_t* roles;
  uint64_t index;

  template <class T>
  ARB_DEVICE void see(int32_t word, T wanted) const {
    const int32_t place = (word >> 16) - 1;
    if (place < 0 || (roles[place] & kCheckInput) == 0) return;
    const CheckedRank& rank = check.args.ranks[place];
    check.compare(rank.rank, index, load_element<T>(rank.input, index), wanted);
  }
};

struct CheckBody {
  const CheckArgs& args;
  const Thread& thread;
  CheckFinding& finding;

  template <class T>
  ARB_DEVICE void run() const {
    for (uint64_t item = args.first_item + thread.block(); item < args.item_end;
         item += args.blocks) {
      run_item<T>(item);
    }
  }

 private:
  template <class T>
  ARB_DEVICE void run_item(uint64_t item) const {
    const auto chunks = static_cast<uint64_t>(args.tiling.chunks);
    const auto chunk = static_cast<int>(item / args.pieces % chunks);
    const uint64_t tile = args.first_tile + item / args.pieces / chunks * args.stride;
    const Range range = args.tiling.range(tile, chunk);
    const uint64_t begin = item % args.pieces * kPiece;
    if (begin >= range.size) return;
    const uint64_t left = range.size - begin;
    const uint64_t count = left < kPiece ? left : kPiece;
    const uint8_t* const roles = args.roles + static_cast<int64_t>(chunk) * args.rank_count;
    const ChunkProgram program = args.programs[chunk];
    const ThreadCheck check{args, finding, item};
    for (uint64_t i = thread.index(); i < count; i += thread.count()) {
      const uint64_t index = range.begin + begin + i;
      const T wanted =
          evaluate<T>(args.words, program, args.data, index, InputCheck{check, roles, index});
      for (int32_t place = 0; place < args.rank_count; ++place) {
        if ((roles[place] & kCheckOutput) == 0) continue;
        const CheckedRank& rank = args.ranks[place];
        check.compare(rank.rank, index, load_element<T>(rank.output, index), wanted);
      }
    }
  }
};

struct BlockFindings {
  CheckFinding of[kCheckThreads];
};

ARB_DEVICE void check_elements(const CheckArgs& args, const Thread& thread) {
  CheckFinding own;
  with_type(args.data.dtype, CheckBody{args, thread, own});
  auto& block = block_shared<BlockFindings>();
  block.of[thread.index()] = own;
  thread.sync();
  if (thread.index() != 0) return;
  for (uint32_t i = 1; i < thread.count(); ++i) {
    const CheckFinding& other = block.of[i];
    own.compared += other.compared;
    own.wrong += other.wrong;
    if (other.first_key < own.first_key) {
      own.first_key = other.first_key;
      own.first_item = other.first_item;
    }
  }
  args.findings[thread.block()] = own;
}

}  // namespace arb
