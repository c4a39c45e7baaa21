// What GPUs write before a run is what the host would write.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>

#include "collectives/error.hpp"
#include "tests/verify/message.hpp"
#include "verify/cuda/device_tools.hpp"

namespace arb {
namespace {

constexpr size_t kBytes = 8192;

/// Memory of GPU 1, whose rank is 1; rank 0 lies in plain memory.
class InputsTest : public testing::Test {
 protected:
  InputsTest() : tools_(gpu_buffer_tools({kNone, 1})) {
    cudaSetDevice(1);
    void* memory = nullptr;
    cudaMalloc(&memory, kBytes);
    memory_ = static_cast<std::byte*>(memory);
    cudaSetDevice(0);
  }
  ~InputsTest() override { cudaFree(memory_); }

  void clear() {
    const std::vector<std::byte> nothing(kBytes, std::byte{0x11});
    cudaMemcpy(memory_, nothing.data(), kBytes, cudaMemcpyHostToDevice);
  }
  std::vector<std::byte> content() const {
    std::vector<std::byte> here(kBytes);
    tools_->read(1, memory_, kBytes, here.data());
    return here;
  }

  std::unique_ptr<BufferTools> tools_;
  std::byte* memory_ = nullptr;
};

TEST_F(InputsTest, AreThoseOfTheHostForEveryTypeOperatorAndKind) {
  std::vector<std::byte> wanted(kBytes);
  for (const DataKind kind : {DataKind::kExact, DataKind::kRandom, DataKind::kExtreme}) {
    for (const Dtype dtype : kDtypes) {
      for (const Op op : kOps) {
        if (unsupported(dtype, op)) continue;
        for (const int ranks : {1, 3, 8, 300}) {
          DataSpec spec{kind, dtype, op, ranks, 77};
          // The second begins before the border of a segment and ends behind it.
          for (const size_t first : {size_t{0}, size_t{3 * 65536 - 51}, size_t{1} << 40}) {
            clear();
            wanted = content();
            const size_t at = 3 * size_of(dtype);
            generate(spec, 1, first, 103, wanted.data() + at);
            tools_->generate(spec, 1, first, 103, memory_ + at);
            ASSERT_EQ(std::memcmp(content().data(), wanted.data(), kBytes), 0)
                << test::label(spec) << " from " << first;
          }
        }
      }
    }
  }
}

TEST_F(InputsTest, PoisonCoversWhatItShouldAndNothingElse) {
  for (const size_t at : {0, 1, 2, 15, 16, 31}) {
    for (const size_t bytes : {0, 1, 2, 3, 15, 16, 17, 31, 48, 1000, 8100}) {
      clear();
      std::vector<std::byte> wanted = content();
      poison(wanted.data() + at, bytes);
      tools_->poison(1, memory_ + at, bytes);
      ASSERT_EQ(std::memcmp(content().data(), wanted.data(), kBytes), 0) << at << ' ' << bytes;
    }
  }
}

TEST_F(InputsTest, GuardsAreSetAndWatched) {
  clear();
  std::vector<std::byte> wanted = content();
  set_guard(wanted.data() + 64, kGuardBytes, 9);
  tools_->set_guard(1, memory_ + 64, kGuardBytes, 9);
  EXPECT_EQ(std::memcmp(content().data(), wanted.data(), kBytes), 0);
  EXPECT_EQ(tools_->changed_guard(1, memory_ + 64, kGuardBytes, 9), -1);
  EXPECT_NE(tools_->changed_guard(1, memory_ + 64, kGuardBytes, 8), -1);
  for (const size_t offset : {size_t{0}, size_t{17}, kGuardBytes - 1}) {
    const std::byte changed = wanted[64 + offset] ^ std::byte{1};
    cudaMemcpy(memory_ + 64 + offset, &changed, 1, cudaMemcpyHostToDevice);
    EXPECT_EQ(tools_->changed_guard(1, memory_ + 64, kGuardBytes, 9), static_cast<long>(offset));
    tools_->set_guard(1, memory_ + 64, kGuardBytes, 9);
  }
}

TEST_F(InputsTest, DigestsAreThoseOfTheHost) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kInt8}) {
    tools_->generate({DataKind::kRandom, dtype, Op::kMin, 2, 5}, 1, 0, 1000, memory_);
    const std::vector<std::byte> here = content();
    EXPECT_EQ(tools_->digest(1, dtype, memory_, 1000),
              host_buffer_tools().digest(1, dtype, here.data(), 1000));
    EXPECT_NE(tools_->digest(1, dtype, memory_, 1000), tools_->digest(1, dtype, memory_, 999));
  }
}

TEST_F(InputsTest, ARankInPlainMemoryIsServedByTheHost) {
  std::vector<std::byte> plain(400), wanted(400);
  const DataSpec spec{DataKind::kRandom, Dtype::kFloat32, Op::kSum, 2, 5};
  generate(spec, 0, 7, 100, wanted.data());
  tools_->generate(spec, 0, 7, 100, plain.data());
  EXPECT_EQ(plain, wanted);
  tools_->set_guard(0, plain.data(), kGuardBytes, 1);
  EXPECT_EQ(tools_->changed_guard(0, plain.data(), kGuardBytes, 1), -1);
  EXPECT_EQ(changed_guard(plain.data(), kGuardBytes, 1), -1);
  tools_->poison(0, plain.data(), 400);
  poison(wanted.data(), 400);
  EXPECT_EQ(plain, wanted);
}

TEST_F(InputsTest, TheCurrentGpuStaysTheCurrentOne) {
  tools_->poison(1, memory_, 100);
  int device = -1;
  cudaGetDevice(&device);
  EXPECT_EQ(device, 0);
}

TEST(DeviceTools, AGpuThatIsNotThereIsAnError) { EXPECT_THROW(gpu_buffer_tools({99}), Error); }

}  // namespace
}  // namespace arb
