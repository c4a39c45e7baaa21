// Where results go: files that are valid after every case, and stdout.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/output_file.hpp"
#include "bench/progress.hpp"
#include "reports/record.hpp"
#include "reports/table.hpp"
#include "reports/writer.hpp"

namespace arb {

class ReportSink {
 public:
  /// Opens the files, so that a bad path ends the program before anything is measured.
  /// `leads`: false in the processes of a job that write nothing. `plain`: no colours, whatever
  /// standard output seems to be (mpirun shows its processes a terminal that is none).
  ReportSink(const Options& options, size_t algorithm_columns, bool leads, bool plain);

  void begin(const Report& report);
  /// New records of one case, already in the report.
  void add(const Report& report, std::span<const Record> records, Progress& progress);
  void end(const Report& report, Progress& progress);

  /// Nobody reads stdout any more, and no file is written: the rest of the sweep is for nobody.
  bool unheard() const { return stdout_gone_ && files_.empty(); }

 private:
  /// The table is printed case by case, all else at the end.
  bool streams() const { return writer_.name == "table"; }
  void print(const std::string& text);
  void write_files(const Report& report) const;

  const Writer& writer_;  // of stdout
  std::vector<OutputFile> files_;
  TableWriter table_;
  bool stdout_gone_ = false;
};

}  // namespace arb
