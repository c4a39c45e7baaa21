// The same for lines: 8 bytes of payload, each 4 with the flag of the message. A thread waits for
// its own lines only, and hands each on as soon as it is there.
//
// A message has at least one line, so that also an empty one can be waited for.
#pragma once

#include "collectives/runners/cuda/device/thread.hpp"
#include "collectives/runners/cuda/device/wait.hpp"
#include "collectives/runners/cuda/device/words.hpp"

namespace arb {

inline constexpr int kLinesInFlight = 3;  // with 4, two blocks a multiprocessor spill on sm_100

/// The flag of message number m of a FIFO: never 0, the content of fresh memory, and never what the
/// line held before. A line was last written at most (messages of an operation) * (slots) messages
/// ago, for a FIFO belongs to one operation, whose messages repeat in number and length; so the
/// flag there is another one as long as that product is below 2^32 - 1.
ARB_HD inline uint32_t line_flag(uint64_t message) {
  return static_cast<uint32_t>(message % 0xffffffffU) + 1;
}

ARB_HD inline uint64_t lines_of(uint64_t bytes) {
  const uint64_t lines = (bytes + kLineData - 1) / kLineData;
  return lines == 0 ? 1 : lines;
}

/// Whatever is null does not take part; there is a source and a destination.
struct LineMove {
  const Line* received;
  const std::byte* local;
  std::byte* store;
  Line* slot;
  uint64_t bytes;
  uint32_t received_flag;
  uint32_t slot_flag;
  int ranks;  // not 0: the result is divided by it
};

ARB_DEVICE Line make_line(const Vector8& data, uint32_t flag) {
  return {data.word[0], flag, data.word[1], flag};
}
ARB_DEVICE Vector8 data_of(const Line& line) { return {{line.data0, line.data1}}; }
ARB_DEVICE bool has_flag(const Line& line, uint32_t flag) {
  return line.flag0 == flag && line.flag1 == flag;
}

/// Polls until the line has its flag. False: gave up.
ARB_DEVICE bool wait_for_line(const Line* from, uint32_t flag, Line& line,
                              const DeviceControl& control, const uint32_t* mark) {
  DevicePatience patience(control);
  while (!has_flag(line, flag)) {
    if (!patience.lasts(mark)) return false;
    line = load_line(from);
  }
  return true;
}

/// Bytes of payload in line i of a message of `bytes`.
ARB_DEVICE uint32_t line_payload(uint64_t i, uint64_t bytes) {
  const uint64_t left = bytes - i * kLineData;  // an empty message: 0
  return left < kLineData ? static_cast<uint32_t>(left) : static_cast<uint32_t>(kLineData);
}

/// `bytes` <= 8 of payload, aligned to an element only.
template <class RawElement>
ARB_DEVICE Vector8 load_payload(const std::byte* from, uint32_t bytes) {
  uint64_t value = 0;
  if (bytes == kLineData && reinterpret_cast<uintptr_t>(from) % kLineData == 0) {
    value = load(reinterpret_cast<const uint64_t*>(from));
  } else {
    ARB_UNROLL
    for (uint32_t k = 0; k < kLineData; k += sizeof(RawElement)) {
      if (k < bytes) {
        const RawElement element = load(reinterpret_cast<const RawElement*>(from + k));
        value |= static_cast<uint64_t>(element) << (8 * k);
      }
    }
  }
  return {{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}};
}

template <class RawElement>
ARB_DEVICE void store_payload(std::byte* to, uint32_t bytes, const Vector8& data) {
  const uint64_t value = data.word[0] | static_cast<uint64_t>(data.word[1]) << 32;
  if (bytes == kLineData && reinterpret_cast<uintptr_t>(to) % kLineData == 0) {
    store(reinterpret_cast<uint64_t*>(to), value);
    return;
  }
  ARB_UNROLL
  for (uint32_t k = 0; k < kLineData; k += sizeof(RawElement)) {
    if (k < bytes) {
      store(reinterpret_cast<RawElement*>(to + k), static_cast<RawElement>(value >> (8 * k)));
    }
  }
}

namespace detail {

/// Lines of this thread, several in flight. False: gave up, with lines left undone.
template <class RawElement, class Make>
ARB_DEVICE bool move_lines(const Thread& thread, const LineMove& move, const DeviceControl& control,
                           const uint32_t* mark, const Make& make) {
  const auto end = static_cast<uint32_t>(lines_of(move.bytes));  // of one message
  const uint32_t stride = thread.count();
  for (uint32_t i = thread.index(); i < end; i += kLinesInFlight * stride) {
    Vector8 own[kLinesInFlight] = {};
    Line line[kLinesInFlight] = {};
    ARB_UNROLL
    for (int k = 0; k < kLinesInFlight; ++k) {
      const uint32_t at = i + static_cast<uint32_t>(k) * stride;
      if (at < end) {
        if (move.local != nullptr) {
          own[k] =
              load_payload<RawElement>(move.local + at * kLineData, line_payload(at, move.bytes));
        }
        if (move.received != nullptr) line[k] = load_line(move.received + at);
      }
    }
    ARB_UNROLL
    for (int k = 0; k < kLinesInFlight; ++k) {
      const uint32_t at = i + static_cast<uint32_t>(k) * stride;
      if (at < end) {
        if (move.received != nullptr &&
            !wait_for_line(move.received + at, move.received_flag, line[k], control, mark)) {
          return false;
        }
        const Vector8 value = make(data_of(line[k]), own[k]);
        if (move.slot != nullptr) store_line(move.slot + at, make_line(value, move.slot_flag));
        if (move.store != nullptr) {
          store_payload<RawElement>(move.store + at * kLineData, line_payload(at, move.bytes),
                                    value);
        }
      }
    }
  }
  return true;
}

template <class T, class Operator>
struct CombineLines {
  int ranks;
  ARB_DEVICE Vector8 operator()(const Vector8& a, const Vector8& b) const {
    return combine<T, Operator>(a, b, ranks);
  }
};

struct TakeLine {
  bool received;
  ARB_DEVICE Vector8 operator()(const Vector8& a, const Vector8& b) const {
    return received ? a : b;
  }
};

struct LineReduction {
  const Thread& thread;
  const LineMove& move;
  const DeviceControl& control;
  const uint32_t* mark;
  bool& done;

  template <class T, class Operator>
  ARB_DEVICE void run() const {
    done = move_lines<Raw<T>>(thread, move, control, mark, CombineLines<T, Operator>{move.ranks});
  }
};

ARB_DEVICE bool copy_lines(const Thread& thread, const LineMove& move, Dtype dtype,
                           const DeviceControl& control, const uint32_t* mark) {
  const TakeLine take{move.received != nullptr};
  switch (element_bytes(dtype)) {
    case 1:
      return move_lines<uint8_t>(thread, move, control, mark, take);
    case 2:
      return move_lines<uint16_t>(thread, move, control, mark, take);
    case 4:
      return move_lines<uint32_t>(thread, move, control, mark, take);
    default:
      return move_lines<uint64_t>(thread, move, control, mark, take);
  }
}

}  // namespace detail

/// False: this thread gave up, and the block has to leave.
ARB_DEVICE bool move_lines(const Thread& thread, const LineMove& move, Dtype dtype, Op op,
                           const DeviceControl& control, const uint32_t* mark) {
  if (move.received == nullptr || move.local == nullptr) {
    return detail::copy_lines(thread, move, dtype, control, mark);
  }
  bool done = true;
  dispatch(dtype, op, detail::LineReduction{thread, move, control, mark, done});
  return done;
}

}  // namespace arb
