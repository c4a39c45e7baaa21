#include "bench/system.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"

namespace arb {
namespace {

constexpr uint64_t kMib = uint64_t{1} << 20;

TEST(CgroupLimits, Version2TakesTheTightestLevel) {
  const Folder root;
  root.put("proc/self/mountinfo",
           "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  root.put("proc/self/cgroup", "0::/user.slice/job\n");
  root.put("sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
  root.put("sys/fs/cgroup/user.slice/memory.current", "536870912\n");
  root.put("sys/fs/cgroup/user.slice/memory.stat", "anon 1\ninactive_file 268435456\n");
  root.put("sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n");
  root.put("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  root.put("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_EQ(limits.memory_bytes, 1024 * kMib);
  EXPECT_EQ(limits.memory_left_bytes, 768 * kMib);  // page cache that can go does not count
  EXPECT_EQ(limits.cores, 2.5);
}

TEST(CgroupLimits, Version2InsideAContainer) {
  const Folder root;
  root.put("proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  root.put("proc/self/cgroup", "0::/docker/abc\n");
  root.put("sys/fs/cgroup/memory.max", "4096\n");
  root.put("sys/fs/cgroup/memory.current", "8192\n");
  root.put("sys/fs/cgroup/cpu.max", "50000 100000\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_EQ(limits.memory_bytes, 4096U);
  EXPECT_EQ(limits.memory_left_bytes, 0U);  // over the limit is not a huge number
  EXPECT_EQ(limits.cores, 0.5);
}

TEST(CgroupLimits, Version1HasOneTreePerController) {
  const Folder root;
  root.put("proc/self/mountinfo",
           "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
           "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
           "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  root.put("proc/self/cgroup", "4:memory:/a\n2:cpu,cpuacct:/a\n0::/\n");
  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2097152\n");
  root.put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1048576\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_EQ(limits.memory_bytes, 2 * kMib);
  EXPECT_EQ(limits.memory_left_bytes, kMib);
  EXPECT_EQ(limits.cores, 4.0);
}

TEST(CgroupLimits, AMachineWithoutAnyHasNone) {
  const Folder root;
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_FALSE(limits.memory_bytes);
  EXPECT_FALSE(limits.memory_left_bytes);
  EXPECT_FALSE(limits.cores);
}

TEST(System, UsableCoresRespectAffinityAndQuota) {
  System system;
  system.cpus = {0, 1, 2, 3};
  EXPECT_EQ(system.usable_cores(), 4);
  system.limits.cores = 2.5;
  EXPECT_EQ(system.usable_cores(), 2);
  system.limits.cores = 0.5;
  EXPECT_EQ(system.usable_cores(), 1);
  system.limits.cores = 64;
  EXPECT_EQ(system.usable_cores(), 4);
}

TEST(System, UsableMemoryRespectsTheMachineAndTheGroup) {
  System system;
  system.memory_available_bytes = 1600;
  EXPECT_EQ(system.usable_memory_bytes(), 1500U);
  system.limits.memory_left_bytes = 160;
  EXPECT_EQ(system.usable_memory_bytes(), 150U);
  system.limits.memory_left_bytes = 16000;
  EXPECT_EQ(system.usable_memory_bytes(), 1500U);
}

TEST(System, ReadsMemory) {
  const Folder root;
  root.put("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 500 kB\n");
  System system;
  read_memory(root.path(), system);
  EXPECT_EQ(system.memory_total_bytes, 1024000U);
  EXPECT_EQ(system.memory_available_bytes, 512000U);
  root.put("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 10 kB\n");
  read_memory(root.path(), system);
  EXPECT_EQ(system.memory_available_bytes, 10240U);
}

TEST(System, ReadsTheCpuOfX86AndArm) {
  const Folder root;
  System system;
  read_cpu(root.path(), system);
  EXPECT_EQ(system.cpu, "unknown");
  root.put("proc/cpuinfo", "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC: 7B13\n");
  read_cpu(root.path(), system);
  EXPECT_EQ(system.cpu, "AMD EPYC: 7B13");
  root.put("proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd40\n");
  read_cpu(root.path(), system);
  EXPECT_EQ(system.cpu, "implementer 0x41 part 0xd40");
}

TEST(System, ReadsSettingsOfTheFirstUsableCpu) {
  const Folder root;
  root.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.put("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  root.put("proc/loadavg", "1.25 0.80 0.50 2/94 6055\n");
  System system;
  system.cpus = {3, 4};
  read_settings(root.path(), system);
  EXPECT_EQ(system.huge_pages, "madvise");
  EXPECT_EQ(system.governor, "powersave");
  EXPECT_EQ(system.load, 1.25);
  const Folder empty;
  read_settings(empty.path(), system);
  EXPECT_FALSE(system.huge_pages);
  EXPECT_FALSE(system.governor);
}

TEST(System, KnowsContainers) {
  const Folder root;
  EXPECT_EQ(find_container(root.path()), "");
  root.put("proc/self/cgroup", "0::/kubepods.slice/pod1\n");
  EXPECT_EQ(find_container(root.path()), "kubernetes");
  root.put(".dockerenv", "");
  EXPECT_EQ(find_container(root.path()), "docker");
}

TEST(System, CountsTheWorkOfItsOwnCpusOnly) {
  const Folder root;
  root.put("proc/stat",
           "cpu 9 9 9 9 9 9 9 9 9 9\ncpu0 100 50 50 1000 7 0 0 0 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\n");
  const double ticks = 100;  // of Linux on every architecture in use
  EXPECT_DOUBLE_EQ(busy_seconds(root.path(), {0}).value_or(-1), 200 / ticks);
  EXPECT_DOUBLE_EQ(busy_seconds(root.path(), {0, 1}).value_or(-1), 206 / ticks);
  EXPECT_FALSE(busy_seconds(root.path(), {7}));
}

TEST(System, DescribesThisMachine) {
  const System system = read_system();
  EXPECT_GE(system.usable_cores(), 1);
  EXPECT_LE(static_cast<size_t>(system.usable_cores()), system.cpus.size());
  EXPECT_GT(system.usable_memory_bytes(), 0U);
  EXPECT_LT(system.usable_memory_bytes(), system.memory_total_bytes);
  EXPECT_FALSE(system.host.empty());
  EXPECT_FALSE(system.kernel.empty());
  EXPECT_EQ(system.page_bytes & (system.page_bytes - 1), 0U);
}

TEST(Topology, ReadsMadeUpMachines) {
  const Topology two = read_topology("pack:2 l3:1(size=33554432) l2:4(size=1048576) core:1 pu:2");
  EXPECT_EQ(two.packages, 2);
  EXPECT_EQ(two.cores, 8);
  EXPECT_EQ(two.threads, 16);
  EXPECT_EQ(two.last_level, 3);
  EXPECT_EQ(two.last_level_caches, 2);
  EXPECT_EQ(two.last_level_bytes, 64 * kMib);
  EXPECT_EQ(two.l2_bytes, kMib);
  const Topology plain = read_topology("core:4 pu:1");
  EXPECT_EQ(plain.cores, 4);
  EXPECT_EQ(plain.last_level, 0);
  EXPECT_EQ(plain.last_level_bytes, 0U);
  EXPECT_EQ(read_topology("nonsense").cores, 1);
}

}  // namespace
}  // namespace arb
