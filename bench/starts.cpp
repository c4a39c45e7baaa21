#include "bench/starts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "bench/child.hpp"
#include "bench/files.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"
#include "reports/text.hpp"

namespace arb {

namespace {

constexpr double kLongestStart = 3600;  // seconds, without a time limit of the whole
constexpr size_t kShownBytes = 800;     // of what a failed start said
constexpr int kNothingMeasured = 2;     // with a whole report; else a usage error
constexpr int kWrongData = 3;

ErrorKind kind_of(int exit_code) {
  switch (exit_code) {
    case 2:
      return ErrorKind::kUsage;
    case 4:
      return ErrorKind::kTimeLimit;
    default:
      return ErrorKind::kEnvironment;
  }
}

std::string last_words(const std::string& output) {
  return printable(output.size() > kShownBytes ? "... " + output.substr(output.size() - kShownBytes)
                                               : output);
}

}  // namespace

Starts::Starts(const std::string& launcher,
               std::optional<std::chrono::steady_clock::time_point> deadline,
               const std::atomic<bool>* interrupted)
    : launcher_(words_of(launcher)), deadline_(deadline), interrupted_(interrupted) {}

double Starts::seconds_left() const {
  if (!deadline_) return kLongestStart;
  return std::chrono::duration<double>(*deadline_ - std::chrono::steady_clock::now()).count();
}

Report Starts::measure(const std::string& program, const std::vector<std::string>& words) {
  const std::string output = folder_.file("start.json");
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  std::vector<std::string> argv = launcher_;
  argv.push_back(program);
  argv.emplace_back("run");
  argv.insert(argv.end(), words.begin(), words.end());
  // The limits take a third of a short start, and nothing is judged by them.
  for (const char* word :
       {"--no-limits", "--raw", "--no-progress", "--format", "csv", "--output"}) {
    argv.emplace_back(word);
  }
  argv.push_back(output);
  const ChildResult child = run_child(argv, {}, seconds_left(), interrupted_);
  if (child.interrupted || (interrupted_ != nullptr && interrupted_->load())) {
    throw StartInterrupted{};
  }
  const std::string command = fmt::format("{}", fmt::join(argv, " "));
  if (child.timed_out) {
    throw Error(ErrorKind::kTimeLimit, "the time limit came while this ran: " + command);
  }
  const int code = child.exit_code;
  const auto failed = [&] {
    return Error(kind_of(code),
                 fmt::format("exit code {} of {}: {}", code, command, last_words(child.output)));
  };
  const auto text = read_file(output);
  const bool nothing_measured = code == kNothingMeasured && text;
  if (code != 0 && code != kWrongData && !nothing_measured) throw failed();
  if (!text) {
    throw Error(ErrorKind::kEnvironment,
                "it wrote no report; is it a build of this program? " + command);
  }
  try {
    Report report = read_json(*text);
    if (nothing_measured && !report.complete) throw failed();
    return report;
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: its report cannot be read: {}", program, error.what()));
  }
}

}  // namespace arb
