// The state of GPUs over a case, read through a made-up management library.
#include "bench/gpu_watch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace arb {
namespace {

std::vector<Gpu> gpus(const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<Gpu> all;
  for (const auto& [uuid, pci] : names) {
    Gpu gpu;
    gpu.uuid = uuid;
    gpu.pci = pci;
    all.push_back(gpu);
  }
  return all;
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(GpuWatch, KeepsWhatIsWorstOfAllGpus) {
  const Nvml nvml(ARB_FAKE_NVML);
  GpuWatch watch(nvml);
  watch.begin(gpus({{"GPU-0", ""}, {"GPU-1", "0000:2a:00.0"}}));
  watch.look();
  watch.look();
  const auto state = watch.state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->sm_clock_mhz, 1755);
  EXPECT_EQ(state->memory_clock_mhz, 2619);
  EXPECT_EQ(state->power_w, 400);
  EXPECT_EQ(state->temperature_c, 61);
  EXPECT_EQ(state->throttle_reasons, std::vector<std::string>{});
  EXPECT_EQ(state->ecc_errors, 0);
  EXPECT_EQ(state->nvlinks, 3);
  EXPECT_EQ(state->nvlink_errors, 0) << "those from before do not count";
  EXPECT_FALSE(watch.throttled());
}

TEST(GpuWatch, OneLookAtAThrottledGpuIsEnough) {
  const Nvml nvml(ARB_FAKE_NVML);
  GpuWatch watch(nvml);
  watch.begin(gpus({{"GPU-0", ""}}));
  watch.look();
  {
    const Variable hot("FAKE_NVML_REASONS", "24");
    watch.look();
  }
  watch.look();
  EXPECT_TRUE(watch.throttled());
  EXPECT_EQ(watch.state()->throttle_reasons,
            (std::vector<std::string>{"software power cap", "software thermal"}));
  watch.begin(gpus({{"GPU-0", ""}}));
  watch.look();
  EXPECT_FALSE(watch.throttled()) << "another case";
}

TEST(GpuWatch, BeingIdleOrSetByTheUserIsNoThrottling) {
  const Nvml nvml(ARB_FAKE_NVML);
  GpuWatch watch(nvml);
  watch.begin(gpus({{"GPU-0", ""}}));
  const Variable set("FAKE_NVML_REASONS", "13");
  watch.look();
  EXPECT_FALSE(watch.throttled());
  EXPECT_EQ(watch.state()->throttle_reasons,
            (std::vector<std::string>{"application clocks", "sync boost"}));
}

TEST(GpuWatch, CountsTheErrorsThatWereAdded) {
  const Nvml nvml(ARB_FAKE_NVML);
  GpuWatch watch(nvml);
  {
    const Variable before("FAKE_NVML_ECC", "2");
    watch.begin(gpus({{"GPU-0", ""}}));
  }
  const Variable after("FAKE_NVML_ECC", "5");
  EXPECT_EQ(watch.state()->ecc_errors, 3);
}

TEST(GpuWatch, KnowsNothingWithoutTheLibraryOrTheGpu) {
  const Nvml missing("/no/such/library");
  GpuWatch blind(missing);
  blind.begin(gpus({{"GPU-0", ""}}));
  blind.look();
  EXPECT_FALSE(blind.state());
  EXPECT_FALSE(blind.throttled());
  const Nvml nvml(ARB_FAKE_NVML);
  GpuWatch watch(nvml);
  watch.begin(gpus({{"GPU-9", "0000:99:00.0"}}));
  watch.look();
  EXPECT_FALSE(watch.state());
  const Nvml bare(ARB_FAKE_NVML_BARE);
  GpuWatch silent(bare);
  silent.begin(gpus({{"GPU-0", ""}}));
  silent.look();
  EXPECT_FALSE(silent.state());
}

}  // namespace
}  // namespace arb
