// The first processes of a job, to those that drive GPUs together.
#pragma once

#include <memory>

#include "collectives/runners/cuda/gpus.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

class MpiPeers final : public Peers {
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

 private:
  std::unique_ptr<Group> group_;
  int count_;
  int index_;
};

}  // namespace arb
