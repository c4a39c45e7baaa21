// The other processes of a job, as ranks on GPUs need them. Neither CUDA nor MPI is seen here: one
// side knows only the one, and the other only the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/error.hpp"

namespace arb {

/// One end of a FIFO to another node: a ring of its own process, of which a kernel plays one side
/// and a Carrier the other.
///
///   kernel -> [slots] tail -> carrier  ~~~~ messages ~~~~>  carrier -> [slots] tail -> kernel
///                 head <- (has left)                        (may come) <- head
struct FarFifo {
  bool sends = false;
  int process = 0;             // at the other end
  int tag = 0;                 // of its messages: unique among those from one process to another
  std::byte* slots = nullptr;  // [slot] slot_bytes apart, as messages may use them
  size_t slot_bytes = 0;
  uint32_t slot_count = 0;
  // In host memory, aligned; published with release and read with acquire, on both sides.
  uint64_t* tail = nullptr;     // messages in the ring so far, ever
  uint64_t* head = nullptr;     // those that were taken out
  uint64_t* lengths = nullptr;  // sends: [slot] bytes of the message in it
  uint64_t first = 0;           // where both counters begin
};

class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Moves what can be moved; never waits. True: everything that was published has left, and its
  /// slots are free.
  virtual bool progress() = 0;
};

/// All calls are collective, but those that are const.
class Peers {
 public:
  virtual ~Peers() = default;
  virtual int count() const = 0;
  virtual int index() const = 0;
  virtual std::vector<std::string> exchange(const std::string& own) = 0;
  virtual void barrier() = 0;

  /// [process] The same number: on the same node.
  virtual std::vector<int> nodes() const {
    return std::vector<int>(static_cast<size_t>(count()), 0);
  }

  // What only processes on several nodes need.

  /// Does it say that messages may come from the memory of GPUs, and go there?
  virtual bool claims_device_messages() const { return false; }
  /// Sends to the next process, and receives as much from the one before. In any memory that
  /// messages may use.
  virtual void pass_on(const std::byte* /*own*/, std::byte* /*received*/, size_t /*bytes*/) {
    throw Error(ErrorKind::kInternal, "these processes send no messages");
  }
  /// fifos: of this process; their tags are below `tags`, which is the same in all processes. The
  /// memory outlives the carrier.
  virtual std::unique_ptr<Carrier> carry(const std::vector<FarFifo>& /*fifos*/, int /*tags*/) {
    throw Error(ErrorKind::kInternal, "these processes send no messages");
  }
};

}  // namespace arb
