#include "bench/report_sink.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "collectives/error.hpp"
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
  const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (written) return;
  if (errno != EPIPE) {
    throw Error(ErrorKind::kEnvironment,
                "cannot write to standard output: " + std::generic_category().message(errno));
  }
  stdout_gone_ = true;  // a closed pipe: SIGPIPE is ignored, so that files are still written
  std::clearerr(stdout);
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
