#include "bench/records.hpp"

#include <cmath>

#include "collectives/algorithms/registry.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"
#include "collectives/schedule/virtual_clock.hpp"
#include "reports/flags.hpp"

namespace arb {
namespace {

constexpr size_t kLimitShareFrom =
    2;  // all inputs together are this many times the last-level cache

Traffic traffic_of(const Record& record, const Prepared& prepared, const RecordContext& context) {
  const Proof& proof = *prepared.proof;
  const auto bytes = [&](int64_t chunks) {
    return std::llround(static_cast<double>(chunks) * static_cast<double>(record.bytes) /
                        proof.chunks);
  };
  return {bytes(proof.max_sent_chunks()), bytes(proof.max_received_chunks()), proof.latency_steps,
          path_bytes(*prepared.schedule, prepared.operation->tiling(),
                     size_of(context.options.dtype), prepared.config->slots)};
}

/// What is known about wrong results of somebody else's algorithm.
std::string cure_of(const std::string& algorithm, const Options& options) {
  if (!algorithm.starts_with("openmpi:") || !reduces(options.collective)) return "";
  return openmpi_cure(options.dtype, options.op);
}

}  // namespace

HostFactsForSlots host_facts(const System& system, int workers) {
  HostFactsForSlots host;
  host.workers = workers;
  if (system.topology.l2_bytes > 0) host.cache_bytes = system.topology.l2_bytes;
  if (system.topology.last_level_bytes > 0)
    host.last_level_bytes = system.topology.last_level_bytes;
  return host;
}

Shape shape_of(const Options& options, const Case& planned) {
  return {options.collective, planned.ranks, options.root,
          planned.count,      options.dtype, options.op};
}

bool shows_limit(const Options& options, uint64_t last_level_bytes, const Case& planned) {
  return options.collective == Collective::kAllReduce &&
         planned.bytes * static_cast<uint64_t>(planned.ranks) >= kLimitShareFrom * last_level_bytes;
}

Record blank_record(const Options& options, const Case& planned, const std::string& algorithm) {
  Record record;
  record.collective = std::string(name(options.collective));
  record.algorithm = algorithm;
  record.kind = find_algorithm(options.collective, algorithm) != nullptr ? "scheduled" : "native";
  record.ranks = planned.ranks;
  record.bytes = static_cast<int64_t>(planned.bytes);
  record.requested_bytes = static_cast<int64_t>(planned.requested_bytes);
  record.count = static_cast<int64_t>(planned.count);
  record.dtype = std::string(name(options.dtype));
  record.op = reduces(options.collective) ? std::string(name(options.op)) : "none";
  if (has_root(options.collective)) record.root = options.root;
  record.in_place = planned.in_place;
  record.cache = options.cache == Cache::kHot ? "hot" : "cold";
  record.unalign = options.unalign;
  record.verify.verdict = "not checked";
  return record;
}

void complete_record(Record& record, const Prepared& prepared, const CaseResult& result,
                     const RecordContext& context) {
  record.kind = prepared.kind;
  record.protocol = prepared.protocol;
  if (prepared.config) {
    record.slots = prepared.config->slots;
    record.slot_bytes = static_cast<int64_t>(prepared.config->slot_bytes);
    if (record.backend == "cuda") record.channels = prepared.config->channels;
  }
  if (prepared.schedule != nullptr) {
    record.traffic = traffic_of(record, prepared, context);
  }
  record.time = result.time;
  record.verify = result.verify;
  record.straggler = result.straggler;
  record.handoff_s = context.handoff_seconds;
  if (record.time) record.completion = result.common_clock ? "global" : "longest rank";
  if (result.clock_error_seconds > 0 && std::isfinite(result.clock_error_seconds))
    record.clock_error_s = result.clock_error_seconds;
  record.flags = result.flags;
  // Of GPUs it is what a time means there, and no fault of the clocks.
  if (record.time && !result.common_clock && record.backend != "cuda") {
    record.flags.emplace_back(flag::kOwnTime);
  }
  if (context.oversubscribed) record.flags.emplace_back("oversubscribed");
  if (context.busy) record.flags.emplace_back("busy machine");
  if (result.verify.verdict == "wrong") {
    record.status = Status::kWrong;
    record.reason = result.verify.check;
    const std::string cure = cure_of(prepared.algorithm, context.options);
    if (!cure.empty()) record.reason += ": " + cure;
  }
  if (!record.time || record.count == 0) return;
  const double seconds = record.time->median;
  record.algbw_gbps = static_cast<double>(record.bytes) / seconds / 1e9;
  if (record.ranks > 1) {
    record.busbw_gbps =
        *record.algbw_gbps * bus_factor(context.options.collective, static_cast<int>(record.ranks));
  }
  if (context.copy_seconds) record.limit_share = *context.copy_seconds / seconds;
}

}  // namespace arb
