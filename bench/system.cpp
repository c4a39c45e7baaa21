#include "bench/system.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <string_view>
#include <thread>

#include "bench/files.hpp"
#include "collectives/runners/host/affinity.hpp"

namespace arb {

namespace fs = std::filesystem;

namespace {

std::string after_colon(const std::string& line) {
  const size_t colon = line.find(':');
  if (colon == std::string::npos) return "";
  const size_t begin = line.find_first_not_of(" \t", colon + 1);
  return begin == std::string::npos ? "" : line.substr(begin);
}

/// "always [madvise] never" -> "madvise"
std::optional<std::string> bracketed(const std::string& text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

std::optional<double> to_real(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest == text.data() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

int System::usable_cores() const {
  const int affine = std::max<int>(1, static_cast<int>(cpus.size()));
  if (!limits.cores) return affine;
  // 1.5 CPUs are one worker: with two, both would be throttled in turn.
  return std::clamp(static_cast<int>(std::min(*limits.cores, 1e6)), 1, affine);
}

uint64_t System::usable_memory_bytes() const {
  const uint64_t left =
      std::min(memory_available_bytes, limits.memory_left_bytes.value_or(memory_available_bytes));
  return left - left / 16;
}

void read_memory(const fs::path& root, System& system) {
  const std::string text = read_file(root / "proc/meminfo").value_or("");
  system.memory_total_bytes = number_of(text, "MemTotal:").value_or(0) * 1024;
  // Kernels before 3.14 have no MemAvailable; free memory is then the careful answer.
  const auto available = number_of(text, "MemAvailable:");
  system.memory_available_bytes =
      available ? *available * 1024 : number_of(text, "MemFree:").value_or(0) * 1024;
}

void read_cpu(const fs::path& root, System& system) {
  system.cpu = "unknown";
  // x86 says "model name"; Arm often only the numbers of implementer and part.
  std::string implementer;
  std::string part;
  for (const std::string& line : lines_of(read_file(root / "proc/cpuinfo").value_or(""))) {
    if (line.starts_with("model name") || line.starts_with("Model")) {
      system.cpu = after_colon(line);
      return;
    }
    if (line.starts_with("CPU implementer")) implementer = after_colon(line);
    if (line.starts_with("CPU part")) part = after_colon(line);
  }
  if (!implementer.empty()) system.cpu = "implementer " + implementer + " part " + part;
}

void read_settings(const fs::path& root, System& system) {
  const auto pages = read_line(root / "sys/kernel/mm/transparent_hugepage/enabled");
  system.huge_pages = pages ? bracketed(*pages) : std::nullopt;
  const int first = system.cpus.empty() ? 0 : system.cpus.front();
  system.governor = read_line(root / ("sys/devices/system/cpu/cpu" + std::to_string(first)) /
                              "cpufreq/scaling_governor");
  const auto load = words_of(read_line(root / "proc/loadavg").value_or(""));
  if (!load.empty()) system.load = to_real(load[0]);
}

std::string find_container(const fs::path& root) {
  std::error_code error;
  if (fs::exists(root / ".dockerenv", error)) return "docker";
  if (fs::exists(root / "run/.containerenv", error)) return "podman";
  if (fs::exists(root / ".singularity.d", error)) return "singularity";
  const std::string groups = read_file(root / "proc/self/cgroup").value_or("");
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kMarks = {
      {{"kubepods", "kubernetes"}, {"docker", "docker"}, {"libpod", "podman"}, {"lxc", "lxc"}}};
  for (const auto& [mark, kind] : kMarks) {
    if (groups.find(mark) != std::string::npos) return kind;
  }
  return "";
}

System read_system(const fs::path& root) {
  System system;
  utsname names{};
  if (uname(&names) == 0) {
    system.host = static_cast<const char*>(names.nodename);
    system.kernel = static_cast<const char*>(names.release);
  }
  system.cpus = usable_cpus();
  system.limits = read_cgroup_limits(root);
  read_memory(root, system);
  read_cpu(root, system);
  read_settings(root, system);
  system.topology = read_topology();
  const long page = sysconf(_SC_PAGESIZE);
  if (page > 0) system.page_bytes = static_cast<uint64_t>(page);
  const long pages = sysconf(_SC_PHYS_PAGES);
  if (system.memory_total_bytes == 0 && pages > 0) {  // no /proc
    system.memory_total_bytes = static_cast<uint64_t>(pages) * system.page_bytes;
    system.memory_available_bytes = system.memory_total_bytes / 2;
  }
  system.container = find_container(root);
  return system;
}

std::optional<CpuSeconds> cpu_seconds(const fs::path& root, const std::vector<int>& cpus) {
  // cpuN user nice system idle iowait irq softirq steal ..., in ticks
  const double ticks = static_cast<double>(std::max(1L, sysconf(_SC_CLK_TCK)));
  constexpr size_t kSteal = 8;
  CpuSeconds seconds;
  size_t found = 0;
  for (const std::string& line : lines_of(read_file(root / "proc/stat").value_or(""))) {
    const auto words = words_of(line);
    if (words.size() < 8 || !words[0].starts_with("cpu")) continue;
    const auto number = to_number(std::string_view(words[0]).substr(3));
    if (!number || std::find(cpus.begin(), cpus.end(), static_cast<int>(*number)) == cpus.end()) {
      continue;
    }
    ++found;
    for (size_t i = 1; i < words.size() && i <= kSteal; ++i) {
      if (i == 4 || i == 5) continue;  // idle
      (i == kSteal ? seconds.stolen : seconds.work) +=
          static_cast<double>(to_number(words[i]).value_or(0)) / ticks;
    }
  }
  if (found == 0) return std::nullopt;
  return seconds;
}

std::optional<double> busy_seconds(const fs::path& root, const std::vector<int>& cpus) {
  const auto seconds = cpu_seconds(root, cpus);
  if (!seconds) return std::nullopt;
  return seconds->work + seconds->stolen;
}

std::optional<double> measure_busy_cores(const std::vector<int>& cpus, double seconds) {
  const auto before = busy_seconds("/", cpus);
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto after = busy_seconds("/", cpus);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  if (!before || !after || passed.count() <= 0) return std::nullopt;
  return std::clamp((*after - *before) / passed.count(), 0.0, static_cast<double>(cpus.size()));
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace arb
