#include "bench/doctor.hpp"

#include <gtest/gtest.h>

#include "bench/build_info.hpp"
#include "bench/list.hpp"
#include "bench/option_table.hpp"
#include "collectives/runners/cuda/gpus.hpp"

namespace arb {
namespace {

Examination healthy() {
  Examination e;
  e.system.host = "node1";
  e.system.kernel = "6.1";
  e.system.cpu = "AMD EPYC";
  e.system.cpus = {0, 1, 2, 3};
  e.system.memory_total_bytes = uint64_t{16} << 30;
  e.system.memory_available_bytes = uint64_t{16} << 30;
  e.system.topology = {1, 4, 4, 1, 1048576, 3, 1, 33554432};
  e.system.huge_pages = "madvise";
  e.system.governor = "performance";
  e.system.load = 0.1;
  e.limits = MemoryLimits{20.5, 18.25};
  e.busy_cores = 0.02;
  return e;
}

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Doctor, DescribesAHealthyMachine) {
  const std::string text = doctor_text(healthy());
  EXPECT_TRUE(mentions(text, "  host             node1\n")) << text;
  EXPECT_TRUE(mentions(text, "  topology         1 package, 4 cores, 4 threads, 1 NUMA node\n"));
  EXPECT_TRUE(mentions(text, "  cores            4 usable of 4 in the affinity mask\n"));
  EXPECT_TRUE(mentions(text, "  memory           15.0 GiB usable of 16.0 GiB\n"));
  EXPECT_TRUE(mentions(text, "  caches           L3 32.0 MiB in 1 part, L2 1.0 MiB each\n"));
  EXPECT_TRUE(mentions(text, "  copy             20.50 GB/s\n"));
  EXPECT_TRUE(mentions(text, "  host             available\n"));
  EXPECT_TRUE(mentions(text, cuda_off().empty() ? "  cuda             available\n"
                                                : "  cuda             off: " + cuda_off()));
  EXPECT_FALSE(mentions(text, "GPUs\n")) << "they were not looked for";
  EXPECT_TRUE(mentions(text, "Advice\n  none"));
}

TEST(Doctor, SaysNothingItDoesNotKnow) {
  Examination e;
  e.system.cpus = {0, 1};
  e.system.memory_available_bytes = uint64_t{16} << 30;
  const std::string text = doctor_text(e);
  EXPECT_FALSE(mentions(text, "Measured limits"));
  EXPECT_FALSE(mentions(text, "  load"));
  EXPECT_TRUE(mentions(text, "  caches           unknown\n"));
}

TEST(Doctor, AdvisesOnEachComplaint) {
  const auto first = [](const Examination& e) {
    const auto all = advice(e);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? "" : all[0];
  };
  Examination e = healthy();
  e.system.governor = "powersave";
  EXPECT_TRUE(mentions(first(e), "'powersave'"));
  e = healthy();
  e.system.huge_pages = "never";
  EXPECT_TRUE(mentions(first(e), "transparent_hugepage"));
  e = healthy();
  e.busy_cores = 1.5;
  EXPECT_TRUE(mentions(first(e), "1.5 of 4 usable cores busy"));
  e = healthy();
  e.system.limits.cores = 2;
  EXPECT_TRUE(mentions(first(e), "quota of 2.00"));
  e = healthy();
  e.system.cpus = {0};
  EXPECT_TRUE(mentions(first(e), "one usable core"));
  e = healthy();
  e.system.topology.threads = 8;
  EXPECT_TRUE(mentions(first(e), "--workers 4"));
  e = healthy();
  e.system.limits.memory_left_bytes = 1 << 20;
  EXPECT_TRUE(mentions(first(e), "--in-place"));
  e = healthy();
  e.system.topology.numa_nodes = 2;
  EXPECT_TRUE(mentions(first(e), "numactl"));
}

TEST(Doctor, ShowsGpusAndTheirAdvice) {
  Examination e = healthy();
  e.gpus.emplace();
  e.gpus->system.gpus.emplace_back();
  e.gpus->system.gpus[0].name = "NVIDIA H200";
  const std::string text = doctor_text(e);
  EXPECT_TRUE(mentions(text, "GPUs\n  GPU 0            NVIDIA H200, ")) << text;
  EXPECT_TRUE(mentions(text, "  * with one GPU, --backend cuda needs --ranks-per-gpu 8")) << text;
}

TEST(Doctor, KnowsABusyMachine) {
  EXPECT_FALSE(is_busy(0.1, 2));
  EXPECT_TRUE(is_busy(0.5, 2));
  EXPECT_FALSE(is_busy(0.5, 64));
  EXPECT_TRUE(is_busy(1.0, 64));
}

TEST(List, NamesEverythingAUserCanName) {
  const auto known = known_algorithms();
  const std::string text = list_text(known);
  for (const NamedAlgorithm& row : known)
    EXPECT_TRUE(mentions(text, "  " + row.name + " ")) << row.name;
  for (const Backend& backend : backends()) {
    const std::string state = backend.off.empty() ? backend.summary : "off: " + backend.off;
    EXPECT_TRUE(mentions(text, backend.name)) << backend.name;
    EXPECT_TRUE(mentions(text, state)) << state << "\n" << text;
  }
  for (const auto& choices :
       {collective_choices(), dtype_choices(), op_choices(), format_choices()}) {
    for (const std::string& word : choices) EXPECT_TRUE(mentions(text, word)) << word;
  }
  for (const char* words : {"scheduled", "native", ".csv", "  cuda   ",
                            "NCCL_ALGO=Ring (cuda only)", "avg is not for int8"}) {
    EXPECT_TRUE(mentions(text, words)) << words << "\n" << text;
  }
}

TEST(List, SaysWhenACollectiveHasNoAlgorithm) {
  EXPECT_TRUE(mentions(list_text({}), "all-reduce\n  (no algorithm)\n"));
}

}  // namespace
}  // namespace arb
