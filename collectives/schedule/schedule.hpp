// An algorithm is data: a Schedule is what every rank does with the chunks of ONE tile.
// It is proved, run, predicted and replayed; it knows nothing of bytes, element types or time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace arb {

inline constexpr int kNone = -1;  // no rank, no event

enum class Buffer : unsigned char { kNowhere, kInput, kOutput, kScratch };

/// Chunks [first, first + count) of one of the rank's own buffers.
struct Slice {
  Buffer buffer = Buffer::kNowhere;
  int first = 0;
  int count = 0;

  explicit operator bool() const { return buffer != Buffer::kNowhere; }
  bool operator==(const Slice&) const = default;
};

inline Slice input(int first, int count = 1) { return {Buffer::kInput, first, count}; }
inline Slice output(int first, int count = 1) { return {Buffer::kOutput, first, count}; }
/// Scratch holds one tile and is reused by the next: one lane alone may touch a given chunk of it.
inline Slice scratch(int first, int count = 1) { return {Buffer::kScratch, first, count}; }

/// value := received; with `local`: value := received (op) local, or local alone;
/// with `store`: write it; with `send_to`: publish it. The step first waits for the event `after`
/// and at its end signals the event `marks` (events belong to one rank).
struct Step {
  int recv_from = kNone;
  int send_to = kNone;
  Slice local;
  Slice store;
  int after = kNone;
  int marks = kNone;

  bool reduces() const { return recv_from != kNone && local; }
  bool operator==(const Step&) const = default;
};

/// A straight program. The FIFO of a send is (rank, send_to, channel), that of a receive
/// (recv_from, rank, channel): each FIFO has exactly one sending and one receiving lane.
struct Lane {
  std::string name;
  int channel = 0;
  std::vector<Step> steps;
};

struct Schedule {
  int ranks = 0;
  int chunks = 1;                        // of one tile
  std::vector<std::vector<Lane>> lanes;  // [rank][lane]

  Schedule(int rank_count, int chunk_count)
      : ranks(rank_count), chunks(chunk_count), lanes(static_cast<size_t>(rank_count)) {}
};

/// The verb of a step as the field names it ("recv_reduce_send"), or "illegal".
std::string verb(const Step& step);

/// "rank 2, lane 0 (tree A up), step 3: recv_reduce_send(from 1, input[2], to 3)".
std::string describe(const Schedule& schedule, int rank, int lane, int step);

}  // namespace arb
