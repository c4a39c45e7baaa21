#include "bench/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/build_info.hpp"
#include "bench/environment.hpp"
#include "bench/sizes.hpp"

namespace arb {

namespace {

std::string row(const std::string& label, const std::string& value) {
  return fmt::format("  {:<16} {}\n", label, value);
}

std::string plural(int64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string cores_row(const System& system) {
  std::string text = fmt::format("{} usable of {} in the affinity mask", system.usable_cores(),
                                 system.cpus.size());
  if (system.limits.cores) text += fmt::format("; CPU quota {:.2f}", *system.limits.cores);
  return text;
}

std::string memory_row(const System& system) {
  std::string text = fmt::format("{} usable of {}", format_bytes(system.usable_memory_bytes()),
                                 format_bytes(system.memory_total_bytes));
  if (system.limits.memory_bytes) {
    text += fmt::format("; control group limit {}", format_bytes(*system.limits.memory_bytes));
  }
  return text;
}

std::string cache_row(const Topology& topology) {
  if (topology.last_level == 0) return "unknown";
  std::string text =
      fmt::format("L{} {} in {}", topology.last_level, format_bytes(topology.last_level_bytes),
                  plural(topology.last_level_caches, "part"));
  if (topology.l2_bytes != 0 && topology.last_level > 2) {
    text += fmt::format(", L2 {} each", format_bytes(topology.l2_bytes));
  }
  return text;
}

std::string limits_text(const std::optional<MemoryLimits>& limits) {
  if (!limits) return "";
  return "Measured limits (bytes read + written)\n" +
         row("copy", fmt::format("{:.2f} GB/s", limits->copy_gbps)) +
         row("streaming add", fmt::format("{:.2f} GB/s", limits->add_gbps));
}

std::string backends_text() {
  std::string text = "Backends\n";
  for (const Backend& backend : backends()) {
    text += row(backend.name, backend.off.empty() ? "available" : "off: " + backend.off);
  }
  return text;
}

void advise_on_speed(const System& system, std::vector<std::string>& all) {
  if (system.governor && *system.governor != "performance") {
    all.push_back(
        fmt::format("the CPU frequency governor is '{}', so clocks vary while measuring; "
                    "try: sudo cpupower frequency-set -g performance",
                    *system.governor));
  }
  if (system.huge_pages == "never") {
    all.emplace_back(
        "transparent huge pages are off, which slows large messages; "
        "try: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
  }
}

void advise_on_cores(const Examination& examination, std::vector<std::string>& all) {
  const System& system = examination.system;
  const int usable = system.usable_cores();
  if (examination.busy_cores && is_busy(*examination.busy_cores, usable)) {
    all.push_back(fmt::format("others keep {:.1f} of {} busy; stop them, or expect noisy results",
                              *examination.busy_cores, plural(usable, "usable core")));
  }
  if (static_cast<size_t>(usable) < system.cpus.size()) {
    all.push_back(
        fmt::format("a CPU quota of {:.2f} throttles this process in the middle of a run; "
                    "give the container whole cores (a cpuset) instead",
                    system.limits.cores.value_or(usable)));
  }
  if (usable < 2) {
    all.emplace_back("with one usable core all ranks take turns: times are sums, not overlaps");
  }
  if (system.topology.threads > system.topology.cores) {
    all.push_back(fmt::format(
        "{} share {}: workers beyond {} compete for the same units; try --workers {}",
        plural(system.topology.threads, "hardware thread"), plural(system.topology.cores, "core"),
        system.topology.cores, std::min(system.topology.cores, usable)));
  }
}

void advise_on_memory(const System& system, std::vector<std::string>& all) {
  const uint64_t usable = system.usable_memory_bytes();
  if (usable < (uint64_t{1} << 30)) {
    all.push_back(
        fmt::format("only {} of memory can be used; large sizes will be skipped, try --in-place",
                    format_bytes(usable)));
  }
  if (system.topology.numa_nodes > 1) {
    all.push_back(fmt::format("{}: to measure one, run under numactl --cpunodebind=0 --membind=0",
                              plural(system.topology.numa_nodes, "NUMA node")));
  }
}

std::string advice_text(const std::vector<std::string>& all) {
  if (all.empty()) return "Advice\n  none: this machine is fit to measure on\n";
  std::string text = "Advice\n";
  for (const std::string& sentence : all) text += fmt::format("  * {}\n", sentence);
  return text;
}

}  // namespace

bool is_busy(double busy_cores, int usable_cores) {
  // A daemon's few percent do not matter; a tenth of the cores, or half of one, does.
  return busy_cores > std::min(0.5, 0.1 * std::max(1, usable_cores)) + 0.05;
}

std::vector<std::string> advice(const Examination& examination) {
  std::vector<std::string> all;
  advise_on_speed(examination.system, all);
  advise_on_cores(examination, all);
  advise_on_memory(examination.system, all);
  if (examination.gpus) {
    for (std::string& sentence : gpu_advice(*examination.gpus)) all.push_back(std::move(sentence));
  }
  return all;
}

std::string doctor_text(const Examination& examination) {
  const System& system = examination.system;
  const Topology& topology = system.topology;
  const auto or_unknown = [](const std::optional<std::string>& text) {
    return text.value_or("not told by this kernel");
  };
  std::string text = "Machine\n";
  text +=
      row("host", system.host + (system.container.empty() ? "" : " (" + system.container + ")"));
  text += row("kernel", system.kernel);
  text += row("cpu", system.cpu);
  text += row("topology",
              fmt::format("{}, {}, {}, {}", plural(topology.packages, "package"),
                          plural(topology.cores, "core"), plural(topology.threads, "thread"),
                          plural(topology.numa_nodes, "NUMA node")));
  text += row("cores", cores_row(system));
  text += row("memory", memory_row(system));
  text += row("caches", cache_row(topology));
  text += row("pages", fmt::format("{}; transparent huge pages: {}",
                                   format_bytes(system.page_bytes), or_unknown(system.huge_pages)));
  text += row("governor", or_unknown(system.governor));
  if (system.load) text += row("load", fmt::format("{:.2f} (last minute)", *system.load));
  if (examination.busy_cores) {
    text += row("busy", fmt::format("{:.2f} cores, by others", *examination.busy_cores));
  }
  text += row("fingerprint", fingerprint(system));
  text += limits_text(examination.limits);
  text += backends_text();
  if (examination.gpus) text += gpus_text(*examination.gpus);
  if (examination.mpirun) text += mpirun_text(*examination.mpirun);
  return text + advice_text(advice(examination));
}

}  // namespace arb
