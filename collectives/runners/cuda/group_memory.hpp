// Memory on the GPUs of a group, as every process of it sees it: its own, and what others have
// shared with it through CUDA IPC; and pinned host memory that all of them on a node see.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/runners/cuda/group_map.hpp"

namespace arb {

struct GroupBlock {
  std::vector<std::byte*> on;        // [gpu]; null: nothing there, or out of reach
  std::byte* host = nullptr;         // pinned, of the node, as kernels see it
  std::byte* host_view = nullptr;    // the same, as the process sees it
  std::vector<std::string> refused;  // [gpu] why it could not be opened
  std::vector<std::shared_ptr<std::byte>> parts;
};

class GroupMemory {
 public:
  /// Both outlive it; peers: null for one process.
  GroupMemory(const GroupMap& map, Peers* peers) : map_(map), peers_(peers) {}
  /// Collective, unless the stack is being unwound.
  ~GroupMemory();
  GroupMemory(const GroupMemory&) = delete;
  GroupMemory& operator=(const GroupMemory&) = delete;

  enum class Strictness { kAll, kWhatCanBe };

  /// Zeroed. bytes: [gpu], the same in all processes, which call it together; the last owner's
  /// release is local, but must come at the same place among the allocations of every process.
  /// Memory of linked GPUs is opened; kWhatCanBe: of any GPU, and who refuses is noted. Throws
  /// Error{kEnvironment}, in all processes alike.
  std::shared_ptr<const GroupBlock> allocate(const std::vector<size_t>& bytes, size_t host_bytes,
                                             const char* purpose,
                                             Strictness strictness = Strictness::kAll);

 private:
  /// Memory that other processes may still have open: freed when all have met again.
  struct Books {
    bool pending = false;                        // a block was released since they last met
    std::vector<std::pair<int, void*>> retired;  // device, memory
  };

  void free_retired();
  std::shared_ptr<std::byte> own(int device, size_t bytes, const char* purpose);
  std::string own_parts(const std::vector<size_t>& bytes, const char* purpose, GroupBlock& block);
  void open_all(const std::vector<std::string>& said, const std::string& plan,
                const std::vector<size_t>& bytes, size_t host_bytes, GroupBlock& block,
                Strictness strictness);
  void open(int gpu, const std::string& handle, GroupBlock& block, Strictness strictness);
  int host_owner() const;
  std::string host_memory(size_t bytes, const char* purpose, GroupBlock& block);
  void map_host(const std::string& name, size_t bytes, bool create, GroupBlock& block);

  const GroupMap& map_;
  Peers* peers_;
  std::shared_ptr<Books> books_ = std::make_shared<Books>();
  int host_blocks_ = 0;
};

}  // namespace arb
