#include "verify/prove_values.hpp"

#include <algorithm>
#include <string>

namespace arb {
namespace {

std::string chunks(int first, int count) {
  if (count == 1) return "chunk " + std::to_string(first);
  return "chunks " + std::to_string(first) + ".." + std::to_string(first + count - 1);
}

class Execution {
 public:
  Execution(const StepGraph& graph, const Schedule& schedule, Collective collective, bool in_place,
            FindingList& findings)
      : graph_(graph),
        ranks_(schedule.ranks),
        chunks_(schedule.chunks),
        reducing_(reduces(collective)),
        in_place_(in_place),
        findings_(findings),
        values_{ExpressionTable(schedule.ranks), {}, {}, {}, {}, 0},
        messages_(static_cast<size_t>(graph.size())),
        level_(static_cast<size_t>(graph.size()), 0) {
    const size_t cells = static_cast<size_t>(ranks_) * static_cast<size_t>(chunks_);
    values_.output.assign(cells, kNone);
    values_.writer.assign(cells, kNone);
    values_.completes.assign(static_cast<size_t>(graph.size()), false);
    values_.traffic.resize(static_cast<size_t>(ranks_));
  }

  Values run() {
    for (const int node : graph_.order()) {
      if (findings_.full()) break;
      execute(node);
    }
    return std::move(values_);
  }

 private:
  struct Message {  // what a node published: expressions of chunks [first, first + count)
    size_t begin = 0;
    int first = 0;
    int count = 0;
  };

  void execute(int node) {
    const Step& step = graph_.step(node);
    const int sender = graph_.sender(node);
    Message value;
    if (sender != kNone) value = messages_[static_cast<size_t>(sender)];
    if (step.local || step.store) {
      const Slice& slice = step.local ? step.local : step.store;
      if (sender != kNone && (value.first != slice.first || value.count != slice.count)) {
        graph_.report(findings_, "wrong chunk", node,
                      "works on " + chunks(slice.first, slice.count) + ", but " +
                          graph_.where(sender) + " sends it " + chunks(value.first, value.count));
      }
      const Message received = value;
      value = {pool_.size(), slice.first, slice.count};
      for (int chunk = slice.first; chunk < slice.first + slice.count; ++chunk) {
        const int i = chunk - received.first;
        const int in =
            i >= 0 && i < received.count ? pool_[received.begin + static_cast<size_t>(i)] : kNone;
        pool_.push_back(step.local ? combine(node, step, sender != kNone, in, chunk) : in);
      }
      note_completion(node, step, received, value);
    }
    if (step.store) store(node, step, value);
    messages_[static_cast<size_t>(node)] = value;
    count(node, step, value.count);
  }

  int combine(int node, const Step& step, bool receives, int in, int chunk) {
    const int local = read(node, step.local.buffer, chunk);
    if (!receives || local == kNone || in == kNone) return receives && in == kNone ? in : local;
    return values_.expressions.combine(in, local, node);
  }

  int read(int node, Buffer buffer, int chunk) {
    const size_t cell = at(node, chunk);
    if (buffer == Buffer::kInput) {
      const bool overwritten = in_place_ && values_.output[cell] != kNone;
      return overwritten ? values_.output[cell] : graph_.rank(node);
    }
    const bool scratch = buffer == Buffer::kScratch;
    const int found = scratch ? (scratch_.empty() ? kNone : scratch_[cell]) : values_.output[cell];
    if (found == kNone) {
      graph_.report(findings_, "missing", node,
                    std::string("reads ") + (scratch ? "scratch[" : "output[") +
                        std::to_string(chunk) + "], where nothing was written yet");
    }
    return found;
  }

  void store(int node, const Step& step, const Message& value) {
    const bool scratch = step.store.buffer == Buffer::kScratch;
    if (scratch && scratch_.empty()) scratch_.assign(values_.output.size(), kNone);
    auto& memory = scratch ? scratch_ : values_.output;
    for (int i = 0; i < value.count; ++i) {
      const size_t cell = at(node, value.first + i);
      memory[cell] = pool_[value.begin + static_cast<size_t>(i)];
      if (!scratch) values_.writer[cell] = node;
    }
  }

  // Averages divide where the last contribution comes in, so a step must complete all of its slice
  // or nothing.
  void note_completion(int node, const Step& step, const Message& in, const Message& out) {
    if (!reducing_ || !step.reduces()) return;
    int complete = 0;
    for (int i = 0; i < out.count; ++i) {
      const int id = pool_[out.begin + static_cast<size_t>(i)];
      if (id == kNone) continue;
      const Expression& value = values_.expressions[id];
      complete += value.rank < 0 && value.leaves == ranks_ &&
                  values_.expressions[value.left].leaves < ranks_ &&
                  values_.expressions[value.right].leaves < ranks_;
    }
    values_.completes[static_cast<size_t>(node)] = complete > 0;
    if (complete > 0 && complete < out.count && in.count == out.count) {
      graph_.report(findings_, "malformed", node,
                    "completes " + std::to_string(complete) + " of the " +
                        std::to_string(out.count) + " chunks of its slice, not all");
    }
  }

  void count(int node, const Step& step, int size) {
    const int sender = graph_.sender(node);
    int level = sender == kNone ? 0 : level_[static_cast<size_t>(sender)] + 1;
    for (const int wait : graph_.before(node)) {
      if (wait != kNone) level = std::max(level, level_[static_cast<size_t>(wait)]);
    }
    level_[static_cast<size_t>(node)] = level;
    values_.latency_steps = std::max(values_.latency_steps, level);
    auto& traffic = values_.traffic[static_cast<size_t>(graph_.rank(node))];
    if (step.send_to != kNone) traffic.sent_chunks += size;
    if (sender != kNone) traffic.received_chunks += messages_[static_cast<size_t>(sender)].count;
  }

  size_t at(int node, int chunk) const {
    return static_cast<size_t>(graph_.rank(node)) * static_cast<size_t>(chunks_) +
           static_cast<size_t>(chunk);
  }

  const StepGraph& graph_;
  int ranks_;
  int chunks_;
  bool reducing_;
  bool in_place_;
  FindingList& findings_;
  Values values_;
  std::vector<int> scratch_;
  std::vector<int> pool_;  // the expressions of all messages
  std::vector<Message> messages_;
  std::vector<int> level_;  // messages on the longest path to the node
};

}  // namespace

Values execute(const StepGraph& graph, const Schedule& schedule, Collective collective,
               bool in_place, FindingList& findings) {
  return Execution(graph, schedule, collective, in_place, findings).run();
}

}  // namespace arb
