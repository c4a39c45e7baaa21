// One element made alone is the one that generate() writes.
#include "verify/element.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "collectives/ops/visit.hpp"
#include "tests/verify/message.hpp"

namespace arb {
namespace {

TEST(Element, IsTheGeneratedOneForEveryTypeOperatorKindAndRank) {
  for (const DataKind kind : {DataKind::kExact, DataKind::kRandom, DataKind::kExtreme}) {
    for (const Dtype dtype : kDtypes) {
      for (const Op op : kOps) {
        if (unsupported(dtype, op)) continue;
        for (const int ranks : {1, 2, 8, 64, 300, 2100}) {
          const DataSpec spec{kind, dtype, op, ranks, 5};
          visit(dtype, [&](auto type) {
            using T = typename decltype(type)::type;
            std::vector<T> whole(100);
            for (const int rank : {0, ranks / 2, ranks - 1}) {
              for (const size_t first : {size_t{0}, size_t{65536 * 2 - 50}, size_t{1} << 33}) {
                generate(spec, rank, first, whole.size(), whole.data());
                for (size_t i = 0; i < whole.size(); ++i) {
                  const T one = make_element<T>(spec, rank, first + i);
                  ASSERT_EQ(std::memcmp(&one, &whole[i], sizeof one), 0)
                      << test::label(spec) << " rank " << rank << " index " << first + i;
                }
              }
            }
          });
        }
      }
    }
  }
}

}  // namespace
}  // namespace arb
