// What Operation promises whoever drives it: a rank that is done has its result, and nobody looks
// at its buffers any more. Ranks advance one at a time in a random order, some far ahead of the
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "tests/runners/harness.hpp"

namespace arb {
namespace {

constexpr int kRanks = 4;
constexpr size_t kOperations = 6;  // back to back, each with data and buffers of its own

class Driver {
 public:
  Driver(const std::string& algorithm, const Shape& shape, bool in_place, const SlotConfig& config)
      : shape_(shape),
        prepared_(make(algorithm, shape, in_place, config)),
        buffers_(shape, {in_place, 0, (kOperations - 1) * shape.bytes() * kRanks * 2 + 1}) {}

  /// Two threads with two ranks each, which meet nowhere but in the operation.
  void drive_apart() {
    start();
    const auto work = [this](int first) {
      const auto open = [&](int rank) { return next_[static_cast<size_t>(rank)] < kOperations; };
      while (open(first) || open(first + 2)) {
        const bool moved = step(first);
        if (!step(first + 2) && !moved) std::this_thread::yield();
      }
    };
    std::thread other([&] { work(1); });
    work(0);
    other.join();
  }

  /// False: nobody can go on although not all are done.
  bool drive(unsigned seed) {
    std::mt19937 random(seed);
    start();
    int idle = 0;
    while (std::any_of(next_.begin(), next_.end(), [](size_t k) { return k < kOperations; })) {
      const int rank = static_cast<int>(random() % kRanks);
      bool moved = false;
      // Now a single step, now all that it can do.
      const unsigned turns = random() % 2 == 0 ? 1 : 1000;
      for (unsigned t = 0; t < turns && step(rank); ++t) moved = true;
      idle = moved ? 0 : idle + 1;
      if (idle > 1000) return false;
    }
    return true;
  }

  Verdict verdict(size_t k) const {
    std::vector<RankView> views;
    for (int rank = 0; rank < kRanks; ++rank) {
      const RankBuffers& at = buffers_.set(k)[rank];
      const auto& saved = saved_[k][static_cast<size_t>(rank)];
      std::copy(saved.begin(), saved.end(), real_start(at.output, real_output(shape_, rank)));
      views.push_back({at.input, at.output});
    }
    CheckSpec spec;
    spec.collective = shape_.collective;
    spec.root = shape_.root;
    spec.in_place = true;  // the inputs were overwritten
    spec.tiling = &prepared_.operation->tiling();
    spec.order = prepared_.operation->order();
    spec.data = data(k);
    Verdict verdict;
    for (size_t tile = 0; tile < spec.tiling->tiles(); ++tile) {
      verdict.merge(check_tile(spec, views, tile));
    }
    return verdict;
  }

 private:
  void start() {
    saved_.assign(kOperations, std::vector<std::vector<std::byte>>(kRanks));
    next_.assign(kRanks, 0);
    for (size_t k = 0; k < kOperations; ++k) fill(k);
    for (int rank = 0; rank < kRanks; ++rank) {
      prepared_.operation->begin(rank, buffers_.set(0)[rank]);
    }
  }

  std::byte* real_start(std::byte* base, const Range& real) const {
    return base + real.begin * size_of(shape_.dtype);
  }
  DataSpec data(size_t k) const {
    return {DataKind::kRandom, shape_.dtype, shape_.op, kRanks, 100 + k};
  }

  void fill(size_t k) const {
    for (int rank = 0; rank < kRanks; ++rank) {
      const RankBuffers& at = buffers_.set(k)[rank];
      const Range in = real_input(shape_, rank);
      const Range out = real_output(shape_, rank);
      poison(real_start(at.output, out), out.size * size_of(shape_.dtype));
      generate(data(k), rank, in.begin, in.size, real_start(at.input, in));
    }
  }

  bool step(int rank) {
    size_t& k = next_[static_cast<size_t>(rank)];
    if (k == kOperations) return false;
    const Advance advance = prepared_.operation->advance(rank);
    if (advance != Advance::kDone) return advance == Advance::kMoved;
    const RankBuffers& at = buffers_.set(k)[rank];
    const Range in = real_input(shape_, rank);
    const Range out = real_output(shape_, rank);
    const size_t bytes = out.size * size_of(shape_.dtype);
    const std::byte* result = real_start(at.output, out);
    saved_[k][static_cast<size_t>(rank)].assign(result, result + bytes);
    // The buffers are ours again.
    poison(real_start(at.input, in), in.size * size_of(shape_.dtype));
    poison(real_start(at.output, out), bytes);
    if (++k < kOperations) prepared_.operation->begin(rank, buffers_.set(k)[rank]);
    return true;
  }

  Shape shape_;
  Prepared prepared_;
  CaseBuffers buffers_;
  std::vector<size_t> next_;  // operation of the rank
  std::vector<std::vector<std::vector<std::byte>>> saved_;
};

class Contract : public testing::TestWithParam<Named> {};

TEST_P(Contract, ARankThatIsDoneOwnsItsBuffersWhateverTheOthersDo) {
  const auto& [collective, algorithm] = GetParam();
  for (const bool in_place : {false, true}) {
    for (const size_t block : {size_t{3}, size_t{40}, size_t{700}, size_t{9000}}) {
      for (const int variant : {0, 1}) {
        const Shape shape{
            collective,      kRanks,  1, block * kRanks - (blocked(collective) ? 0u : 1u),
            Dtype::kFloat32, Op::kSum};
        SlotConfig config;
        config.slots = 2 + variant;
        config.slot_bytes = 4096;
        config.direct_bytes = variant == 0 ? 0 : 2048;
        config.stream = variant == 1;
        for (unsigned seed = 0; seed < 3; ++seed) {
          Driver driver(algorithm, shape, in_place, config);
          ASSERT_TRUE(driver.drive(seed)) << "nobody can go on, " << shape.count << " elements";
          for (size_t k = 0; k < kOperations; ++k) {
            const Verdict verdict = driver.verdict(k);
            ASSERT_TRUE(verdict.ok())
                << "operation " << k << " of " << kOperations << ", " << shape.count << " elements"
                << (in_place ? ", in place: " : ": ") << verdict.wrong << " wrong, rank "
                << verdict.rank << ", index " << verdict.index << ", wanted " << verdict.wanted
                << ", got " << verdict.got;
          }
        }
      }
    }
  }
}

TEST_P(Contract, ThreadsThatMeetNowhereElse) {
  const auto& [collective, algorithm] = GetParam();
  for (const bool in_place : {false, true}) {
    for (const size_t block : {size_t{3}, size_t{12}, size_t{40}, size_t{3000}}) {
      const Shape shape{collective, kRanks, 1, block * kRanks, Dtype::kFloat32, Op::kSum};
      SlotConfig config;
      config.slots = 2;
      config.slot_bytes = 4096;
      config.stream = true;
      Driver driver(algorithm, shape, in_place, config);
      driver.drive_apart();
      for (size_t k = 0; k < kOperations; ++k) {
        EXPECT_TRUE(driver.verdict(k).ok()) << "operation " << k << ", " << shape.count
                                            << " elements" << (in_place ? ", in place" : "");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Contract, testing::ValuesIn(every_algorithm()),
                         [](const auto& each) { return identifier(each.param); });

}  // namespace
}  // namespace arb
