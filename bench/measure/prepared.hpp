// An algorithm made ready for one case: proved, cut into tiles and slots, bound to an Operation.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "collectives/runners/runner.hpp"
#include "verify/prove.hpp"

namespace arb {

struct SlotChoice {  // what the user fixed
  std::optional<int> slots;
  std::optional<size_t> slot_bytes;
};

inline constexpr const char* kReference = "reference";

struct Prepared {
  bool is_reference() const { return kind == kReference; }

  std::string algorithm;
  std::string kind;  // "scheduled" | "native"
  std::string
      protocol;  // "slots", "direct" (large messages are read where they are), "shared" (native)
  std::optional<SlotConfig> config;
  // Of a scheduled one; the preparer's own.
  const Schedule* schedule = nullptr;
  const Proof* proof = nullptr;
  std::unique_ptr<Operation> operation;
};

/// Proves each (algorithm, ranks, root, slots, aliasing) once and keeps the proof.
class Preparer {
 public:
  Preparer(SlotChooser chooser, const SlotChoice& choice)
      : chooser_(std::move(chooser)), choice_(choice) {}

  /// Why the algorithm cannot run this shape, or nullopt.
  std::optional<std::string> unsupported(const std::string& algorithm, const Shape& shape,
                                         const Runner& runner) const;

  /// Throws Error{kInternal} with the findings if the schedule is not proved: nothing unproved
  /// runs. Collective over the processes of the runner.
  Prepared prepare(const std::string& algorithm, const Shape& shape, bool in_place, Runner& runner);

  /// Bytes of slots and scratch that prepare() would allocate for all ranks (an upper bound).
  size_t slot_memory(const std::string& algorithm, const Shape& shape, bool in_place) const;

 private:
  struct Built {
    Schedule schedule;
    Proof proof;
  };
  /// What the runner would choose, with what the user fixed in its place.
  SlotConfig slot_config(const Schedule& schedule, const Shape& shape, bool in_place) const;
  const Built& built(const std::string& algorithm, const Shape& shape, int slots, bool in_place);

  SlotChooser chooser_;
  SlotChoice choice_;
  std::map<std::tuple<Collective, std::string, int, int, int, bool>, std::unique_ptr<Built>> built_;
};

}  // namespace arb
