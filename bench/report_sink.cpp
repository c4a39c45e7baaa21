#include "bench/report_sink.hpp"

#include <unistd.h>

#include "bench/standard_output.hpp"
#include "reports/summary.hpp"

namespace arb {

ReportSink::ReportSink(const Options& options, size_t algorithm_columns, bool leads, bool plain)
    : writer_(*writer_named(options.format)),
      table_({.colour = !plain && isatty(STDOUT_FILENO) != 0,
              .algorithm_columns = algorithm_columns}) {
  if (!leads) {
    stdout_gone_ = true;
    return;
  }
  for (const std::string& path : options.outputs) files_.emplace_back(Argument{"--output", path});
}

void ReportSink::print(const std::string& text) {
  if (stdout_gone_ || text.empty()) return;
  stdout_gone_ = !print_result(text);
}

void ReportSink::write_files(const Report& report) const {
  for (const OutputFile& file : files_) {
    file.replace(file.writer().write(report));
  }
}

void ReportSink::begin(const Report& report) {
  write_files(report);
  if (streams()) print(table_.header(report));
}

void ReportSink::add(const Report& report, std::span<const Record> records, Progress& progress) {
  write_files(report);
  if (!streams()) return;
  progress.clear();
  print(table_.group(records));
}

void ReportSink::end(const Report& report, Progress& progress) {
  write_files(report);
  progress.clear();
  if (streams()) {
    print(table_.footer(report));
    print("\n" + write_summary(report));
  } else {
    print(writer_.write(report));
  }
}

}  // namespace arb
