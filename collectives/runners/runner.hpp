// Makes operations for a fixed number of ranks of one backend.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/runners/host/scheduled.hpp"
#include "collectives/runners/locality.hpp"
#include "collectives/runners/operation.hpp"

namespace arb {

struct Made {
  std::unique_ptr<Operation> operation;
  std::string protocol;  // how data move; goes into the record
};

class Runner {
 public:
  virtual ~Runner() = default;

  virtual const Locality& locality() const = 0;

  /// Of a proved schedule (see ScheduledOperation).
  virtual Made make(const Schedule& schedule, const Facts& facts, ReductionOrder order,
                    const Shape& shape, const SlotConfig& config) = 0;

  /// Why this backend cannot run the native algorithm on this shape (there may be no such), or
  /// nullopt.
  virtual std::optional<std::string> unsupported_native(const std::string& name,
                                                        const Shape& shape) const = 0;
  virtual Made make_native(const std::string& name, const Shape& shape, bool in_place) = 0;

  /// The least traffic that any AllReduce has, as an operation of its own: every rank copies its
  /// input to its output. nullopt: it would say nothing about this backend.
  virtual std::optional<Made> make_copy_limit(const Shape& /*shape*/, bool /*in_place*/) {
    return std::nullopt;
  }
};

/// What a backend would choose; pure, so that a plan can ask about cases that never run.
using SlotChooser =
    std::function<SlotConfig(const Schedule& schedule, const Shape& shape, bool in_place)>;

}  // namespace arb
