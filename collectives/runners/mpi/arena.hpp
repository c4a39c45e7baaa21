// Memory that the processes of a node share, at the same address in each, so that pointers into it
// mean the same everywhere and the host runner's code works on it unchanged.
//
// It comes from MPI_Win_allocate_shared, which maps it wherever each process has room; the same
// pages are then mapped once more at an address that is free in all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/locality.hpp"
#include "collectives/runners/mpi/waiting.hpp"

namespace arb {

class Arena {
 public:
  /// Collective over the processes of `node`, which outlives the arena.
  Arena(const Communicator& node, const Waiting& waiting);
  /// Collective, unless the stack is being unwound: then the process is about to end.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed, page-aligned, the same address in all processes. Blocks that were given back are used
  /// again, large ones released before more is taken. Collective; the last owner's release is
  /// local, but must come at the same place among the allocations of every process. Throws
  /// Error{kEnvironment} naming the remedy.
  std::shared_ptr<std::byte> allocate(size_t bytes);

  /// Waits for all processes of the node, a fraction of a microsecond after the last has come.
  /// False: the time limit has passed.
  bool meet();

 private:
  struct Block {
    MPI_Win window = MPI_WIN_NULL;
    std::byte* data = nullptr;
    size_t bytes = 0;
    bool used = false;
  };

  Block* find(size_t bytes);
  void release_large();
  Block& grow(size_t bytes);
  static void release(Block& block);
  bool all_agree(bool mine) const;
  bool fits(size_t bytes) const;
  std::byte* common_address(size_t bytes);
  void map_again(Block& block, size_t bytes);

  MPI_Comm node_;
  const Waiting& waiting_;
  int processes_;
  bool first_;  // of the node
  std::vector<std::unique_ptr<Block>> blocks_;
  SpinBarrier* barrier_ = nullptr;
  std::string folder_;      // where windows are files; of the first process
  size_t room_ = SIZE_MAX;  // bytes that were free there at the beginning
  size_t taken_ = 0;        // since then; perhaps not touched yet, so that they still look free
};

}  // namespace arb
