// one-shot and two-shot: rank order, bit by bit, also where their epochs wrap; and the small
// kernels.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collectives/ops/kernels.hpp"
#include "collectives/runners/cuda/device/latch.hpp"
#include "collectives/runners/cuda/device/one_shot.hpp"
#include "collectives/runners/cuda/device/probe.hpp"
#include "collectives/runners/cuda/device/two_shot.hpp"
#include "data.hpp"
#include "grid.hpp"

namespace arb {
namespace {

constexpr uint32_t kBlocks = 2;  // of a rank
constexpr uint32_t kBlockThreads = 3;

struct NativeConfig {
  bool one_shot = true;
  bool in_place = false;
  size_t unalign = 0;
  uint32_t epoch = 0;
};

class Native {
 public:
  Native(const Shape& shape, const NativeConfig& config)
      : shape_(shape), config_(config), ranks_(static_cast<size_t>(shape.ranks)) {
    const size_t off = config.unalign * size_of(shape.dtype);
    const size_t region = (shape.bytes() + off + 15) / 16 * 16;
    args_.inbox_lines = lines_of(shape.bytes());
    for (size_t r = 0; r < ranks_; ++r) {
      memory_.emplace_back(2 * region / 8 + 2);
      auto* base = reinterpret_cast<std::byte*>(memory_[r].data()) + off;
      args_.buffers[r] = {base, config.in_place ? base : base + region};
      inboxes_.emplace_back(2 * ranks_ * args_.inbox_lines);
      epochs_.emplace_back(kBlocks, config.epoch);
      arrived_.emplace_back(kBlocks * ranks_, config.epoch);
      inbox_at_.push_back(reinterpret_cast<std::byte*>(inboxes_[r].data()));
      arrived_at_.push_back(arrived_[r].data());
    }
    for (size_t r = 0; r < ranks_; ++r) {
      local_.push_back({static_cast<int32_t>(r), epochs_[r].data(), inbox_at_[r], inbox_at_.data(),
                        arrived_at_[r], arrived_at_.data()});
    }
    args_.local = local_.data();
    args_.ranks = args_.local_ranks = shape.ranks;
    args_.blocks_per_rank = kBlocks;
    args_.count = shape.count;
    args_.dtype = shape.dtype;
    args_.op = shape.op;
    reports_.resize(ranks_ * kBlocks);
  }

  void run(const DeviceControl& control = {}) {
    args_.control = control;
    args_.control.reports = reports_.data();
    run_grid(static_cast<uint32_t>(ranks_) * kBlocks, kBlockThreads, [&](const Thread& thread) {
      if (config_.one_shot) {
        run_one_shot(thread, args_);
      } else {
        run_two_shot(thread, args_);
      }
    });
  }

  std::string run_checked(uint64_t seed) {
    const size_t bytes = shape_.bytes();
    std::vector<std::byte> wanted(bytes);
    for (size_t r = 0; r < ranks_; ++r) {
      fill_data(args_.buffers[r].input, shape_, seed, static_cast<int>(r));
    }
    const Kernels host = kernels(shape_.dtype, shape_.op);
    if (bytes != 0) std::memcpy(wanted.data(), args_.buffers[0].input, bytes);
    for (size_t r = 1; r < ranks_; ++r) {
      host.reduce(wanted.data(), wanted.data(), aligned_copy(args_.buffers[r].input).data(),
                  shape_.count);
    }
    if (host.finish != nullptr) host.finish(wanted.data(), shape_.count, shape_.ranks);
    run();
    for (size_t r = 0; r < ranks_; ++r) {
      if (bytes != 0 && std::memcmp(args_.buffers[r].output, wanted.data(), bytes) != 0) {
        return "rank " + std::to_string(r) + " is wrong";
      }
    }
    return {};
  }

  std::vector<DeviceReport>& reports() { return reports_; }
  uint32_t epoch(size_t rank, uint32_t block) const { return epochs_[rank][block]; }

 private:
  std::vector<std::byte> aligned_copy(const std::byte* from) const {
    return {from, from + shape_.bytes()};
  }

  Shape shape_;
  NativeConfig config_;
  size_t ranks_;
  NativeArgs args_;
  std::vector<std::vector<uint64_t>> memory_;
  std::vector<std::vector<Line>> inboxes_;
  std::vector<std::vector<uint32_t>> epochs_, arrived_;
  std::vector<std::byte*> inbox_at_;
  std::vector<uint32_t*> arrived_at_;
  std::vector<NativeRank> local_;
  std::vector<DeviceReport> reports_;
};

Shape shape_of(int ranks, size_t count, Dtype dtype = Dtype::kFloat32, Op op = Op::kSum) {
  Shape shape;
  shape.ranks = ranks;
  shape.count = count;
  shape.dtype = dtype;
  shape.op = op;
  return shape;
}

class Natives : public ::testing::TestWithParam<bool> {
 protected:
  static NativeConfig config() {
    NativeConfig config;
    config.one_shot = GetParam();
    return config;
  }
};

TEST_P(Natives, ReduceInRankOrder) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (const size_t count : {0, 1, 5, 63, 64, 301}) {
      for (const bool in_place : {false, true}) {
        NativeConfig with = config();
        with.in_place = in_place;
        with.unalign = count % 2;
        Native native(shape_of(ranks, count), with);
        for (uint64_t seed = 1; seed <= 4; ++seed) {
          ASSERT_EQ(native.run_checked(seed), "") << ranks << " ranks, " << count << " elements";
        }
      }
    }
  }
}

TEST_P(Natives, MoreRanksThanLinesInFlight) {
  Native native(shape_of(6, 40), config());
  for (uint64_t seed = 1; seed <= 3; ++seed) ASSERT_EQ(native.run_checked(seed), "");
}

TEST_P(Natives, EveryElementTypeAndOperator) {
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      if (unsupported(dtype, op)) continue;
      Native native(shape_of(3, 147, dtype, op), config());
      ASSERT_EQ(native.run_checked(7), "") << name(dtype) << ' ' << name(op);
    }
  }
}

TEST_P(Natives, EpochsWrap) {
  for (uint32_t back = 0; back < 6; ++back) {
    NativeConfig with = config();
    with.epoch = 0xffffffffU - back;
    Native native(shape_of(3, 50), with);
    for (uint64_t seed = 1; seed <= 5; ++seed) ASSERT_EQ(native.run_checked(seed), "");
  }
}

TEST_P(Natives, AStalledRankIsNamed) {
  Native native(shape_of(3, 50), config());
  ASSERT_EQ(native.run_checked(1), "");
  const uint32_t epoch = native.epoch(0, 0);
  DeviceControl control;
  control.stall_rank = 1;
  control.most_polls = 300;
  native.run(control);
  for (size_t b = 0; b < native.reports().size(); ++b) {
    const DeviceReport& report = native.reports()[b];
    const auto rank = static_cast<int32_t>(b / kBlocks);
    EXPECT_EQ(report.rank, rank);
    if (rank == 1) {
      EXPECT_EQ(report.awaited, Awaited::kStart);
      continue;
    }
    EXPECT_EQ(report.awaited, GetParam() ? Awaited::kData : Awaited::kRank);
    EXPECT_EQ(report.peer, 1);
  }
  EXPECT_EQ(native.epoch(0, 0), epoch);
}

INSTANTIATE_TEST_SUITE_P(Both, Natives, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "one_shot" : "two_shot"; });

TEST(Epochs, AlternateBetweenTheHalvesAndAreNever0) {
  for (uint32_t epoch = 0xfffffff0U, i = 0; i < 32; ++i) {
    const uint32_t next = next_epoch(epoch);
    EXPECT_NE(next, 0U);
    EXPECT_NE(next % 2, epoch % 2);
    epoch = next;
  }
  EXPECT_EQ(next_epoch(0), 1U);
}

TEST(Latch, OpensAtItsTicketAndGivesUpAtTheLimit) {
  uint64_t go = 4;
  DeviceReport report;
  LatchArgs args;
  args.go = &go;
  args.ticket = 5;
  args.control.reports = &report;
  std::thread host([&] { __atomic_store_n(&go, uint64_t{5}, __ATOMIC_RELEASE); });
  run_grid(1, 1, [&](const Thread& thread) { run_latch(thread, args); });
  host.join();
  EXPECT_EQ(report.awaited, Awaited::kNothing);
  args.ticket = 6;
  args.control.most_polls = 10;
  run_grid(1, 1, [&](const Thread& thread) { run_latch(thread, args); });
  EXPECT_EQ(report.awaited, Awaited::kStart);
}

TEST(Probe, CountsWhatDiffers) {
  std::vector<uint64_t> memory(1000);
  uint64_t wrong = 99;
  ProbeArgs args{memory.data(), memory.size(), 17, &wrong};
  const auto check = [&] {
    run_grid(1, 4, [&](const Thread& thread) { run_probe_check(thread, args); });
    return wrong;
  };
  EXPECT_EQ(check(), 1000U);
  run_grid(1, 4, [&](const Thread& thread) { run_probe_write(thread, args); });
  EXPECT_EQ(check(), 0U);
  memory[3] ^= 1;
  memory[999] ^= uint64_t{1} << 63;
  EXPECT_EQ(check(), 2U);
}

}  // namespace
}  // namespace arb
