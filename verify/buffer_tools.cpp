#include "verify/buffer_tools.hpp"

#include <cstring>

#include "collectives/ops/visit.hpp"
#include "verify/digest.hpp"

namespace arb {
namespace {

class HostBufferTools final : public BufferTools {
 public:
  void generate(const DataSpec& spec, int rank, size_t first, size_t count,
                std::byte* to) const override {
    arb::generate(spec, rank, first, count, to);
  }
  void poison(int /*rank*/, std::byte* at, size_t bytes) const override { arb::poison(at, bytes); }
  void set_guard(int /*rank*/, std::byte* guard, size_t bytes, unsigned salt) const override {
    arb::set_guard(guard, bytes, salt);
  }
  long changed_guard(int /*rank*/, const std::byte* guard, size_t bytes,
                     unsigned salt) const override {
    return arb::changed_guard(guard, bytes, salt);
  }
  Verdict check(const CheckSpec& spec, const std::vector<RankView>& ranks, size_t first_tile,
                size_t stride) const override {
    Verdict verdict;
    for (size_t tile = first_tile; tile < spec.tiling->tiles(); tile += stride) {
      verdict.merge(check_tile(spec, ranks, tile));
    }
    return verdict;
  }
  void apply(const Fault& fault, const CheckSpec& spec,
             const std::vector<MutableRank>& ranks) const override {
    arb::apply(fault, spec, ranks);
  }
  void read(int /*rank*/, const std::byte* from, size_t bytes, std::byte* to) const override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  uint64_t digest(int /*rank*/, Dtype dtype, const std::byte* from, size_t count) const override {
    return visit(dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      return digest_elements(count, reinterpret_cast<const T*>(from), count);
    });
  }
};

}  // namespace

const BufferTools& host_buffer_tools() {
  static const HostBufferTools tools;
  return tools;
}

}  // namespace arb
