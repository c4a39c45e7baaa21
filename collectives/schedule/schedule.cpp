#include "collectives/schedule/schedule.hpp"

namespace arb {
namespace {

std::string name(Slice slice) {
  static constexpr const char* kNames[] = {"none", "input", "output", "scratch"};
  std::string text = kNames[static_cast<size_t>(slice.buffer)];
  text += "[" + std::to_string(slice.first);
  if (slice.count != 1) text += ".." + std::to_string(slice.first + slice.count - 1);
  return text + "]";
}

std::string arguments(const Step& step) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (step.recv_from != kNone) add("from " + std::to_string(step.recv_from));
  if (step.local && step.store) {
    add(name(step.local) + " -> " + name(step.store));
  } else if (step.local) {
    add(name(step.local));
  } else if (step.store) {
    add(name(step.store));
  }
  if (step.send_to != kNone) add("to " + std::to_string(step.send_to));
  return text;
}

}  // namespace

std::string verb(const Step& step) {
  // Index: receives, local operand, store, send as bits 8, 4, 2, 1.
  static constexpr const char* kVerbs[] = {"illegal",     "illegal",
                                           "illegal",     "illegal",  // 00..
                                           "illegal",     "send",
                                           "copy",        "copy_send",  // 01..
                                           "illegal",     "recv_send",
                                           "recv",        "recv_store_send",  // 10..
                                           "illegal",     "recv_reduce_send",
                                           "recv_reduce", "recv_reduce_store_send"};
  const int index = (step.recv_from != kNone ? 8 : 0) + (step.local ? 4 : 0) +
                    (step.store ? 2 : 0) + (step.send_to != kNone ? 1 : 0);
  return kVerbs[index];
}

std::string describe(const Schedule& schedule, int rank, int lane, int step) {
  std::string text = "rank " + std::to_string(rank) + ", lane " + std::to_string(lane);
  if (rank < 0 || static_cast<size_t>(rank) >= schedule.lanes.size()) return text;
  const auto& lanes = schedule.lanes[static_cast<size_t>(rank)];
  if (lane < 0 || static_cast<size_t>(lane) >= lanes.size()) return text;
  const Lane& program = lanes[static_cast<size_t>(lane)];
  text += " (" + program.name + "), step " + std::to_string(step);
  if (step < 0 || static_cast<size_t>(step) >= program.steps.size()) return text;
  const Step& s = program.steps[static_cast<size_t>(step)];
  return text + ": " + verb(s) + "(" + arguments(s) + ")";
}

}  // namespace arb
