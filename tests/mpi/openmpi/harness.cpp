#include "tests/mpi/openmpi/harness.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "verify/check.hpp"

namespace arb {
namespace {

constexpr std::byte kUntouched{0xC3};

Range real_part(const Shape& shape, int rank, bool of_input) {
  const bool own_only =
      blocked(shape.collective) && of_input == (shape.collective == Collective::kAllGather);
  if (own_only) {
    const size_t block = shape.count / static_cast<size_t>(shape.ranks);
    return {static_cast<size_t>(rank) * block, block};
  }
  const bool real = of_input ? has_input(shape.collective, rank, rank, shape.root)
                             : has_output(shape.collective, rank, rank, shape.root);
  return {0, real ? shape.count : 0};
}

/// A whole message between two margins; whatever is not written has a known pattern.
class MessageMemory {
 public:
  explicit MessageMemory(const Shape& shape)
      : element_(size_of(shape.dtype)), bytes_(shape.bytes() + 2 * kMargin, kUntouched) {}

  std::byte* data() { return bytes_.data() + kMargin; }

  /// Bytes changed outside `real`.
  int64_t touched_outside(const Range& real) const {
    const auto begin = bytes_.begin() + static_cast<long>(kMargin + real.begin * element_);
    const auto end = begin + static_cast<long>(real.size * element_);
    const auto changed = [](std::byte b) { return b != kUntouched; };
    return std::count_if(bytes_.begin(), begin, changed) +
           std::count_if(end, bytes_.end(), changed);
  }

 private:
  static constexpr size_t kMargin = 4096;
  size_t element_;
  std::vector<std::byte> bytes_;
};

void note_outside(Verdict& verdict, int64_t bytes, int rank) {
  if (bytes == 0) return;
  Verdict outside;
  outside.wrong = bytes;
  outside.check = "guard";
  outside.rank = rank;
  verdict.merge(outside);
}

}  // namespace

const bool kForcingAllowed = (allow_openmpi_forcing(), true);

std::string describe(const OpenMpiAlgorithm& algorithm, const Shape& shape, bool in_place) {
  return std::string(name(shape.collective)) + " " + std::string(algorithm.name) + ", " +
         std::to_string(shape.ranks) + " ranks, root " + std::to_string(shape.root) + ", " +
         std::to_string(shape.count) + " " + std::string(name(shape.dtype)) + " " +
         std::string(name(shape.op)) + (in_place ? ", in place" : "");
}

Verdict run_checked(Operation& operation, const Shape& shape, bool in_place, int times) {
  const int rank = world_rank();
  const size_t element = size_of(shape.dtype);
  const Range in = real_part(shape, rank, true);
  const Range out = real_part(shape, rank, false);
  Verdict verdict;
  for (int t = 0; t < times; ++t) {
    MessageMemory input(shape);
    MessageMemory output(shape);
    const RankBuffers buffers{input.data(), in_place ? input.data() : output.data()};
    poison(buffers.output + out.begin * element, out.size * element);
    CheckSpec spec;
    spec.collective = shape.collective;
    spec.root = shape.root;
    spec.in_place = in_place;
    spec.tiling = &operation.tiling();
    spec.order = operation.order();
    spec.data = {t % 2 == 0 ? DataKind::kExact : DataKind::kRandom, shape.dtype, shape.op,
                 shape.ranks, 7919u + static_cast<unsigned>(t)};
    generate(spec.data, rank, in.begin, in.size, buffers.input + in.begin * element);

    operation.begin(rank, buffers);
    while (operation.advance(rank) != Advance::kDone) {
    }

    std::vector<RankView> views(static_cast<size_t>(shape.ranks));
    views[static_cast<size_t>(rank)] = {buffers.input, buffers.output};
    for (size_t tile = 0; tile < spec.tiling->tiles(); ++tile) {
      verdict.merge(check_tile(spec, views, tile));
    }
    if (in_place) {
      note_outside(verdict, input.touched_outside(in.size > out.size ? in : out), rank);
    } else {
      note_outside(verdict, input.touched_outside(in), rank);
      note_outside(verdict, output.touched_outside(out), rank);
    }
  }
  return verdict;
}

}  // namespace arb
