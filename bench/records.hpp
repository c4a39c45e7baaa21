// From what a case found to the record of each algorithm.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "bench/measure/case_run.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/system.hpp"
#include "reports/record.hpp"

namespace arb {

HostFactsForSlots host_facts(const System& system, int workers);
Shape shape_of(const Options& options, const Case& planned);

/// Is the message large enough that its share of the memory limit means something?
bool shows_limit(const Options& options, uint64_t last_level_bytes, const Case& planned);

/// What is known before anything runs, but for the platform's backend and nodes; status ok, not
/// checked.
Record blank_record(const Options& options, const Case& planned, const std::string& algorithm);

struct RecordContext {
  const Options& options;
  bool oversubscribed = false;
  std::optional<double>
      copy_seconds;  // of copying every input to its output, in turn with the case; null: small
  bool busy = false;
  std::optional<std::pair<double, double>> handoff_seconds = {};  // before and after the case
};

/// Adds the measurement: times, bandwidths, traffic from the schedule, verdict, flags.
void complete_record(Record& record, const Prepared& prepared, const CaseResult& result,
                     const RecordContext& context);

}  // namespace arb
