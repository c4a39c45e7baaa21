#include "collectives/runners/mpi/pump.hpp"

#include <climits>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/waiting.hpp"

namespace arb {
namespace {

int message_bytes(size_t bytes) {
  if (bytes > INT_MAX) {
    throw Error(ErrorKind::kInternal, "a slot is larger than a message of MPI can be");
  }
  return static_cast<int>(bytes);
}

}  // namespace

MessagePump::MessagePump(const Communicator& comm, int own_rank, int first_tag,
                         const std::vector<Fifo*>& fifos)
    : comm_(comm.get()) {
  for (Fifo* fifo : fifos) {
    Port port;
    port.fifo = fifo;
    port.sends = fifo->sender == own_rank;
    port.peer = port.sends ? fifo->receiver : fifo->sender;
    port.tag = first_tag + fifo->channel;
    port.first_request = requests_.size();
    message_bytes(fifo->slot_bytes);
    for (uint32_t slot = 0; slot < fifo->slot_count; ++slot) {
      requests_.push_back(MPI_REQUEST_NULL);
      port_of_.push_back(ports_.size());
      message_of_.push_back(0);
    }
    ports_.push_back(port);
  }
  completed_.resize(requests_.size());
  start();
}

MessagePump::~MessagePump() {
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    const Port& port = ports_[port_of_[static_cast<size_t>(&request - requests_.data())]];
    // A send ends by itself: its receiver has a receive posted for it, or has had.
    if (!port.sends) MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
}

bool MessagePump::start_send(Port& port) {
  const Fifo& fifo = *port.fifo;
  const auto slot = static_cast<uint32_t>(port.started % fifo.slot_count);
  if (fifo.slots[slot].published.load(std::memory_order_acquire) != port.started + 1) return false;
  if (request(port, port.started) != MPI_REQUEST_NULL) return false;
  check_mpi(MPI_Isend(fifo.slots[slot].data, message_bytes(fifo.lengths[slot]), MPI_BYTE, port.peer,
                      port.tag, comm_, &request(port, port.started)),
            "MPI_Isend");
  return true;
}

bool MessagePump::start_receive(Port& port) {
  const Fifo& fifo = *port.fifo;
  const uint64_t consumed = fifo.credit->consumed.load(std::memory_order_acquire);
  if (port.started - consumed >= fifo.slot_count) return false;
  const auto slot = static_cast<uint32_t>(port.started % fifo.slot_count);
  check_mpi(MPI_Irecv(fifo.memory + slot * fifo.slot_bytes, message_bytes(fifo.slot_bytes),
                      MPI_BYTE, port.peer, port.tag, comm_, &request(port, port.started)),
            "MPI_Irecv");
  return true;
}

bool MessagePump::start(Port& port) {
  bool moved = false;
  while (port.sends ? start_send(port) : start_receive(port)) {
    const size_t index = port.first_request + port.started % port.fifo->slot_count;
    message_of_[index] = port.started++;
    ++active_;
    moved = true;
  }
  return moved;
}

bool MessagePump::start() {
  bool moved = false;
  for (Port& port : ports_) moved |= start(port);
  return moved;
}

void MessagePump::finish(const std::vector<int>& indices, int count) {
  active_ -= count;
  for (int k = 0; k < count; ++k) {
    const auto index = static_cast<size_t>(indices[static_cast<size_t>(k)]);
    Port& port = ports_[port_of_[index]];
    Fifo& fifo = *port.fifo;
    if (port.sends) {
      // Slots become free in order, whatever the order in which the sends complete.
      while (port.finished < port.started && request(port, port.finished) == MPI_REQUEST_NULL) {
        ++port.finished;
      }
      fifo.credit->consumed.store(port.finished, std::memory_order_release);
    } else {
      const uint64_t message = message_of_[index];
      const auto at = static_cast<uint32_t>(message % fifo.slot_count);
      fifo.slots[at].data = fifo.memory + at * fifo.slot_bytes;
      fifo.slots[at].published.store(message + 1, std::memory_order_release);
    }
  }
}

bool MessagePump::progress() {
  if (requests_.empty()) return false;
  int count = 0;
  if (active_ > 0 && !kSimulated) {  // there block() finds them, and asking is dear
    check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                           completed_.data(), MPI_STATUSES_IGNORE),
              "MPI_Testsome");
  }
  if (count != MPI_UNDEFINED && count > 0) finish(completed_, count);
  const bool started = start();
  return started || (count != MPI_UNDEFINED && count > 0);
}

void MessagePump::block() {
  if (active_ == 0) {
    throw Error(ErrorKind::kInternal, "a rank waits, but no message is on its way to it");
  }
  int count = 0;
  check_mpi(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitsome");
  if (count != MPI_UNDEFINED) finish(completed_, count);
  start();
}

}  // namespace arb
