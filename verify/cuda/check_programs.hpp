// What GPUs need to know to compute every result of a message: programs and roles as flat tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/check.hpp"
#include "verify/cuda/tables.hpp"
#include "verify/program.hpp"

namespace arb {

/// The reduction of every chunk.
struct CheckPrograms {
  explicit CheckPrograms(const CheckSpec& spec);

  std::string refused;                             // why GPUs cannot run them; empty: they can
  std::vector<std::vector<Instruction>> programs;  // chunks often share one
  std::vector<size_t> program_of;                  // [chunk]
  std::vector<bool> divides;                       // [chunk]
};

/// For one launch: the ranks whose buffers it compares, at most kCheckedRanks.
struct CheckTables {
  CheckTables(const CheckPrograms& programs, const CheckSpec& spec,
              const std::vector<RankView>& views, std::span<const int> ranks);

  std::vector<int32_t> words;
  std::vector<ChunkProgram> programs;  // [chunk]
  std::vector<uint8_t> roles;          // [chunk * ranks + place]
  std::vector<uint64_t> compared;      // [chunk] comparisons of each element
};

}  // namespace arb
