#include "tests/cuda/runner/harness.hpp"

#include <iostream>
#include <map>
#include <stdexcept>
#include <tuple>

#include "collectives/algorithms/registry.hpp"
#include "collectives/error.hpp"
#include "collectives/schedule/collective.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

struct Proved {
  Schedule schedule;
  Proof proof;
};

const Proved& proved(const Shape& shape, const std::string& algorithm, int slots, bool in_place) {
  using Key = std::tuple<Collective, std::string, int, int, int, bool>;
  static std::map<Key, Proved> known;
  const Key key{shape.collective, algorithm, shape.ranks, shape.root, slots, in_place};
  auto found = known.find(key);
  if (found == known.end()) {
    Schedule schedule = find_algorithm(shape.collective, algorithm)->build(shape.ranks, shape.root);
    Proof proof = prove(schedule, shape.collective, shape.root, slots, in_place);
    if (!proof.ok()) throw std::runtime_error(proof.findings.front().message);
    found = known.emplace(key, Proved{std::move(schedule), std::move(proof)}).first;
  }
  return found->second;
}

}  // namespace

std::unique_ptr<GpuGroup> make_group(const GroupOptions& options) {
  GpuSettings settings;
  settings.gpus = options.gpus;
  const int all = options.gpus * (options.peers != nullptr ? options.peers->count() : 1);
  settings.ranks_per_gpu =
      options.ranks_per_gpu != 0 ? options.ranks_per_gpu : (options.ranks + all - 1) / all;
  settings.launch = options.launch;
  settings.peer_access = options.peer_access;
  settings.control.fault = options.fault;
  settings.control.interrupted = options.interrupted;
  settings.control.deadline =
      std::chrono::steady_clock::now() +
      std::chrono::milliseconds(static_cast<long>(options.deadline_seconds * 1000));
  return make_gpu_group(options.ranks, settings, options.peers, options.tuning);
}

SlotConfig small_slots(bool lines, int channels, size_t slot_bytes, int slots) {
  SlotConfig config;
  config.lines = lines;
  config.channels = channels;
  config.slot_bytes = slot_bytes;
  config.slots = slots;
  return config;
}

Made make_operation(Runner& runner, const std::string& algorithm, const Shape& shape, bool in_place,
                    const SlotConfig& config) {
  if (find_algorithm(shape.collective, algorithm) == nullptr) {
    return runner.make_native(algorithm, shape, in_place);
  }
  const auto& [schedule, proof] = proved(shape, algorithm, config.slots, in_place);
  return runner.make(schedule, proof.facts, proof.order, shape, config);
}

Messages::Messages(GpuGroup& group, const Shape& shape, bool in_place, int unalign)
    : group_(group), shape_(shape), in_place_(in_place), table_(static_cast<size_t>(shape.ranks)) {
  const size_t off = static_cast<size_t>(unalign) * size_of(shape.dtype);
  // Whole cache lines, so that both buffers are aligned alike.
  const size_t stride = (shape.bytes() + off + 2 * kGuardBytes + 127) / 128 * 128;
  const Locality& locality = group.runner().locality();
  for (const int rank : locality.near) {
    memory_.push_back(locality.memory_of(rank, stride * (in_place ? 1 : 2)));
    std::byte* const at = memory_.back().get() + kGuardBytes + off;
    table_[static_cast<size_t>(rank)] = {at, in_place ? at : at + stride};
  }
}

/// All of it, its own block, or nothing.
Range Messages::real(int rank, bool of_input) const {
  if (!blocked(shape_.collective)) {
    const bool all = of_input ? has_input(shape_.collective, rank, 0, shape_.root)
                              : has_output(shape_.collective, rank, 0, shape_.root);
    return {0, all ? shape_.count : 0};
  }
  const bool own_only = of_input == (shape_.collective == Collective::kAllGather);
  if (!own_only) return {0, shape_.count};
  const size_t block = shape_.count / static_cast<size_t>(shape_.ranks);
  return {static_cast<size_t>(rank) * block, block};
}

void Messages::fill(const DataSpec& spec) const {
  const size_t element = size_of(shape_.dtype);
  for (const int rank : group_.runner().locality().driven) {
    const RankBuffers& at = table_[static_cast<size_t>(rank)];
    const auto salt = static_cast<unsigned>(rank);
    for (std::byte* base : {at.input, at.output}) {
      set_guard(base - kGuardBytes, kGuardBytes, salt);
      set_guard(base + shape_.bytes(), kGuardBytes, salt + 1);
    }
    poison(at.output, shape_.bytes());
    const Range in = real(rank, true);
    generate(spec, rank, in.begin, in.size, at.input + in.begin * element);
  }
}

Verdict Messages::check(const Operation& operation, const DataSpec& spec) const {
  CheckSpec check;
  check.collective = shape_.collective;
  check.root = shape_.root;
  check.in_place = in_place_;
  check.tiling = &operation.tiling();
  check.order = operation.order();
  check.data = spec;
  std::vector<RankView> views;
  views.reserve(table_.size());
  for (const RankBuffers& at : table_) views.push_back({at.input, at.output});
  Verdict verdict;
  for (size_t tile = 0; tile < check.tiling->tiles(); ++tile) {
    verdict.merge(check_tile(check, views, tile));
  }
  for (const int rank : group_.runner().locality().driven) {
    const RankBuffers& at = table_[static_cast<size_t>(rank)];
    const auto salt = static_cast<unsigned>(rank);
    for (const std::byte* base : {at.input, at.output}) {
      if (changed_guard(base - kGuardBytes, kGuardBytes, salt) < 0 &&
          changed_guard(base + shape_.bytes(), kGuardBytes, salt + 1) < 0) {
        continue;
      }
      Verdict guard;
      guard.wrong = 1;
      guard.check = "guard";
      guard.rank = rank;
      verdict.merge(guard);
    }
  }
  return verdict;
}

Outcome run_checked(GpuGroup& group, const std::string& algorithm, const Shape& shape,
                    const RunOptions& options) {
  Outcome outcome;
  outcome.context =
      std::string(name(shape.collective)) + " " + algorithm + ", " + std::to_string(shape.ranks) +
      " ranks, " + std::to_string(shape.count) + " " + std::string(name(shape.dtype)) + " " +
      std::string(name(shape.op)) + (options.config.lines ? ", ll" : ", simple") + ", " +
      std::to_string(options.config.channels) + " channels of " +
      std::to_string(options.config.slots) + " slots of " +
      std::to_string(options.config.slot_bytes) + (options.in_place ? ", in place" : "") +
      ", seed " + std::to_string(options.seed);
  const Made made =
      make_operation(group.runner(), algorithm, shape, options.in_place, options.config);
  outcome.protocol = made.protocol;
  const Messages messages(group, shape, options.in_place, options.unalign);
  for (int t = 0; t < options.times; ++t) {
    const DataKind kind = t % 2 == 0 ? DataKind::kExact : DataKind::kRandom;
    const DataSpec spec{kind, shape.dtype, shape.op, shape.ranks,
                        options.seed * 7919 + static_cast<uint64_t>(t)};
    const std::function<void(int)> fill = [&](int) { messages.fill(spec); };
    const std::function<void(int)> check = [&](int) {
      outcome.verdict.merge(messages.check(*made.operation, spec));
    };
    const Execution execution{
        made.operation.get(), messages.table(), shape.ranks, options.batch, t, &fill, &check};
    try {
      group.crew().run({&execution, 1});
    } catch (const Error&) {
      for (const std::string& error : emulated::errors()) std::cerr << error << '\n';
      throw;
    }
  }
  for (const std::string& error : emulated::errors()) outcome.context += "\n  " + error;
  if (!emulated::errors().empty()) outcome.verdict.wrong += 1;
  if (!outcome.verdict.ok()) {
    const Verdict& verdict = outcome.verdict;
    outcome.context += ": " + std::to_string(verdict.wrong) + " wrong, " + verdict.check +
                       ", rank " + std::to_string(verdict.rank) + ", index " +
                       std::to_string(verdict.index) + ", wanted " + verdict.wanted + ", got " +
                       verdict.got;
  }
  return outcome;
}

}  // namespace arb
