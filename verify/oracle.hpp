// The host reference: replays a reduction order on generated inputs with the very operators the
// runners use.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/facts.hpp"
#include "verify/data.hpp"

namespace arb {

/// Not thread-safe: one Oracle per thread. Needs memory for a few blocks of kMaxBlock elements
/// only: a chain of any length takes 2, a balanced tree of n inputs log2(n) + 1.
class Oracle {
 public:
  static constexpr size_t kMaxBlock = 4096;  // elements

  /// Keeps a reference to `order`.
  Oracle(const DataSpec& spec, const ReductionOrder& order);
  ~Oracle();

  /// The result, to the last bit, of elements [first, first + count) when chunk `chunk`'s order is
  /// followed (avg: divided at the end, where all `contributors` of the collective are in). count
  /// <= kMaxBlock. Valid until the next call.
  const void* expected(int chunk, size_t first, size_t count);

  /// Sees every generated input block of expected(), so that it need not be generated again.
  using LeafObserver = std::function<void(int rank, const void* values, size_t count)>;
  void observe(LeafObserver observer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A valid order for any collective: the contributors of each chunk in rank order.
ReductionOrder plain_order(Collective collective, int ranks, int chunks, int root);

}  // namespace arb
