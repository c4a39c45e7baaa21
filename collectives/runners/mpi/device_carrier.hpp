// Carries the messages of FIFOs whose ends are kernels of GPUs on different nodes. Receives are
// posted ahead, one for every free slot, so that messages land where they are read.
#pragma once

#include <vector>

#include "collectives/runners/cuda/peers.hpp"
#include "collectives/runners/mpi/mpi.hpp"

namespace arb {

class DeviceCarrier final : public Carrier {
 public:
  /// The tag of a message is its FIFO's plus `first_tag`: no two carriers of a communicator may
  /// share tags at a time.
  DeviceCarrier(const Communicator& comm, int first_tag, const std::vector<FarFifo>& fifos);
  /// Takes back the receives that were posted ahead.
  ~DeviceCarrier() override;
  DeviceCarrier(const DeviceCarrier&) = delete;
  DeviceCarrier& operator=(const DeviceCarrier&) = delete;

  bool progress() override;

 private:
  struct Port {
    FarFifo fifo;
    size_t first_request = 0;  // of slot 0 in requests_
    uint64_t started = 0;      // messages handed to MPI
    uint64_t finished = 0;     // of them, in order: those that have left or arrived
  };

  bool can_start(const Port& port) const;
  void start(Port& port);
  void complete();
  void publish(Port& port);
  size_t index_of(const Port& port, uint64_t message) const {
    return port.first_request + message % port.fifo.slot_count;
  }

  MPI_Comm comm_;
  int first_tag_;
  std::vector<Port> ports_;
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;  // of MPI_Testsome
  int active_ = 0;              // requests in work
};

/// Whether this MPI says that it takes buffers in the memory of GPUs.
bool claims_device_messages();

}  // namespace arb
