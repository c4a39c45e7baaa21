#include <string>

#include "verify/prove_findings.hpp"

namespace arb {
namespace {

std::string text(const Slice& slice) {
  static constexpr const char* kNames[] = {"", "input", "output", "scratch"};
  return std::string(kNames[static_cast<size_t>(slice.buffer)]) + "[" +
         std::to_string(slice.first) + "] (" + std::to_string(slice.count) + " chunks)";
}

class StepCheck {
 public:
  StepCheck(const Schedule& schedule, Collective collective, int root, FindingList& findings)
      : schedule_(schedule), collective_(collective), root_(root), findings_(findings) {}

  void run() {
    for (rank_ = 0; rank_ < schedule_.ranks; ++rank_) {
      const auto& lanes = schedule_.lanes[static_cast<size_t>(rank_)];
      for (lane_ = 0; lane_ < static_cast<int>(lanes.size()); ++lane_) {
        const auto& steps = lanes[static_cast<size_t>(lane_)].steps;
        channel_ = lanes[static_cast<size_t>(lane_)].channel;
        for (step_ = 0; step_ < static_cast<int>(steps.size()); ++step_) {
          if (findings_.full()) return;
          check(steps[static_cast<size_t>(step_)]);
        }
      }
    }
  }

 private:
  void add(const std::string& message, const char* kind = "malformed") {
    findings_.add(kind, rank_, lane_, step_, message);
  }

  void check(const Step& step) {
    if (verb(step) == "illegal") add("is none of the nine legal verbs");
    check_peer(step.recv_from, "receives from");
    check_peer(step.send_to, "sends to");
    if (step.after < kNone || step.marks < kNone) add("uses a negative event");
    if (channel_ < 0) add("belongs to a lane with a negative channel");
    const bool local = !step.local || check_range(step.local);
    const bool store = !step.store || check_range(step.store);
    if (!local || !store) return;
    // Chunks of a tile differ in size, so a value can only live where its own chunks lie.
    if (step.local && step.store &&
        (step.local.first != step.store.first || step.local.count != step.store.count)) {
      add("moves a value from " + text(step.local) + " to " + text(step.store) +
              ", which are different chunks",
          "wrong chunk");
    }
    if (step.store.buffer == Buffer::kInput) add("writes its input, which must survive");
    if (step.local.buffer == Buffer::kInput) check_owned(step.local, has_input, "input");
    if (step.store.buffer == Buffer::kOutput) check_owned(step.store, has_output, "output");
  }

  void check_peer(int peer, const std::string& what) {
    if (peer == kNone) return;
    if (peer == rank_) add(what + " itself");
    if (peer < 0 || peer >= schedule_.ranks) {
      add(what + " rank " + std::to_string(peer) + ", but there are " +
          std::to_string(schedule_.ranks) + " ranks");
    }
  }

  bool check_range(const Slice& slice) {
    if (slice.count < 1 || slice.first < 0 || slice.count > schedule_.chunks ||
        slice.first > schedule_.chunks - slice.count) {
      add("uses " + text(slice) + ", but a tile has " + std::to_string(schedule_.chunks) +
          " chunks");
      return false;
    }
    if (blocked(collective_) && slice.count != 1) {
      add("uses " + text(slice) + ", but the chunks of a blocked collective are not contiguous");
      return false;
    }
    return true;
  }

  void check_owned(const Slice& slice, bool (*owned)(Collective, int, int, int),
                   const std::string& what) {
    for (int chunk = slice.first; chunk < slice.first + slice.count; ++chunk) {
      if (owned(collective_, rank_, chunk, root_)) continue;
      add("uses " + what + "[" + std::to_string(chunk) + "], which the rank does not have in " +
          std::string(name(collective_)));
      return;
    }
  }

  const Schedule& schedule_;
  Collective collective_;
  int root_;
  FindingList& findings_;
  int rank_ = 0;
  int lane_ = 0;
  int step_ = 0;
  int channel_ = 0;
};

}  // namespace

void check_steps(const Schedule& schedule, Collective collective, int root, FindingList& findings) {
  StepCheck(schedule, collective, root, findings).run();
}

}  // namespace arb
