// Every field of a report, once: its name in JSON and CSV, and where it lives. Both writers and the
// reader walk these lists, so that they cannot disagree. A visitor is called as visit(name, value);
// values that may be missing without being optional are wrapped.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "reports/record.hpp"

namespace arb {

/// An empty text means: missing.
template <class Text>
struct MaybeText {
  Text& text;
};
template <class Text>
MaybeText(Text&) -> MaybeText<Text>;

/// Zero means: missing (of what cannot be zero).
template <class Count>
struct MaybeCount {
  Count& count;
};
template <class Count>
MaybeCount(Count&) -> MaybeCount<Count>;

/// Empty samples mean: not asked for.
template <class List>
struct MaybeSamples {
  List& list;
};
template <class List>
MaybeSamples(List&) -> MaybeSamples<List>;

/// A field that reports of older versions do not have: then it is missing.
template <class Value>
struct Newer {
  Value& value;
};
template <class Value>
Newer(Value&) -> Newer<Value>;

/// The same; a pair that is no interval but what was measured before and after something.
template <class Value>
struct BeforeAfter : Newer<Value> {};
template <class Value>
BeforeAfter(Value&) -> BeforeAfter<Value>;

/// Both: an empty text, or none at all.
template <class Text>
struct NewerText {
  Text& text;
};
template <class Text>
NewerText(Text&) -> NewerText<Text>;

/// The "tool" object of the document, whose fields lie in the report itself.
template <class R>
struct Tool {
  R& report;
};
template <class R>
Tool(R&) -> Tool<R>;

template <class T, class U>
concept Maybe = std::same_as<std::remove_const_t<T>, U>;  // U or const U

void fields(auto& visit, Maybe<TimeStats> auto& time) {
  visit("n", time.n);
  visit("batch", time.batch);
  visit("min", time.min);
  visit("median", time.median);
  visit("ci95", time.ci95);
  visit("mean", time.mean);
  visit("p95", time.p95);
  visit("p99", time.p99);
  visit("max", time.max);
  visit("samples", MaybeSamples{time.samples});
}

void fields(auto& visit, Maybe<Traffic> auto& traffic) {
  visit("max_sent_bytes", traffic.max_sent_bytes);
  visit("max_received_bytes", traffic.max_received_bytes);
  visit("steps", traffic.steps);
  visit("path_bytes", Newer{traffic.path_bytes});
}

void fields(auto& visit, Maybe<Verification> auto& verify) {
  visit("checks", verify.checks);
  visit("timed_checks", verify.timed_checks);
  visit("wrong", verify.wrong);
  visit("verdict", MaybeText{verify.verdict});
  visit("check", MaybeText{verify.check});
  visit("index", verify.index);
  visit("rank", verify.rank);
  visit("wanted", MaybeText{verify.wanted});
  visit("got", MaybeText{verify.got});
  visit("ulps", verify.ulps);
  visit("max_error_ratio", verify.max_error_ratio);
}

void fields(auto& visit, Maybe<GpuState> auto& state) {
  visit("sm_clock_mhz", state.sm_clock_mhz);
  visit("memory_clock_mhz", state.memory_clock_mhz);
  visit("power_w", state.power_w);
  visit("temperature_c", state.temperature_c);
  visit("throttle_reasons", state.throttle_reasons);
  visit("ecc_errors", state.ecc_errors);
  visit("nvlinks", state.nvlinks);
  visit("nvlink_errors", state.nvlink_errors);
}

void fields(auto& visit, Maybe<Record> auto& record) {
  visit("backend", record.backend);
  visit("collective", record.collective);
  visit("algorithm", record.algorithm);
  visit("kind", record.kind);
  visit("protocol", MaybeText{record.protocol});
  visit("transport", NewerText{record.transport});
  visit("launch", NewerText{record.launch});
  visit("ranks", record.ranks);
  visit("nodes", record.nodes);
  visit("gpus", Newer{record.gpus});
  visit("bytes", record.bytes);
  visit("requested_bytes", record.requested_bytes);
  visit("count", record.count);
  visit("dtype", record.dtype);
  visit("op", MaybeText{record.op});
  visit("root", record.root);
  visit("in_place", record.in_place);
  visit("cache", MaybeText{record.cache});
  visit("slots", record.slots);
  visit("slot_bytes", record.slot_bytes);
  visit("channels", Newer{record.channels});
  visit("unalign", record.unalign);
  visit("status", record.status);
  visit("reason", MaybeText{record.reason});
  visit("time_s", record.time);
  visit("completion", Newer{record.completion});
  visit("clock_error_s", Newer{record.clock_error_s});
  visit("algbw_gbps", record.algbw_gbps);
  visit("busbw_gbps", record.busbw_gbps);
  visit("limit_share", record.limit_share);
  visit("handoff_s", BeforeAfter{record.handoff_s});
  visit("straggler", record.straggler);
  visit("traffic", record.traffic);
  visit("verify", record.verify);
  visit("gpu_state", Newer{record.gpu_state});
  visit("flags", record.flags);
}

void fields(auto& visit, Maybe<Segment> auto& segment) {
  visit("min_bytes", segment.min_bytes);
  visit("max_bytes", segment.max_bytes);
  visit("intercept_s", segment.intercept_s);
  visit("intercept_ci95", segment.intercept_ci95);
  visit("slope_s_per_byte", segment.slope_s_per_byte);
  visit("slope_ci95", segment.slope_ci95);
  visit("alpha_s", segment.alpha_s);
  visit("beta_bytes_per_s", segment.beta_bytes_per_second);
  visit("max_relative_error", segment.max_relative_error);
}

void fields(auto& visit, Maybe<Fit> auto& fit) {
  visit("backend", fit.backend);
  visit("collective", fit.collective);
  visit("algorithm", fit.algorithm);
  visit("ranks", fit.ranks);
  visit("in_place", fit.in_place);
  visit("latency_steps", fit.latency_steps);
  visit("traffic_factor", fit.traffic_factor);
  visit("segments", fit.segments);
  visit("refused", MaybeText{fit.refused});
}

void fields(auto& visit, Maybe<Crossover> auto& crossover) {
  visit("backend", crossover.backend);
  visit("collective", crossover.collective);
  visit("ranks", crossover.ranks);
  visit("in_place", crossover.in_place);
  visit("from", crossover.from);
  visit("to", crossover.to);
  visit("method", crossover.method);
  visit("bytes", crossover.bytes);
  visit("ci95", crossover.ci95);
  visit("resolved", crossover.resolved);
}

void fields(auto& visit, Maybe<Best> auto& best) {
  visit("backend", best.backend);
  visit("collective", best.collective);
  visit("ranks", best.ranks);
  visit("in_place", best.in_place);
  visit("min_bytes", best.min_bytes);
  visit("max_bytes", best.max_bytes);
  visit("algorithm", best.algorithm);
  visit("resolved", best.resolved);
}

void fields(auto& visit, Maybe<Environment> auto& environment) {
  visit("host", environment.host);
  visit("cpu", environment.cpu);
  visit("kernel", environment.kernel);
  visit("cores_usable", MaybeCount{environment.cores_usable});
  visit("memory_bytes", MaybeCount{environment.memory_bytes});
  visit("last_level_cache_bytes", MaybeCount{environment.last_level_cache_bytes});
  visit("copy_limit_gbps", environment.copy_limit_gbps);
  visit("add_limit_gbps", environment.add_limit_gbps);
  visit("gpus", environment.gpus);
  visit("mpi", MaybeText{environment.mpi});
  visit("nccl", MaybeText{environment.nccl});
  visit("placement", Newer{environment.placement});
  visit("variables", environment.variables);
  visit("fingerprint", environment.fingerprint);
}

template <class R>
void fields(auto& visit, const Tool<R>& tool) {
  visit("version", tool.report.version);
  visit("revision", MaybeText{tool.report.revision});
  visit("build", MaybeText{tool.report.build});
}

/// All but "schema_version", which comes first.
void fields(auto& visit, Maybe<Report> auto& report) {
  visit("tool", Tool{report});
  visit("started", report.started);
  visit("finished", MaybeText{report.finished});
  visit("complete", report.complete);
  visit("partial_reason", MaybeText{report.partial_reason});
  visit("command", report.command);
  visit("config", Newer{report.config});
  visit("environment", report.environment);
  visit("records", report.records);
  visit("fits", report.fits);
  visit("crossovers", report.crossovers);
  visit("best", report.best);
}

struct AnyVisitor {
  void operator()(const char* name, const auto& value) const;
};

template <class T>
concept HasFields = requires(const AnyVisitor& visit, T& object) {
  fields(visit, object);
};

}  // namespace arb
