#include "verify/cuda/device_judge.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "verify/hash.hpp"

namespace arb {
namespace {

constexpr int kSamples = 4;                      // items that the host judges too
constexpr size_t kStreamed = size_t{256} << 10;  // elements of a chunk that the host judges at once

/// The host alone: every element is copied.
Verdict stream_to_host(const CheckSpec& spec, const std::vector<RankView>& views, size_t first_tile,
                       size_t stride, const DeviceCopies& copies) {
  Verdict verdict;
  for (size_t tile = first_tile; tile < spec.tiling->tiles(); tile += stride) {
    for (int chunk = 0; chunk < spec.tiling->chunks(); ++chunk) {
      const Range range = spec.tiling->range(tile, chunk);
      for (size_t done = 0; done < range.size; done += kStreamed) {
        const Range part{range.begin + done, std::min(kStreamed, range.size - done)};
        verdict.merge(copies.judge_on_host(spec, views, chunk, part));
      }
    }
  }
  return verdict;
}

/// The visible ranks by GPU, in groups that one launch can take; empty if one of them is on none.
std::vector<std::vector<int>> groups(const std::vector<RankView>& views,
                                     const DeviceCopies& copies) {
  std::map<int, std::vector<std::vector<int>>> by_device;
  for (int rank = 0; rank < static_cast<int>(views.size()); ++rank) {
    const RankView& view = views[static_cast<size_t>(rank)];
    if (view.output == nullptr && view.input == nullptr) continue;
    if (!copies.on_gpu(rank)) return {};
    auto& of_device = by_device[copies.device_of(rank)];
    if (of_device.empty() || of_device.back().size() == static_cast<size_t>(kCheckedRanks)) {
      of_device.emplace_back();
    }
    of_device.back().push_back(rank);
  }
  std::vector<std::vector<int>> all;
  for (auto& [device, of_device] : by_device) {
    for (auto& group : of_device) all.push_back(std::move(group));
  }
  return all;
}

class Launches {
 public:
  Launches(const CheckSpec& spec, const std::vector<RankView>& views, const CheckItems& items,
           const CheckPrograms& programs, const std::vector<std::vector<int>>& groups,
           const DeviceCopies& copies)
      : items_(items), comparisons_(static_cast<size_t>(spec.tiling->chunks())) {
    for (const std::vector<int>& ranks : groups) {
      const CheckTables tables(programs, spec, views, ranks);
      const int device = copies.device_of(ranks.front());
      launches_.push_back(std::make_unique<CheckLaunch>(device, copies.stream_of(device), tables,
                                                        spec, views, ranks, items));
      for (size_t chunk = 0; chunk < comparisons_.size(); ++chunk) {
        comparisons_[chunk] += tables.compared[chunk];
      }
    }
  }

  CheckFinding run(uint64_t first, uint64_t end) const {
    for (const auto& launch : launches_) launch->start(first, end);
    CheckFinding all;
    for (const auto& launch : launches_) all = together(all, launch->result());
    return all;
  }

  uint64_t due(uint64_t first, uint64_t end) const {
    uint64_t sum = 0;
    for (uint64_t number = first; number < end; ++number) {
      const CheckItem item = items_.item(number);
      sum += item.part.size * comparisons_[static_cast<size_t>(item.chunk)];
    }
    return sum;
  }

 private:
  const CheckItems& items_;
  std::vector<uint64_t> comparisons_;  // [chunk] of each element
  std::vector<std::unique_ptr<CheckLaunch>> launches_;
};

constexpr int rank_of(uint64_t key) { return static_cast<int>(key >> 48); }
constexpr int64_t index_of(uint64_t key) {
  return static_cast<int64_t>(key & ((uint64_t{1} << 48) - 1));
}

std::string place(int64_t wrong, int rank, int64_t index) {
  if (wrong == 0) return "nothing wrong";
  return std::to_string(wrong) + " wrong, first at rank " + std::to_string(rank) + ", index " +
         std::to_string(index);
}

}  // namespace

DeviceVerdict::DeviceVerdict(const CheckFinding& all, uint64_t expected) : all_(all) {
  if (all.compared == expected) return;
  contradiction_.wrong = 1;
  contradiction_.check = "device check";
  contradiction_.rank = 0;
  contradiction_.index = 0;
  contradiction_.wanted = std::to_string(expected) + " comparisons";
  contradiction_.got = std::to_string(all.compared);
}

void DeviceVerdict::compare(const CheckItem& item, const CheckFinding& device,
                            const Verdict& host) {
  max_error_ratio_ = std::max(max_error_ratio_, host.max_error_ratio);
  const auto wrong = static_cast<int64_t>(device.wrong);
  const bool agree =
      wrong == host.wrong && (wrong == 0 || (rank_of(device.first_key) == host.rank &&
                                             index_of(device.first_key) == host.index));
  if (agree) {
    const bool earlier =
        first_.ok() || std::pair(host.rank, host.index) < std::pair(first_.rank, first_.index);
    if (!host.ok() && earlier) first_ = host;
    return;
  }
  Verdict differ;
  differ.wrong = std::max<int64_t>({1, wrong, host.wrong});
  differ.check = "device check";
  differ.rank = host.ok() && wrong > 0 ? rank_of(device.first_key) : std::max(host.rank, 0);
  differ.index = static_cast<int64_t>(item.part.begin);
  differ.wanted = "of the host: " + place(host.wrong, host.rank, host.index);
  differ.got = "of the GPU: " + place(wrong, rank_of(device.first_key), index_of(device.first_key));
  contradiction_.merge(differ);
}

Verdict DeviceVerdict::verdict() const {
  Verdict verdict = first_;
  verdict.wrong = static_cast<int64_t>(all_.wrong);
  if (!contradiction_.ok()) {  // whatever else there is, the judge is not to be trusted
    verdict = contradiction_;
    verdict.wrong = std::max(contradiction_.wrong, static_cast<int64_t>(all_.wrong));
  }
  verdict.max_error_ratio = max_error_ratio_;
  return verdict;
}

Verdict check_on_gpus(const CheckSpec& spec, const std::vector<RankView>& views, size_t first_tile,
                      size_t stride, const DeviceCopies& copies) {
  const CheckItems items(*spec.tiling, first_tile, stride);
  if (items.count() == 0) return {};
  const std::vector<std::vector<int>> ranks = groups(views, copies);
  const CheckPrograms programs(spec);
  if (!has_one_right_result(spec) || ranks.empty() || !programs.refused.empty()) {
    return stream_to_host(spec, views, first_tile, stride, copies);
  }
  const OnDevice current(copies.device_of(ranks.front().front()));  // the launches change it
  const Launches launches(spec, views, items, programs, ranks, copies);
  const CheckFinding all = launches.run(0, items.count());
  DeviceVerdict verdict(all, launches.due(0, items.count()));

  std::vector<uint64_t> judged;
  if (all.wrong > 0) judged.push_back(all.first_item);
  std::mt19937_64 random(mix64(spec.data.seed) + first_tile);
  for (int k = 0; k < kSamples; ++k) judged.push_back(random() % items.count());
  std::sort(judged.begin(), judged.end());
  judged.erase(std::unique(judged.begin(), judged.end()), judged.end());
  for (const uint64_t number : judged) {
    const CheckItem item = items.item(number);
    const CheckFinding device = all.wrong > 0 ? launches.run(number, number + 1) : CheckFinding{};
    verdict.compare(item, device, copies.judge_on_host(spec, views, item.chunk, item.part));
  }
  return verdict.verdict();
}

}  // namespace arb
