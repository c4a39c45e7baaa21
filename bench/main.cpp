#include <fmt/core.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "bench/cli.hpp"
#include "bench/doctor.hpp"
#include "bench/doctor_command.hpp"
#include "bench/known_algorithms.hpp"
#include "bench/list.hpp"
#include "bench/prove_command.hpp"
#include "bench/run.hpp"
#include "bench/tune_command.hpp"
#include "bench/watchdog.hpp"
#include "collectives/error.hpp"

namespace {

std::atomic<bool> interrupted{false};

extern "C" void on_signal(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);  // a second one ends the program at once
}

int exit_code(arb::ErrorKind kind) {
  switch (kind) {
    case arb::ErrorKind::kUsage:
      return 2;
    case arb::ErrorKind::kTimeLimit:
      return 4;
    case arb::ErrorKind::kEnvironment:
      return 5;
    case arb::ErrorKind::kInternal:
      break;
  }
  return 70;  // EX_SOFTWARE: a fault of this program
}

int dispatch(const arb::Options& options, const std::vector<std::string>& command,
             std::span<const arb::NamedAlgorithm> known) {
  switch (options.verb) {
    case arb::Verb::kRun:
      std::signal(SIGINT, on_signal);  // the other verbs have nothing to save
      std::signal(SIGTERM, on_signal);
      return arb::run_sweep(options, command, interrupted);
    case arb::Verb::kProve:
      return arb::run_prove(options);
    case arb::Verb::kTune:
      return arb::run_tune(options);
    case arb::Verb::kList:
      fmt::print("{}", arb::list_text(known));
      return 0;
    case arb::Verb::kDoctor:
      return arb::run_doctor(options);
  }
  return 0;
}

/// A full disk is an error; a reader that went away is not.
int close_stdout(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE || code != 0) return code;
  fmt::print(stderr, "allreduce-bench: cannot write to standard output: {}\n",
             std::generic_category().message(errno));
  return exit_code(arb::ErrorKind::kEnvironment);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `| head -1`: files are still written
  try {
    const std::vector<arb::NamedAlgorithm> known = arb::known_algorithms();
    const arb::CommandLine line = arb::parse_command_line(argc, argv, known);
    if (line.text) {
      std::fputs(line.text->c_str(), stdout);
      return close_stdout(0);
    }
    std::optional<arb::Watchdog> watchdog;
    if (line.options.timeout_seconds) watchdog.emplace(*line.options.timeout_seconds);
    return close_stdout(dispatch(line.options, {argv, argv + argc}, known));
  } catch (const arb::Error& error) {
    fmt::print(stderr, "allreduce-bench: {}\n", error.what());
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    fmt::print(stderr, "allreduce-bench: internal error: {}\n", error.what());
    return exit_code(arb::ErrorKind::kInternal);
  }
}
