// What doctor says of GPUs; they are made up.
#include "bench/doctor_gpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace arb {
namespace {

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

GpuExamination two_gpus() {
  GpuExamination e;
  e.system.driver = "13.0";
  e.system.runtime = "12.8";
  e.driver = "580.65.06";
  for (const char* uuid : {"GPU-aa", "GPU-bb"}) {
    Gpu gpu;
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.uuid = uuid;
    gpu.pci = "0000:1b:00.0";
    gpu.compute_major = 9;
    gpu.multiprocessors = 132;
    gpu.memory_bytes = uint64_t{80} << 30;
    gpu.free_bytes = uint64_t{79} << 30;
    gpu.l2_bytes = uint64_t{50} << 20;
    gpu.cooperative = true;
    e.system.gpus.push_back(gpu);
  }
  e.system.paths = {{PeerPath::kSame, PeerPath::kPeer}, {PeerPath::kPeer, PeerPath::kSame}};
  GpuReading reading;
  reading.sm_clock_mhz = 1980;
  reading.power_w = 75.4;
  reading.throttle_reasons = 1;
  GpuHealth health;
  health.nvlinks = 18;
  health.uncorrected_errors = 0;
  e.readings = {reading, {}};
  e.health = {health, {}};
  e.nccl = "2.28.9";
  e.has_nccl = true;
  return e;
}

TEST(DoctorGpus, DescribesThemAndHowTheyReachEachOther) {
  const std::string text = gpus_text(two_gpus());
  for (const char* line :
       {"  GPU 0            NVIDIA H100 80GB HBM3, compute 9.0, 132 SMs, 80.0 GiB (79.0 GiB free), "
        "L2 50.0 MiB, 0000:1b:00.0, GPU-aa\n",
        "                   SMs at 1980 MHz, 75 W, 18 NVLinks active, 0 uncorrected ECC errors\n",
        "GPU-bb\n  peer access             0       1   (row reads column",
        "    GPU 0                 -  direct\n", "    GPU 1            direct       -\n",
        "  driver           580.65.06, for CUDA 13.0\n", "  runtime          CUDA 12.8\n",
        "  NCCL             2.28.9\n"}) {
    EXPECT_TRUE(mentions(text, line)) << line << "\n" << text;
  }
  EXPECT_FALSE(mentions(text, "NVML"));
  EXPECT_TRUE(gpu_advice(two_gpus()).empty());
}

TEST(DoctorGpus, SaysWhyThereAreNone) {
  GpuExamination e;
  e.system.off = "no GPU is visible";
  e.nvml_off = "libnvidia-ml.so.1: not found";
  e.nccl = "libnccl.so.2: not found";
  EXPECT_EQ(gpus_text(e),
            "GPUs\n  none             no GPU is visible\n"
            "  NVML             off: libnvidia-ml.so.1: not found\n"
            "  NCCL             off: libnccl.so.2: not found\n");
  EXPECT_TRUE(gpu_advice(e).empty());
}

TEST(DoctorGpus, AdvisesOnEachComplaint) {
  const auto only = [](const GpuExamination& e) {
    const auto all = gpu_advice(e);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? "" : all[0];
  };
  GpuExamination e = two_gpus();
  e.system.paths[0][1] = PeerPath::kBroken;
  EXPECT_TRUE(mentions(only(e), "IOMMU"));
  EXPECT_TRUE(mentions(gpus_text(e), "-  BROKEN\n"));
  e = two_gpus();
  e.system.paths[1][0] = e.system.paths[0][1] = PeerPath::kRefused;
  EXPECT_TRUE(mentions(only(e), "2 of the ways"));
  e = two_gpus();
  e.readings[1].throttle_reasons = 0x40;
  EXPECT_TRUE(mentions(only(e), "GPU 1 is slowed now by hardware thermal"));
  e = two_gpus();
  e.health[0].uncorrected_errors = 3;
  EXPECT_TRUE(mentions(only(e), "GPU 0 has had 3 uncorrected"));
  e = two_gpus();
  e.health[0].nvlink_errors = 5;
  EXPECT_TRUE(mentions(only(e), "5 errors"));
  e = two_gpus();
  e.health[0].mig = true;
  EXPECT_TRUE(mentions(only(e), "MIG"));
  e = two_gpus();
  e.system.gpus.pop_back();
  e.system.paths.clear();
  EXPECT_TRUE(mentions(only(e), "--ranks-per-gpu 8"));
}

TEST(DoctorGpus, LooksAtThisMachineWhateverItHas) {
  const GpuExamination e = examine_gpus();
  EXPECT_EQ(e.readings.size(), e.system.gpus.size());
  EXPECT_TRUE(e.system.gpus.empty() == !e.system.off.empty());
  EXPECT_FALSE(e.nccl.empty());
}

}  // namespace
}  // namespace arb
