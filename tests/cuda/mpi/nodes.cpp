#include "tests/cuda/mpi/nodes.hpp"

namespace arb {
namespace {

class CountingCarrier final : public Carrier {
 public:
  CountingCarrier(std::unique_ptr<Carrier> carrier, const std::vector<FarFifo>& fifos,
                  uint64_t& messages)
      : carrier_(std::move(carrier)), fifos_(fifos), messages_(messages) {}
  ~CountingCarrier() override {
    for (const FarFifo& fifo : fifos_) {
      if (fifo.sends) messages_ += *fifo.tail - fifo.first;
    }
  }
  bool progress() override { return carrier_->progress(); }

 private:
  std::unique_ptr<Carrier> carrier_;
  std::vector<FarFifo> fifos_;
  uint64_t& messages_;
};

}  // namespace

CountingPeers::CountingPeers(std::unique_ptr<Group> group, DeviceMessages device_messages)
    : MpiPeers(std::move(group), world().size(), world().rank()),
      device_messages_(device_messages) {}

bool CountingPeers::claims_device_messages() const {
  EXPECT_FALSE(MpiPeers::claims_device_messages()) << "Debian's MPI is not CUDA-aware";
  return device_messages_ != DeviceMessages::kNo;
}

void CountingPeers::pass_on(const std::byte* own, std::byte* received, size_t bytes) {
  EXPECT_NE(device_messages_, DeviceMessages::kNo) << "tried what nobody claims";
  MpiPeers::pass_on(own, received, bytes);
  const bool damages = device_messages_ == DeviceMessages::kBroken && index() == count() - 1;
  if (damages && bytes > 1000) received[bytes - 1] ^= std::byte{1};
}

std::unique_ptr<Carrier> CountingPeers::carry(const std::vector<FarFifo>& fifos, int tags) {
  return std::make_unique<CountingCarrier>(MpiPeers::carry(fifos, tags), fifos, messages_);
}

GpuJob::GpuJob(const std::vector<int>& node_of, const Options& options)
    : nodes(node_of), ranks(world().size() * options.ranks_per_gpu) {
  emulated::configure(options.machine);
  peers = std::make_unique<CountingPeers>(
      world().group(world().size(), settings_of(Path::kMessages)), options.device_messages);
  GroupOptions changed = options.group;
  changed.ranks = ranks;
  changed.ranks_per_gpu = options.ranks_per_gpu;
  changed.peers = peers.get();
  group = make_group(changed);
}

uint64_t sum_of_all(uint64_t own) {
  uint64_t sum = 0;
  for (const std::string& said : world().exchange(std::to_string(own))) sum += std::stoull(said);
  return sum;
}

}  // namespace arb
