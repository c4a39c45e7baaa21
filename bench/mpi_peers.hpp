// The first processes of a job, to those that drive GPUs together.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/runners/cuda/peers.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

class MpiPeers : public Peers {
 public:
  /// group: what World::group(count) gave to process `index` of them.
  MpiPeers(std::unique_ptr<Group> group, int count, int index)
      : group_(std::move(group)), count_(count), index_(index) {}

  int count() const override { return count_; }
  int index() const override { return index_; }
  std::vector<std::string> exchange(const std::string& own) override {
    return group_->crew().exchange(own);
  }
  void barrier() override { group_->crew().exchange(""); }
  std::vector<int> nodes() const override { return group_->node_of(); }
  bool claims_device_messages() const override { return group_->claims_device_messages(); }
  void pass_on(const std::byte* own, std::byte* received, size_t bytes) override {
    group_->pass_on(own, received, bytes);
  }
  std::unique_ptr<Carrier> carry(const std::vector<FarFifo>& fifos, int tags) override {
    return group_->carry(fifos, tags);
  }

 private:
  std::unique_ptr<Group> group_;
  int count_;
  int index_;
};

}  // namespace arb
