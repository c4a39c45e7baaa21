#include "bench/cgroup.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/files.hpp"

namespace arb {

namespace fs = std::filesystem;

namespace {

/// Where a hierarchy is mounted, and which of its groups the mount shows as its top.
struct Mount {
  fs::path point;
  std::string top;  // "/" on a plain machine
};

bool has_item(const std::string& list, std::string_view item) {
  size_t begin = 0;
  while (begin <= list.size()) {
    const size_t end = std::min(list.find(',', begin), list.size());
    if (std::string_view(list).substr(begin, end - begin) == item) return true;
    begin = end + 1;
  }
  return false;
}

/// /proc/self/mountinfo: id parent dev TOP POINT options [tags] - TYPE source SUPER-OPTIONS.
/// `controller` empty: version 2.
std::optional<Mount> find_mount(const fs::path& root, std::string_view controller) {
  for (const std::string& line : lines_of(read_file(root / "proc/self/mountinfo").value_or(""))) {
    const auto words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    const bool wanted = controller.empty() ? dash[1] == "cgroup2"
                                           : dash[1] == "cgroup" && has_item(dash[3], controller);
    if (wanted) return Mount{root / fs::path(words[4]).relative_path(), words[3]};
  }
  return std::nullopt;
}

/// /proc/self/cgroup: ID:CONTROLLERS:PATH, with no controllers for version 2.
std::optional<std::string> find_group(const fs::path& root, std::string_view controller) {
  for (const std::string& line : lines_of(read_file(root / "proc/self/cgroup").value_or(""))) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool wanted =
        controller.empty() ? line.starts_with("0::") : has_item(controllers, controller);
    if (wanted) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The folders of this process's group and of all groups above it that are visible.
std::vector<fs::path> levels(const fs::path& root, std::string_view controller) {
  const auto mount = find_mount(root, controller);
  auto group = find_group(root, controller);
  if (!mount || !group) return {};
  // In a container the mount's top is often the group itself, named as the host sees it.
  if (mount->top != "/" && group->starts_with(mount->top)) group->erase(0, mount->top.size());
  std::vector<fs::path> folders{mount->point};
  for (const fs::path& part : fs::path(*group).relative_path()) {
    if (part == "..") return {mount->point};
    folders.push_back(folders.back() / part);
  }
  return folders;
}

template <typename Number>
void tighten(std::optional<Number>& limit, std::optional<Number> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

void add_memory(CgroupLimits& limits, std::optional<uint64_t> limit, std::optional<uint64_t> used,
                std::optional<uint64_t> reclaimable) {
  // Version 1 writes "no limit" as the largest number of pages.
  if (!limit || *limit >= (uint64_t{1} << 60)) return;
  tighten(limits.memory_bytes, limit);
  const uint64_t use = used.value_or(0) - std::min(used.value_or(0), reclaimable.value_or(0));
  tighten(limits.memory_left_bytes, std::optional<uint64_t>(*limit - std::min(*limit, use)));
}

void add_quota(CgroupLimits& limits, std::optional<uint64_t> quota,
               std::optional<uint64_t> period) {
  if (!quota || !period || *period == 0) return;
  tighten(limits.cores,
          std::optional<double>(static_cast<double>(*quota) / static_cast<double>(*period)));
}

std::optional<uint64_t> number_in(const fs::path& path) {
  return to_number(read_line(path).value_or(""));
}

void read_version_2(const fs::path& root, CgroupLimits& limits) {
  for (const fs::path& folder : levels(root, "")) {
    const std::string stat = read_file(folder / "memory.stat").value_or("");
    add_memory(limits, number_in(folder / "memory.max"), number_in(folder / "memory.current"),
               number_of(stat, "inactive_file"));
    const auto quota = words_of(read_line(folder / "cpu.max").value_or(""));
    if (quota.size() == 2) add_quota(limits, to_number(quota[0]), to_number(quota[1]));
  }
}

void read_version_1(const fs::path& root, CgroupLimits& limits) {
  for (const fs::path& folder : levels(root, "memory")) {
    const std::string stat = read_file(folder / "memory.stat").value_or("");
    add_memory(limits, number_in(folder / "memory.limit_in_bytes"),
               number_in(folder / "memory.usage_in_bytes"), number_of(stat, "total_inactive_file"));
  }
  for (const fs::path& folder : levels(root, "cpu")) {
    add_quota(limits, number_in(folder / "cpu.cfs_quota_us"),
              number_in(folder / "cpu.cfs_period_us"));
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  read_version_2(root, limits);
  read_version_1(root, limits);
  return limits;
}

}  // namespace arb
