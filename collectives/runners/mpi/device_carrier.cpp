#include "collectives/runners/mpi/device_carrier.hpp"

#if !defined(ARB_SIMULATED) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <atomic>
#include <climits>

namespace arb {
namespace {

uint64_t read(uint64_t* counter) {
  return std::atomic_ref<uint64_t>(*counter).load(std::memory_order_acquire);
}

void write(uint64_t* counter, uint64_t value) {
  std::atomic_ref<uint64_t>(*counter).store(value, std::memory_order_release);
}

}  // namespace

bool claims_device_messages() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

DeviceCarrier::DeviceCarrier(const Communicator& comm, int first_tag,
                             const std::vector<FarFifo>& fifos)
    : comm_(comm.get()), first_tag_(first_tag) {
  for (const FarFifo& fifo : fifos) {
    if (fifo.slot_bytes > INT_MAX) {
      throw Error(ErrorKind::kInternal, "a slot is larger than a message of MPI can be");
    }
    ports_.push_back({fifo, requests_.size(), fifo.first, fifo.first});
    requests_.insert(requests_.end(), fifo.slot_count, MPI_REQUEST_NULL);
  }
  completed_.resize(requests_.size());
  for (Port& port : ports_) start(port);
}

DeviceCarrier::~DeviceCarrier() {
  for (const Port& port : ports_) {
    for (uint32_t slot = 0; slot < port.fifo.slot_count; ++slot) {
      MPI_Request& request = requests_[port.first_request + slot];
      if (request == MPI_REQUEST_NULL) continue;
      if (!port.fifo.sends) MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
  }
}

/// Is there a slot whose message can leave, or one for a message that may come?
bool DeviceCarrier::can_start(const Port& port) const {
  const FarFifo& fifo = port.fifo;
  if (fifo.sends) return port.started < read(fifo.tail);
  return port.started - read(fifo.head) < fifo.slot_count;
}

void DeviceCarrier::start(Port& port) {
  const FarFifo& fifo = port.fifo;
  for (; can_start(port); ++port.started, ++active_) {
    const auto slot = static_cast<size_t>(port.started % fifo.slot_count);
    std::byte* const data = fifo.slots + slot * fifo.slot_bytes;
    MPI_Request& request = requests_[index_of(port, port.started)];
    const int tag = first_tag_ + fifo.tag;
    if (fifo.sends) {
      check_mpi(MPI_Isend(data, static_cast<int>(fifo.lengths[slot]), MPI_BYTE, fifo.process, tag,
                          comm_, &request),
                "MPI_Isend");
    } else {
      check_mpi(MPI_Irecv(data, static_cast<int>(fifo.slot_bytes), MPI_BYTE, fifo.process, tag,
                          comm_, &request),
                "MPI_Irecv");
    }
  }
}

void DeviceCarrier::complete() {
  if (active_ == 0) return;
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  if (count != MPI_UNDEFINED) active_ -= count;
}

/// Slots become free, and messages readable, in order, whatever the order in which MPI is done.
void DeviceCarrier::publish(Port& port) {
  const uint64_t before = port.finished;
  while (port.finished < port.started &&
         requests_[index_of(port, port.finished)] == MPI_REQUEST_NULL) {
    ++port.finished;
  }
  if (port.finished == before) return;
  write(port.fifo.sends ? port.fifo.head : port.fifo.tail, port.finished);
}

bool DeviceCarrier::progress() {
  complete();
  bool all_gone = true;
  for (Port& port : ports_) {
    publish(port);
    start(port);
    if (port.fifo.sends && port.finished != port.started) all_gone = false;
  }
  return all_gone;
}

}  // namespace arb
