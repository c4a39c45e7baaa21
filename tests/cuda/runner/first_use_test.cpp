// What an operation does the first time it runs, and what must not be in its way.
#include <cstdlib>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/device_operation.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

/// Waits for the GPUs when it is first put on their streams, as NCCL does while it connects.
class Connects final : public DeviceOperation {
 public:
  void enqueue(std::span<const LocalGpu> gpus, const RankBuffers* /*buffers*/,
               int /*stall_rank*/) override {
    for (const LocalGpu& gpu : gpus) {
      if (!connected_) code_ = cudaStreamSynchronize(gpu.stream);
    }
    connected_ = true;
  }
  std::string where(int /*rank*/) const override { return "connects"; }
  int waits_for(int /*rank*/) const override { return kNone; }
  const Tiling& tiling() const override { return tiling_; }
  const ReductionOrder* order() const override { return nullptr; }

  cudaError_t code() const { return code_; }

 private:
  Tiling tiling_{0, 1, false, 1, 1};
  bool connected_ = false;
  cudaError_t code_ = cudaSuccess;
};

TEST(FirstUse, NothingHoldsTheStreamsUp) {
  emulated::configure({});
  GroupOptions options;
  options.gpus = 2;
  const auto group = make_group(options);
  Connects operation;
  const std::vector<RankBuffers> buffers(2);
  const std::vector<Execution> twice(2, {&operation, buffers.data(), 2});
  EXPECT_EQ(group->crew().run(twice).size(), 2U);
  EXPECT_EQ(operation.code(), cudaSuccess) << emulated::last_deadlock();
}

TEST(FirstUse, LaunchesThatBlockAreRefused) {
  emulated::configure({});
  ASSERT_EQ(setenv("CUDA_LAUNCH_BLOCKING", "1", 1), 0);
  try {
    make_group({});
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("unset it"), std::string::npos);
  }
  ASSERT_EQ(setenv("CUDA_LAUNCH_BLOCKING", "0", 1), 0);
  EXPECT_NE(make_group({}), nullptr);
  unsetenv("CUDA_LAUNCH_BLOCKING");
}

}  // namespace
}  // namespace arb
