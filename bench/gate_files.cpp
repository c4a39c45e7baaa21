#include "bench/gate_files.hpp"

#include <stdexcept>

#include "bench/standard_output.hpp"
#include "collectives/error.hpp"

namespace arb {

GateFiles::GateFiles(const GateOptions& options) {
  if (!options.verdicts.empty()) verdicts_.emplace(Argument{"--verdicts", options.verdicts});
  if (!options.junit.empty()) junit_.emplace(Argument{"--junit", options.junit});
  if (!options.summary.empty()) summary_.emplace(Argument{"--summary", options.summary});
}

void GateFiles::write(const Gate& gate) const {
  write_so_far(gate);
  if (summary_) summary_->append(write_gate_markdown(gate));
}

void GateFiles::write_so_far(const Gate& gate) const {
  if (verdicts_) verdicts_->replace(write_gate_json(gate));
  if (junit_) junit_->replace(write_gate_junit(gate));
}

int deliver(const Gate& gate, const GateFiles& files, const std::string& format) {
  int code = 0;
  try {
    code = exit_code(gate);
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::kUsage, error.what());
  }
  files.write(gate);
  if (!format.empty()) print_result(gate_writer_named(format)->write(gate));
  return code;
}

}  // namespace arb
