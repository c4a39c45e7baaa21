#include "tests/verify/message.hpp"

#include <cstring>
#include <utility>

#include "collectives/ops/kernels.hpp"

namespace arb::test {
namespace {

int combine(ReductionOrder& order, int left, int right) {
  const auto leaves = [&](int node) { return order.arena[static_cast<size_t>(node)].leaves; };
  order.arena.push_back(
      {.rank = -1, .left = left, .right = right, .leaves = leaves(left) + leaves(right)});
  return static_cast<int>(order.arena.size()) - 1;
}

int leaf(ReductionOrder& order, int rank) {
  order.arena.push_back({.rank = rank});
  return static_cast<int>(order.arena.size()) - 1;
}

int tree(ReductionOrder& order, int first, int count) {
  if (count == 1) return leaf(order, first);
  const int left = tree(order, first, (count + 1) / 2);
  const int right = tree(order, first + (count + 1) / 2, count / 2);
  return combine(order, left, right);
}

constexpr unsigned kSalt = 17;

}  // namespace

ReductionOrder tree_order(int ranks, int chunks) {
  ReductionOrder order;
  order.result.assign(static_cast<size_t>(chunks), tree(order, 0, ranks));
  return order;
}

ReductionOrder ring_order(int ranks, int chunks) {
  ReductionOrder order;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    int value = leaf(order, chunk % ranks);
    for (int step = 1; step < ranks; ++step) {
      value = combine(order, value, leaf(order, (chunk + step) % ranks));
    }
    order.result.push_back(value);
  }
  return order;
}

Message::Message(const MessageSpec& spec, ReductionOrder order)
    : spec_(spec),
      order_(std::move(order)),
      tiling_(spec.count, spec.chunks, blocked(spec.collective), spec.tile, 1),
      size_(size_of(spec.data.dtype)) {
  const size_t bytes = spec.count * size_;
  for (int rank = 0; rank < spec.data.ranks; ++rank) {
    std::vector<std::byte> buffer(bytes + 2 * kGuardBytes);
    set_guard(buffer.data(), kGuardBytes, kSalt);
    set_guard(buffer.data() + kGuardBytes + bytes, kGuardBytes, kSalt);
    inputs_.push_back(buffer);
    generate(spec.data, rank, 0, spec.count, input(rank));
    if (spec.in_place) continue;
    outputs_.push_back(std::move(buffer));
    poison(output(rank), bytes);
  }
  for (const int root : order_.result) correct_.push_back(evaluate(root));
  for (size_t tile = 0; tile < tiling_.tiles(); ++tile) {
    for (int chunk = 0; chunk < spec.chunks; ++chunk) {
      const Range range = tiling_.range(tile, chunk);
      for (int rank = 0; rank < spec.data.ranks; ++rank) {
        if (range.size == 0 || !has_output(spec.collective, rank, chunk, spec.root)) continue;
        std::memcpy(output(rank, range.begin),
                    correct_[static_cast<size_t>(chunk)].data() + range.begin * size_,
                    range.size * size_);
      }
    }
  }
}

std::vector<std::byte> Message::evaluate(int node) const {
  const Expression& expression = order_.arena[static_cast<size_t>(node)];
  std::vector<std::byte> result(spec_.count * size_);
  const Kernels kernel = kernels(spec_.data.dtype, spec_.data.op);
  if (expression.rank >= 0) {
    generate(spec_.data, expression.rank, 0, spec_.count, result.data());
  } else {
    const auto left = evaluate(expression.left);
    const auto right = evaluate(expression.right);
    kernel.reduce(result.data(), left.data(), right.data(), spec_.count);
  }
  const bool whole = expression.leaves == spec_.data.ranks;
  if (whole && kernel.finish != nullptr) {
    kernel.finish(result.data(), spec_.count, spec_.data.ranks);
  }
  return result;
}

CheckSpec Message::check_spec(bool knows_order) const {
  return {.collective = spec_.collective,
          .root = spec_.root,
          .in_place = spec_.in_place,
          .tiling = &tiling_,
          .order = knows_order ? &order_ : nullptr,
          .data = spec_.data};
}

std::byte* Message::input(int rank, size_t index) {
  return inputs_[static_cast<size_t>(rank)].data() + kGuardBytes + index * size_;
}

std::byte* Message::output(int rank, size_t index) {
  if (spec_.in_place) return input(rank, index);
  return outputs_[static_cast<size_t>(rank)].data() + kGuardBytes + index * size_;
}

std::vector<MutableRank> Message::mutable_ranks() {
  std::vector<MutableRank> ranks;
  ranks.reserve(inputs_.size());
  for (int rank = 0; rank < spec_.data.ranks; ++rank) ranks.push_back({input(rank), output(rank)});
  return ranks;
}

Verdict Message::check(bool knows_order) const {
  std::vector<RankView> views;
  for (const MutableRank& rank : const_cast<Message*>(this)->mutable_ranks()) {
    views.push_back({rank.input, rank.output});
  }
  Verdict verdict;
  for (size_t tile = 0; tile < tiling_.tiles(); ++tile) {
    verdict.merge(check_tile(check_spec(knows_order), views, tile));
  }
  return verdict;
}

void Message::inject(const Fault& fault, bool knows_order) {
  apply(fault, check_spec(knows_order), mutable_ranks());
}

long Message::changed_output_guard(int rank) const {
  const auto& buffer = (spec_.in_place ? inputs_ : outputs_)[static_cast<size_t>(rank)];
  const long before = changed_guard(buffer.data(), kGuardBytes, kSalt);
  if (before >= 0) return before;
  return changed_guard(buffer.data() + kGuardBytes + spec_.count * size_, kGuardBytes, kSalt);
}

Message::Difference Message::difference() const {
  Difference result;
  for (int rank = spec_.data.ranks - 1; rank >= 0; --rank) {
    for (size_t tile = tiling_.tiles(); tile-- > 0;) {
      for (int chunk = spec_.chunks - 1; chunk >= 0; --chunk) {
        if (!has_output(spec_.collective, rank, chunk, spec_.root)) continue;
        const Range range = tiling_.range(tile, chunk);
        for (size_t i = range.begin + range.size; i-- > range.begin;) {
          const std::byte* const got = const_cast<Message*>(this)->output(rank, i);
          const std::byte* const wanted = correct_[static_cast<size_t>(chunk)].data() + i * size_;
          if (std::memcmp(got, wanted, size_) == 0) continue;
          result = {result.elements + 1, rank, static_cast<int64_t>(i)};
        }
      }
    }
  }
  return result;
}

std::string label(const DataSpec& data) {
  const char* const kinds[] = {"exact", "random", "extreme"};
  return std::string(name(data.dtype)) + '_' + std::string(name(data.op)) + '_' +
         kinds[static_cast<int>(data.kind)] + '_' + std::to_string(data.ranks);
}

}  // namespace arb::test
