#include "bench/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bench/build_info.hpp"
#include "bench/files.hpp"

namespace arb {

namespace {

constexpr std::string_view kReported[] = {
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "NCCL_ALGO",
    "NCCL_BUFFSIZE",
    "NCCL_DEBUG",
    "NCCL_IB_DISABLE",
    "NCCL_IB_HCA",
    "NCCL_MAX_NCHANNELS",
    "NCCL_MIN_NCHANNELS",
    "NCCL_NTHREADS",
    "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",
    "NCCL_PROTO",
    "NCCL_SHM_DISABLE",
    "NCCL_SOCKET_IFNAME",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_MCA_btl",
    "OMPI_MCA_btl_vader_single_copy_mechanism",
    "OMPI_MCA_coll",
    "OMPI_MCA_coll_tuned_allreduce_algorithm",
    "OMPI_MCA_coll_tuned_use_dynamic_rules",
    "OMPI_MCA_op",
    "OMPI_MCA_pml",
    "PMI_SIZE",
    "SLURM_JOB_ID",
    "SLURM_JOB_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
};

uint64_t hash(std::string_view text) {  // FNV-1a: the same on every machine and in every build
  uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 0x100000001b3U;
  }
  return value;
}

uint64_t memory_class(const System& system) {
  const uint64_t bytes = std::min(system.memory_total_bytes,
                                  system.limits.memory_bytes.value_or(system.memory_total_bytes));
  if (bytes == 0) return 0;
  return static_cast<uint64_t>(std::lround(std::log2(static_cast<double>(bytes))));
}

}  // namespace

std::span<const std::string_view> reported_variables() { return kReported; }

std::optional<std::string> lookup_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets any
  if (value == nullptr) return std::nullopt;
  return value;
}

Environment describe_environment(const System& system, const Lookup& lookup) {
  Environment environment;
  environment.host = system.host;
  environment.cpu = system.cpu;
  environment.kernel = system.kernel;
  environment.cores_usable = system.usable_cores();
  environment.memory_bytes = static_cast<int64_t>(system.usable_memory_bytes());
  environment.last_level_cache_bytes = static_cast<int64_t>(system.topology.last_level_bytes);
  for (const std::string_view variable : kReported) {
    const std::string name(variable);
    if (const auto value = lookup(name)) environment.variables[name] = *value;
  }
  environment.fingerprint = fingerprint(system);
  return environment;
}

std::string fingerprint(const System& system) {
  return fmt::format("{:016x}",
                     hash(fmt::format("1|{}|{}|{}|{}|{}|{}", system.cpu, system.usable_cores(),
                                      system.topology.packages, system.topology.last_level_bytes,
                                      system.page_bytes, memory_class(system))));
}

}  // namespace arb
