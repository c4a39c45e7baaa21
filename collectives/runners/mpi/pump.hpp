// Carries the messages of FIFOs between nodes. For each of them the two processes have a FIFO of
// their own, which the cursors of the host runner fill and empty; the pump plays the missing end:
// what is published here is sent, what arrives is published there.
//
//   cursor -> [slots] -> pump --MPI_Isend ... MPI_Irecv--> pump -> [slots] -> cursor
//
// Receives are posted ahead, one for every free slot, so that messages land where they are read.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/runners/host/fifo.hpp"
#include "collectives/runners/mpi/mpi.hpp"

namespace arb {

class MessagePump {
 public:
  /// FIFOs that `own_rank` sends into or receives from, its peers elsewhere. Their channel plus
  /// `first_tag` is the tag: no two pumps of a communicator may share tags at a time.
  MessagePump(const Communicator& comm, int own_rank, int first_tag,
              const std::vector<Fifo*>& fifos);
  /// Takes back the receives that were posted ahead.
  ~MessagePump();
  MessagePump(const MessagePump&) = delete;
  MessagePump& operator=(const MessagePump&) = delete;

  /// Completes what has arrived or left, then starts what can be started. Did anything happen?
  bool progress();

  /// Starts what can be started, without looking for completions.
  bool start();

  /// Simulation only: until a message has arrived or left.
  void block();

 private:
  struct Port {
    Fifo* fifo = nullptr;
    bool sends = false;
    int peer = 0;
    int tag = 0;
    size_t first_request = 0;  // of slot 0 in requests_
    uint64_t started = 0;      // messages handed to MPI
    uint64_t finished = 0;     // sends: completed in order
  };

  bool start(Port& port);
  bool start_send(Port& port);
  bool start_receive(Port& port);
  void finish(const std::vector<int>& indices, int count);
  MPI_Request& request(const Port& port, uint64_t message) {
    return requests_[port.first_request + message % port.fifo->slot_count];
  }

  MPI_Comm comm_;
  std::vector<Port> ports_;
  std::vector<MPI_Request> requests_;
  std::vector<size_t> port_of_;       // [request]
  std::vector<uint64_t> message_of_;  // [request] the number of the message it carries
  std::vector<int> completed_;        // of MPI_Testsome
  int active_ = 0;                    // requests in work
};

}  // namespace arb
