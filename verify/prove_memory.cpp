// Races, and which messages may be read where they lie.
#include <algorithm>
#include <string>

#include "verify/prove_reach.hpp"
#include "verify/prove_values.hpp"

namespace arb {
namespace {

struct Access {
  Buffer memory;
  int chunk;
  int node;
  bool write;
};

class MemoryCheck {
 public:
  MemoryCheck(const StepGraph& graph, const Schedule& schedule, bool in_place)
      : graph_(graph),
        schedule_(schedule),
        in_place_(in_place),
        reach_(graph),
        direct_(static_cast<size_t>(graph.size()), false) {}

  std::vector<bool> run(FindingList& findings) {
    const auto lanes = graph_.lanes();
    for (size_t begin = 0, end = 0; begin < lanes.size(); begin = end) {
      while (end < lanes.size() && lanes[end].rank == lanes[begin].rank) ++end;
      const auto rank_lanes = lanes.subspan(begin, end - begin);
      if (rank_lanes.size() > 1) ask_races(rank_lanes);
      ask_direct(rank_lanes);
    }
    reach_.answer();
    report_races(findings);
    for (const auto& [node, question] : needs_) {
      if (!reach_.holds(question)) direct_[static_cast<size_t>(node)] = false;
    }
    return std::move(direct_);
  }

 private:
  struct Conflict {
    Access first, second;  // in sorted order
    int question;
  };
  struct Need {
    int node, question;
  };

  Buffer memory(const Slice& slice) const {
    return in_place_ && slice.buffer == Buffer::kInput ? Buffer::kOutput : slice.buffer;
  }

  void ask_races(std::span<const StepGraph::LaneSpan> lanes) {
    std::vector<Access> all;
    const auto add = [&](const Slice& slice, int node, bool write) {
      for (int i = 0; i < slice.count; ++i)
        all.push_back({memory(slice), slice.first + i, node, write});
    };
    for (int node = lanes.front().begin; node < lanes.back().end; ++node) {
      if (graph_.step(node).local) add(graph_.step(node).local, node, false);
      if (graph_.step(node).store) add(graph_.step(node).store, node, true);
    }
    std::stable_sort(all.begin(), all.end(), [](const Access& a, const Access& b) {
      return a.memory != b.memory ? a.memory < b.memory : a.chunk < b.chunk;
    });
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end].memory == all[begin].memory &&
             all[end].chunk == all[begin].chunk) {
        ++end;
      }
      for (size_t b = begin; b < end; ++b) {
        for (size_t a = begin; a < b; ++a) ask_race(all[a], all[b]);
      }
    }
  }

  void ask_race(const Access& a, const Access& b) {
    if (graph_.lane_index(a.node) == graph_.lane_index(b.node)) return;
    // The next tile reuses scratch, and nothing orders the lanes of different tiles.
    const bool scratch = a.memory == Buffer::kScratch;
    if (!scratch && !a.write && !b.write) return;
    const bool sorted = graph_.position(a.node) < graph_.position(b.node);
    const Access& first = sorted ? a : b;
    const Access& second = sorted ? b : a;
    conflicts_.push_back({first, second, scratch ? kNone : reach_.ask(first.node, second.node)});
  }

  void report_races(FindingList& findings) {
    const Conflict* last = nullptr;
    for (const Conflict& conflict : conflicts_) {
      if (conflict.question != kNone && reach_.holds(conflict.question)) continue;
      const auto& [first, second, question] = conflict;
      if (last != nullptr && last->first.node == first.node && last->second.node == second.node) {
        continue;  // the next chunk of the same slices
      }
      last = &conflict;
      static constexpr const char* kNames[] = {"", "input[", "output[", "scratch["};
      const std::string cell =
          kNames[static_cast<size_t>(first.memory)] + std::to_string(first.chunk) + "]";
      graph_.report(findings, "race", second.node,
                    std::string(second.write ? "writes " : "reads ") + cell + ", which " +
                        graph_.where(first.node) + (first.write ? " writes" : " reads") +
                        (question == kNone ? " too: scratch chunks belong to one lane"
                                           : " too, and nothing orders the two"));
    }
  }

  /// What the step publishes and still owns; nothing if the value never lies in its memory.
  static Slice published(const Step& step) {
    if (step.send_to == kNone) return {};
    if (step.store) return step.store;
    return step.recv_from == kNone ? step.local : Slice{};
  }

  void ask_direct(std::span<const StepGraph::LaneSpan> lanes) {
    const int begin = lanes.front().begin;
    const int end = lanes.back().end;
    // Writers by output chunk: starts_[chunk] .. starts_[chunk + 1] of writers_.
    starts_.assign(static_cast<size_t>(schedule_.chunks) + 1, 0);
    const auto for_each_write = [&](auto&& use) {
      for (int node = begin; node < end; ++node) {
        const Slice& store = graph_.step(node).store;
        if (store.buffer != Buffer::kOutput) continue;
        for (int i = 0; i < store.count; ++i) use(store.first + i, node);
      }
    };
    for_each_write([&](int chunk, int) { ++starts_[static_cast<size_t>(chunk)]; });
    int total = 0;
    for (int& start : starts_) start = total += start;
    writers_.resize(static_cast<size_t>(total));
    for_each_write([&](int chunk, int node) {
      const int place = --starts_[static_cast<size_t>(chunk)];
      writers_[static_cast<size_t>(place)] = node;
    });
    for (int node = begin; node < end; ++node) ask_direct(node);
  }

  void ask_direct(int node) {
    const Slice slice = published(graph_.step(node));
    if (!slice || slice.buffer == Buffer::kScratch) return;
    direct_[static_cast<size_t>(node)] = true;
    if (memory(slice) == Buffer::kInput) return;  // nobody writes inputs
    found_.clear();
    for (int chunk = slice.first; chunk < slice.first + slice.count; ++chunk) {
      const auto c = static_cast<size_t>(chunk);
      found_.insert(found_.end(), writers_.begin() + starts_[c], writers_.begin() + starts_[c + 1]);
    }
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    const int receiver = graph_.receiver(node);
    for (const int writer : found_) {
      if (writer == node) continue;
      const bool earlier = graph_.position(writer) < graph_.position(node);
      if (earlier && graph_.lane_index(writer) == graph_.lane_index(node)) continue;
      if (!earlier && graph_.position(receiver) > graph_.position(writer)) {
        direct_[static_cast<size_t>(node)] = false;
        return;
      }
      needs_.push_back({node, earlier ? reach_.ask(writer, node) : reach_.ask(receiver, writer)});
    }
  }

  const StepGraph& graph_;
  const Schedule& schedule_;
  bool in_place_;
  Reach reach_;
  std::vector<bool> direct_;
  std::vector<Conflict> conflicts_;
  std::vector<Need> needs_;
  std::vector<int> starts_, writers_, found_;
};

}  // namespace

std::vector<bool> check_memory(const StepGraph& graph, const Schedule& schedule, bool in_place,
                               FindingList& findings) {
  return MemoryCheck(graph, schedule, in_place).run(findings);
}

}  // namespace arb
