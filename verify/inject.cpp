#include "verify/inject.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/ops/operators.hpp"
#include "collectives/ops/visit.hpp"
#include "verify/compare.hpp"
#include "verify/fault_sites.hpp"
#include "verify/oracle.hpp"

namespace arb {
namespace {

class Injector {
 public:
  Injector(const Fault& fault, const CheckSpec& spec, const std::vector<MutableRank>& ranks)
      : fault_(fault), spec_(spec), ranks_(ranks), sites_(spec, ranks), size_(sites_.size()) {}

  void run() {
    switch (fault_.kind) {
      case FaultKind::kNothing:
      case FaultKind::kStall:
      case FaultKind::kDelay:
      case FaultKind::kSlow:
        return;
      case FaultKind::kSwapChunks:
        return swap_chunks();
      case FaultKind::kDoubleRank:
        return double_rank();
      case FaultKind::kStale:
        return make_stale();
      case FaultKind::kChangeInput:
        return change_input();
      default:
        return change_output(sites_.victim(fault_.rank));
    }
  }

 private:
  void change_output(int rank) const {
    switch (fault_.kind) {
      case FaultKind::kNan:
        return set_nan(rank, sites_.middle(rank));
      case FaultKind::kOffByPart:
        return add_part(rank, sites_.middle(rank));
      case FaultKind::kLastUnwritten:
        return poison(sites_.at(rank, sites_.end(rank) - 1), size_);
      case FaultKind::kPastEnd:
        return write_past_end(rank);
      case FaultKind::kOneRank:
        return change_rank(rank);
      default:
        return flip_bit(rank, sites_.middle(rank));
    }
  }

  void flip_bit(int rank, size_t index) const { *sites_.at(rank, index) ^= std::byte{1}; }

  void set_nan(int rank, size_t index) const {
    if (!is_float(spec_.data.dtype)) refuse_fault("nan needs a float type");
    poison(sites_.at(rank, index), size_);
  }

  void add_part(int rank, size_t index) const {
    visit(spec_.data.dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      T value;
      std::memcpy(&value, sites_.at(rank, index), sizeof value);
      T changed{};
      if constexpr (kIsHalf<T>) {
        changed = from_float<T>(to_float(value) + 0.9F);
      } else if constexpr (std::is_floating_point_v<T>) {
        changed = value + T(0.9);
      } else {
        changed = Sum::apply(value, T{1});
      }
      if (same(changed, value)) {
        flip_bit(rank, index);  // the value is so large that 0.9 vanishes: the next one
      } else {
        std::memcpy(sites_.at(rank, index), &changed, sizeof changed);
      }
    });
  }

  void write_past_end(int rank) const {
    size_t last = sites_.end(rank);
    if (spec_.in_place) {  // the buffer is as long as the longer of the two
      for (const Range& range : sites_.parts(has_input, rank)) {
        last = std::max(last, range.begin + range.size);
      }
    }
    *sites_.at(rank, last) ^= std::byte{0xff};
  }

  void change_input() const {
    if (spec_.in_place) refuse_fault("change-input needs an input of its own (out of place)");
    const int count = static_cast<int>(ranks_.size());
    if (fault_.rank >= count) refuse_fault("there is no rank " + std::to_string(fault_.rank));
    for (int i = 0; i < count; ++i) {
      const int rank = (fault_.rank + i) % count;
      std::byte* const input = ranks_[static_cast<size_t>(rank)].input;
      const std::vector<Range> ranges = sites_.parts(has_input, rank);
      if (input == nullptr || ranges.empty()) continue;
      input[ranges.front().begin * size_] ^= std::byte{1};
      return;
    }
    refuse_fault("no rank has an input element");
  }

  void change_rank(int rank) const {
    for (const Range& range : sites_.parts(has_output, rank)) {
      for (size_t i = 0; i < range.size; ++i) flip_bit(rank, range.begin + i);
    }
  }

  /// A rank that holds both swaps them; if each is at another rank (reduce-scatter), these two do.
  void swap_chunks() const {
    const auto [one, two] = sites_.two_chunks();
    std::vector<std::byte*> ones;
    std::vector<std::byte*> twos;
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      if (ranks_[static_cast<size_t>(rank)].output == nullptr) continue;
      for (const Range& range : sites_.parts(has_output, rank)) {
        const auto holds = [&](const Range& part) {
          return part.begin >= range.begin && part.begin < range.begin + range.size;
        };
        if (holds(one)) ones.push_back(sites_.at(rank, one.begin));
        if (holds(two)) twos.push_back(sites_.at(rank, two.begin));
      }
    }
    if (ones.empty() || ones.size() != twos.size()) refuse_fault("no rank has the two chunks");
    for (size_t i = 0; i < ones.size(); ++i) {
      std::swap_ranges(ones[i], ones[i] + one.size * size_, twos[i]);
    }
  }

  ReductionOrder order() const {
    if (spec_.order != nullptr) return *spec_.order;
    return plain_order(spec_.collective, spec_.data.ranks, spec_.tiling->chunks(), spec_.root);
  }

  void double_rank() const {
    if (!reduces(spec_.collective) || spec_.data.ranks < 2) {
      refuse_fault("double-rank needs a reduction over 2 or more ranks");
    }
    ReductionOrder wrong = order();
    for (Expression& expression : wrong.arena) {
      if (expression.rank == spec_.data.ranks - 1) expression.rank = 0;
    }
    overwrite(spec_.data, wrong);
  }

  void make_stale() const {
    DataSpec previous = spec_.data;
    --previous.seed;
    overwrite(previous, order());
  }

  /// Every output becomes what `data` give under `order`.
  void overwrite(const DataSpec& data, const ReductionOrder& order) const {
    Oracle oracle(data, order);
    for (size_t tile = 0; tile < spec_.tiling->tiles(); ++tile) {
      for (int chunk = 0; chunk < spec_.tiling->chunks(); ++chunk) {
        const Range range = spec_.tiling->range(tile, chunk);
        for (size_t done = 0; done < range.size; done += Oracle::kMaxBlock) {
          const size_t count = std::min(Oracle::kMaxBlock, range.size - done);
          write(chunk, range.begin + done, count,
                oracle.expected(chunk, range.begin + done, count));
        }
      }
    }
  }

  void write(int chunk, size_t first, size_t count, const void* values) const {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      if (ranks_[static_cast<size_t>(rank)].output == nullptr) continue;
      if (!has_output(spec_.collective, rank, chunk, spec_.root)) continue;
      std::memcpy(sites_.at(rank, first), values, count * size_);
    }
  }

  const Fault& fault_;
  const CheckSpec& spec_;
  const std::vector<MutableRank>& ranks_;
  FaultSites sites_;
  size_t size_;
};

}  // namespace

void apply(const Fault& fault, const CheckSpec& spec, const std::vector<MutableRank>& ranks) {
  Injector(fault, spec, ranks).run();
}

}  // namespace arb
