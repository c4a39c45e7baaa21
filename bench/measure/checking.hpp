// One checked execution: known data in, poison under the results, guards around, every element
// compared.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "bench/measure/buffers.hpp"
#include "bench/measure/prepared.hpp"
#include "collectives/runners/crew.hpp"
#include "verify/check.hpp"
#include "verify/inject.hpp"

namespace arb {

struct CheckRequest {
  Shape shape;
  bool in_place = false;
  DataKind kind = DataKind::kExact;
  uint64_t seed = 0;
  bool fill_inputs = true;  // false: they hold this data already (out of place)
  Fault fault;              // data faults are applied between the operation and the check
};

/// The hooks of an Execution and the verdict they find. Used by all workers of the crew at once;
/// lives until the execution is over.
class CheckedRun {
 public:
  CheckedRun(const CheckRequest& request, const Prepared& prepared, const CaseBuffers& buffers,
             size_t set, Crew& crew);

  void attach(Execution& execution) const {
    execution.prepare = &prepare_;
    execution.inspect = &inspect_;
  }
  /// After the execution: what all workers of all processes found. Collective over the crew.
  Verdict verdict();

 private:
  void prepare(int worker);
  void inspect(int worker);
  std::exception_ptr inject() const;
  bool concerns_us() const;
  void check_guards(int rank, Verdict& verdict) const;

  CheckRequest request_;
  const CaseBuffers& buffers_;
  size_t set_;
  Crew& crew_;
  CheckSpec spec_;
  std::vector<RankView> views_;
  std::vector<Verdict> verdicts_;  // [worker]
  std::function<void(int)> prepare_, inspect_;
};

}  // namespace arb
