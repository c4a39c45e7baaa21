// What the host tells the checking kernels, and what they answer: plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/schedule/tiling.hpp"
#include "verify/data.hpp"

namespace arb {

inline constexpr unsigned kCheckThreads = 256;  // of a block, at most
inline constexpr int kCheckedRanks = 64;        // at most, of one launch
inline constexpr uint64_t kPiece = 4096;        // elements of a chunk that one block takes at once
inline constexpr int kProgramStack = 8;         // values: a balanced tree of 128 inputs

// A program is a list of words. Not negative: push the input of rank word & 0xffff; the word's
// upper half is 1 + the rank's place in CheckArgs::ranks, or 0 if it is not there. Negative:
inline constexpr int32_t kCombine = -1;         // a (op) b, b being on top
inline constexpr int32_t kCombineSwapped = -2;  // b (op) a

struct ChunkProgram {
  uint32_t first = 0;  // word
  uint32_t words = 0;
  bool divides = false;  // avg: the sum is whole
};

struct CheckedRank {
  const std::byte* input = nullptr;  // start of the whole message
  const std::byte* output = nullptr;
  int32_t rank = 0;
};

// What is compared of a chunk at a rank.
inline constexpr uint8_t kCheckOutput = 1;
inline constexpr uint8_t kCheckInput = 2;

/// Of one block. `first_key` and `first_item`: where the first wrong element is.
struct CheckFinding {
  uint64_t compared = 0;  // elements
  uint64_t wrong = 0;
  uint64_t first_key = ~uint64_t{0};  // rank << 48 | index
  uint64_t first_item = 0;
};

/// Items are pieces of chunks: item i is piece i % pieces of chunk i / pieces % chunks of tile
/// first_tile + i / pieces / chunks * stride. Block b takes items first_item + b, + blocks, ...
struct CheckArgs {
  const int32_t* words = nullptr;
  const ChunkProgram* programs = nullptr;  // [chunk]
  const uint8_t* roles = nullptr;          // [chunk * rank_count + place]
  CheckFinding* findings = nullptr;        // [block]
  TilingNumbers tiling;
  DataSpec data;
  uint64_t first_tile = 0;
  uint64_t stride = 1;
  uint64_t pieces = 1;  // of the largest chunk
  uint64_t first_item = 0;
  uint64_t item_end = 0;
  uint64_t blocks = 1;
  int32_t rank_count = 0;
  CheckedRank ranks[kCheckedRanks];
};

struct GenerateArgs {
  DataSpec data;
  int32_t rank = 0;
  uint64_t first = 0;
  uint64_t count = 0;
  std::byte* to = nullptr;
  uint64_t blocks = 1;
};

struct PoisonArgs {
  std::byte* at = nullptr;
  uint64_t bytes = 0;
  uint64_t blocks = 1;
};

}  // namespace arb
