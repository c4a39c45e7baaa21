// What is read through a management library that knows everything, one that knows nothing, one that
// does not start, and one that is not there.
#include "collectives/runners/cuda/nvml.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace arb {
namespace {

TEST(Nvml, ReadsWhatTheLibraryTells) {
  const Nvml nvml(ARB_FAKE_NVML);
  ASSERT_EQ(nvml.off(), "");
  EXPECT_EQ(nvml.driver(), "580.65.06");
  const auto device = nvml.find("GPU-0", "");
  ASSERT_NE(device, nullptr);
  const GpuReading reading = nvml.read(device);
  EXPECT_EQ(reading.sm_clock_mhz, 1980);
  EXPECT_EQ(reading.memory_clock_mhz, 2619);
  EXPECT_EQ(reading.power_w, 350.5);
  EXPECT_EQ(reading.temperature_c, 61);
  EXPECT_EQ(reading.throttle_reasons, 1U);
  const GpuHealth health = nvml.examine(device);
  EXPECT_EQ(health.corrected_errors, 7U);
  EXPECT_EQ(health.uncorrected_errors, 0U);
  EXPECT_EQ(health.nvlinks, 3);         // the fourth is down
  EXPECT_EQ(health.nvlink_errors, 6U);  // two kinds of 0 + 1 + 2
  EXPECT_EQ(health.mig, false);
  EXPECT_EQ(health.pcie_generation, 5);
  EXPECT_EQ(health.pcie_width, 16);
}

TEST(Nvml, AGpuIsAlsoFoundByItsPlaceAndMayNotKnowAll) {
  const Nvml nvml(ARB_FAKE_NVML);
  const auto device = nvml.find("MIG-1", "0000:2a:00.0");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(nvml.read(device).sm_clock_mhz, 1755);
  EXPECT_EQ(nvml.read(device).temperature_c, std::nullopt);
  const GpuHealth health = nvml.examine(device);
  EXPECT_EQ(health.uncorrected_errors, std::nullopt);
  EXPECT_EQ(health.nvlinks, std::nullopt);
  EXPECT_EQ(health.nvlink_errors, std::nullopt);
  EXPECT_EQ(health.mig, std::nullopt);
  EXPECT_EQ(nvml.find("GPU-7", "0000:77:00.0"), nullptr);
}

TEST(Nvml, ALibraryWithoutTheFunctionsTellsNothing) {
  const Nvml nvml(ARB_FAKE_NVML_BARE);
  ASSERT_EQ(nvml.off(), "");
  EXPECT_EQ(nvml.driver(), std::nullopt);
  const auto device = nvml.find("GPU-0", "");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(nvml.read(device).sm_clock_mhz, std::nullopt);
  EXPECT_EQ(nvml.read(device).throttle_reasons, std::nullopt);
  EXPECT_EQ(nvml.examine(device).nvlinks, std::nullopt);
  EXPECT_EQ(nvml.find("GPU-1", "0000:2a:00.0"), nullptr);
}

TEST(Nvml, SaysWhyItIsOff) {
  const Nvml broken(ARB_FAKE_NVML_BROKEN);
  EXPECT_EQ(broken.off(), "nvmlInit: Driver Not Loaded");
  EXPECT_EQ(broken.find("GPU-0", ""), nullptr);
  EXPECT_EQ(broken.driver(), std::nullopt);
  const Nvml missing("/no/such/libnvidia-ml.so.1");
  EXPECT_NE(missing.off().find("/no/such/libnvidia-ml.so.1"), std::string::npos) << missing.off();
  EXPECT_EQ(missing.read(nullptr).power_w, std::nullopt);
  EXPECT_EQ(missing.examine(nullptr).mig, std::nullopt);
}

TEST(Nvml, TheVariableNamesTheLibrary) {
  setenv("ARB_NVML_LIBRARY", ARB_FAKE_NVML, 1);
  const Nvml nvml;
  unsetenv("ARB_NVML_LIBRARY");
  EXPECT_EQ(nvml.off(), "");
}

TEST(Nvml, NamesWhatSlowsAGpu) {
  EXPECT_EQ(throttle_names(0), std::vector<std::string>{});
  EXPECT_EQ(throttle_names(1), std::vector<std::string>{});
  EXPECT_EQ(throttle_names(0x1 | 0x4 | 0x40),
            (std::vector<std::string>{"software power cap", "hardware thermal"}));
  for (const uint64_t slow : {0x4, 0x8, 0x20, 0x40, 0x80}) EXPECT_NE(slow & kSlowingReasons, 0U);
  for (const uint64_t wanted : {0x1, 0x2, 0x10, 0x100}) EXPECT_EQ(wanted & kSlowingReasons, 0U);
}

}  // namespace
}  // namespace arb
