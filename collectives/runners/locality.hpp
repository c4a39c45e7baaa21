// Which ranks a process drives, and whose memory it sees. Host ranks are all of one process; ranks
// of an MPI job are one per process and share memory on their node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace arb {

struct Locality {
  std::vector<int> driven;  // by this process, ascending
  std::vector<int> near;    // whose memory this process sees, the driven ones among them, ascending

  /// Zeroed memory, page-aligned, that all near ranks see at the same address. All processes of the
  /// near ranks call it together with the same size. Throws Error{kEnvironment}.
  std::function<std::shared_ptr<std::byte>(size_t bytes)> allocate;

  /// Memory for the messages of one near rank, where that rank's data live (on its GPU), as this
  /// process sees it. Otherwise as allocate(); empty: there is no difference.
  std::function<std::shared_ptr<std::byte>(int rank, size_t bytes)> allocate_for;

  std::shared_ptr<std::byte> memory_of(int rank, size_t bytes) const {
    return allocate_for ? allocate_for(rank, bytes) : allocate(bytes);
  }
  bool drives(int rank) const { return std::binary_search(driven.begin(), driven.end(), rank); }
  bool sees(int rank) const { return std::binary_search(near.begin(), near.end(), rank); }
  bool sees_all(int ranks) const { return near.size() == static_cast<size_t>(ranks); }
};

/// All ranks in this process.
Locality host_locality(int ranks);

/// Private memory of this process: zeroed, page-aligned. Throws Error{kEnvironment}.
std::shared_ptr<std::byte> private_memory(size_t bytes);

}  // namespace arb
