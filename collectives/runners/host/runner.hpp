// Ranks of one process.
#pragma once

#include "collectives/runners/native/registry.hpp"
#include "collectives/runners/runner.hpp"

namespace arb {

class HostRunner final : public Runner {
 public:
  HostRunner(int ranks, const HostFactsForSlots& host)
      : locality_(host_locality(ranks)), host_(host) {}

  const Locality& locality() const override { return locality_; }
  Made make(const Schedule& schedule, const Facts& facts, ReductionOrder order, const Shape& shape,
            const SlotConfig& config) override;
  std::optional<std::string> unsupported_native(const std::string& name,
                                                const Shape& shape) const override;
  Made make_native(const std::string& name, const Shape& shape, bool in_place) override;
  std::optional<Made> make_copy_limit(const Shape& shape, bool in_place) override;

 private:
  Locality locality_;
  HostFactsForSlots host_;
};

/// choose_slots() for these facts.
SlotChooser host_slot_chooser(const HostFactsForSlots& host);

/// The two about native algorithms of the registry, for ranks that all see each other's memory.
std::optional<std::string> unsupported_shared(const std::string& name, const Shape& shape);
std::unique_ptr<Operation> make_shared_native(const std::string& name, const Shape& shape,
                                              bool in_place, const Locality& locality,
                                              size_t last_level_bytes);

}  // namespace arb
