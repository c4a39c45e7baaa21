#include "bench/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace arb {
namespace {

System machine() {
  System system;
  system.host = "node1";
  system.cpu = "AMD EPYC";
  system.kernel = "6.1";
  system.cpus = {0, 1};
  system.memory_total_bytes = uint64_t{24} << 30;
  system.memory_available_bytes = uint64_t{20} << 30;
  system.topology.last_level_bytes = 33554432;
  return system;
}

Lookup from(const std::map<std::string, std::string>& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(Environment, ReportsAllowedVariablesOnly) {
  const auto environment = describe_environment(
      machine(),
      from({{"NCCL_ALGO", "Ring"}, {"AWS_SECRET_ACCESS_KEY", "hunter2"}, {"PATH", "/bin"}}));
  EXPECT_EQ(environment.variables, (std::map<std::string, std::string>{{"NCCL_ALGO", "Ring"}}));
}

TEST(Environment, AsksForNoVariableThatMayHoldASecret) {
  for (const std::string_view name : reported_variables()) {
    for (const char* part : {"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH"}) {
      EXPECT_EQ(name.find(part), std::string_view::npos) << name;
    }
  }
  EXPECT_TRUE(std::is_sorted(reported_variables().begin(), reported_variables().end()));
}

TEST(Environment, HasTheFactsOfTheMachine) {
  const Environment environment = describe_environment(machine(), from({}));
  EXPECT_EQ(environment.host, "node1");
  EXPECT_EQ(environment.cpu, "AMD EPYC");
  EXPECT_EQ(environment.cores_usable, 2);
  EXPECT_EQ(environment.last_level_cache_bytes, 33554432);
  EXPECT_EQ(environment.memory_bytes, static_cast<int64_t>(machine().usable_memory_bytes()));
  EXPECT_EQ(environment.fingerprint, fingerprint(machine()));
  EXPECT_FALSE(environment.copy_limit_gbps);
}

TEST(Fingerprint, OutlivesRebootsAndUpdates) {
  System later = machine();
  later.host = "node2";
  later.kernel = "6.9";
  later.load = 7;
  later.memory_available_bytes /= 2;
  later.memory_total_bytes -= 300 << 20;
  EXPECT_EQ(fingerprint(later), fingerprint(machine()));
  // Written down: a baseline of an older build must still be recognised.
  EXPECT_EQ(fingerprint(machine()), "9aa59fe57e5e4f46");
}

TEST(Fingerprint, TellsDifferentMachinesApart) {
  System other = machine();
  other.cpu = "Intel Xeon";
  EXPECT_NE(fingerprint(other), fingerprint(machine()));
  other = machine();
  other.limits.cores = 1;
  EXPECT_NE(fingerprint(other), fingerprint(machine()));
  other = machine();
  other.topology.last_level_bytes *= 2;
  EXPECT_NE(fingerprint(other), fingerprint(machine()));
  other = machine();
  other.memory_total_bytes *= 2;
  EXPECT_NE(fingerprint(other), fingerprint(machine()));
}

}  // namespace
}  // namespace arb
