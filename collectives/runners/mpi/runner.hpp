// Makes operations for the processes of a group.
#pragma once

#include "collectives/runners/mpi/openmpi_forced.hpp"
#include "collectives/runners/runner.hpp"

namespace arb {

/// How slots are cut where messages go between nodes: a schedule that gains from tiles (a tree)
/// gets small ones, all others one tile as long as that is possible, because they pay their whole
/// latency once per tile.
SlotConfig choose_message_slots(const Schedule& schedule, const Shape& shape);

class MpiRunner final : public Runner {
 public:
  /// Everything outlives the runner. shares_memory: any two ranks do, of this node or another, so
  /// that all processes name the protocol alike.
  MpiRunner(const Communicator& messages, const Locality& locality, bool shares_memory,
            const HostFactsForSlots& host)
      : messages_(messages),
        locality_(locality),
        shares_memory_(shares_memory),
        host_(host),
        forcing_unavailable_(openmpi_forcing_unavailable()) {}

  const Locality& locality() const override { return locality_; }
  Made make(const Schedule& schedule, const Facts& facts, ReductionOrder order, const Shape& shape,
            const SlotConfig& config) override;
  std::optional<std::string> unsupported_native(const std::string& name,
                                                const Shape& shape) const override;
  Made make_native(const std::string& name, const Shape& shape, bool in_place) override;
  std::optional<Made> make_copy_limit(const Shape& shape, bool in_place) override;

 private:
  int take_tags(const Schedule& schedule);

  const Communicator& messages_;
  const Locality& locality_;
  bool shares_memory_;
  HostFactsForSlots host_;
  std::optional<std::string> forcing_unavailable_;
  int next_tag_ = 0;
};

}  // namespace arb
