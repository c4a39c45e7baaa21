// Where the verdicts of a gate go: files that were asked for, and stdout.
#pragma once

#include <optional>
#include <string>

#include "bench/options.hpp"
#include "bench/output_file.hpp"
#include "reports/gate/gate.hpp"

namespace arb {

class GateFiles {
 public:
  /// Proves that all can be written, before anything is measured. Throws Error{kUsage}.
  explicit GateFiles(const GateOptions& options);

  /// Throws Error{kEnvironment}, for a full disk for example.
  void write(const Gate& gate) const;
  /// The same on the way: what is only ever appended to waits for the end.
  void write_so_far(const Gate& gate) const;

 private:
  std::optional<WholeFile> verdicts_, junit_;
  std::optional<AppendedFile> summary_;
};

/// Writes the files, prints the gate in `format` (the name of a gate writer; empty: prints
/// nothing), and returns the exit code of the gate. Throws Error{kUsage} if nothing was judged.
int deliver(const Gate& gate, const GateFiles& files, const std::string& format);

}  // namespace arb
