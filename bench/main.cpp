#include <fmt/core.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "bench/accept/accept_command.hpp"
#include "bench/cli.hpp"
#include "bench/compare_command.hpp"
#include "bench/doctor.hpp"
#include "bench/doctor_command.hpp"
#include "bench/gate_run.hpp"
#include "bench/job.hpp"
#include "bench/known_algorithms.hpp"
#include "bench/list.hpp"
#include "bench/prove_command.hpp"
#include "bench/run.hpp"
#include "bench/tune_command.hpp"
#include "bench/watchdog.hpp"
#include "collectives/error.hpp"
#include "collectives/runners/mpi/world.hpp"

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
             std::span<const arb::NamedAlgorithm> known, const arb::World* world,
             arb::Watchdog* watchdog) {
  if (options.verb == arb::Verb::kRun || options.verb == arb::Verb::kAccept) {
    std::signal(SIGINT, on_signal);  // the other verbs have nothing to save
    std::signal(SIGTERM, on_signal);
    if (options.verb == arb::Verb::kAccept) {
      return arb::run_accept(options, command, interrupted, world, watchdog);
    }
    if (arb::judges(options)) {
      return arb::run_gate(options, command, interrupted, world, watchdog);
    }
    return arb::run_sweep(options, command, interrupted, world, watchdog);
  }
  if (world != nullptr && world->rank() != 0) return 0;  // one answer is enough
  switch (options.verb) {
    case arb::Verb::kCompare:
      return arb::run_compare(options, command);
    case arb::Verb::kProve:
      return arb::run_prove(options);
    case arb::Verb::kTune:
      return arb::run_tune(options);
    case arb::Verb::kList:
      fmt::print("{}", arb::list_text(known));
      return 0;
    case arb::Verb::kDoctor:
      return arb::run_doctor(options);
    case arb::Verb::kAccept:
    case arb::Verb::kRun:
      break;
  }
  return 0;
}

/// A full disk is an error; a reader that went away is not.
int lost_stdout(int code, int why) {
  if (why == EPIPE || code != 0) return code;
  fmt::print(stderr, "allreduce-bench: cannot write to standard output: {}\n",
             std::generic_category().message(why));
  return exit_code(arb::ErrorKind::kEnvironment);
}

int close_stdout(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return lost_stdout(code, errno);
}

/// What all processes of a job found out alike is said by one, and all end by themselves.
int report_alike(const arb::Error& error, bool talks) {
  if (talks) fmt::print(stderr, "allreduce-bench: {}\n", error.what());
  return exit_code(error.kind());
}

/// What one process of a job found out ends all of them. The first has the best report, so the
/// others hold back a moment, and are then heard before the launcher ends them all.
int end_job(const arb::World& world, arb::Watchdog* watchdog, const std::string& message,
            int code) {
  if (watchdog != nullptr) watchdog->postpone(5);
  if (world.rank() == 0) {
    fmt::print(stderr, "allreduce-bench: {}\n", message);
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    fmt::print(stderr, "allreduce-bench: rank {}: {}\n", world.rank(), message);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  std::fflush(nullptr);
  world.abort(interrupted.load() ? 130 : code);
}

/// The command line, or why it is refused: said later, once for all processes.
struct Parsed {
  arb::CommandLine line;
  std::optional<arb::Error> refused;

  std::optional<double> time_limit() const {
    return refused || line.text ? std::nullopt : line.options.timeout_seconds;
  }
};

Parsed parse(int argc, char** argv, std::span<const arb::NamedAlgorithm> known) {
  try {
    return {arb::parse_command_line(argc, argv, known), std::nullopt};
  } catch (const arb::Error& error) {
    return {{}, error};
  }
}

/// The command, and what it came to where that depends on a file: another node may have another
/// one, or none.
std::vector<std::string> said_by(const Parsed& parsed, const std::vector<std::string>& command) {
  std::vector<std::string> said = command;
  said.insert(said.end(), parsed.line.from_file.begin(), parsed.line.from_file.end());
  if (parsed.refused) said.push_back(fmt::format("({})", parsed.refused->what()));
  return said;
}

int run(const Parsed& parsed, const std::vector<std::string>& command,
        std::span<const arb::NamedAlgorithm> known, const arb::World* world, bool talks,
        arb::Watchdog* watchdog) {
  const arb::CommandLine& line = parsed.line;
  try {
    if (world != nullptr) arb::require_same_command(*world, said_by(parsed, command));
    if (parsed.refused) return report_alike(*parsed.refused, talks);
    if (line.text) {
      if (talks) std::fputs(line.text->c_str(), stdout);
      return close_stdout(0);
    }
    arb::settled_backend(line.options, world);
  } catch (const arb::Error& error) {
    return report_alike(error, talks);
  }
  try {
    return close_stdout(dispatch(line.options, command, known, world, watchdog));
  } catch (const arb::Error& error) {
    if (world != nullptr) return end_job(*world, watchdog, error.what(), exit_code(error.kind()));
    return report_alike(error, true);
  } catch (const std::exception& error) {
    const std::string message = std::string("internal error: ") + error.what();
    if (world != nullptr) {
      return end_job(*world, watchdog, message, exit_code(arb::ErrorKind::kInternal));
    }
    throw;
  }
}

/// Enters and leaves MPI under the watchdog's eyes: both wait for all other processes.
int run_in_job(int argc, char** argv, const std::vector<std::string>& command,
               const arb::Launched& launched) {
  const std::vector<arb::NamedAlgorithm> known = arb::known_algorithms();
  std::optional<arb::Watchdog> watchdog;
  const Parsed parsed = parse(argc, argv, known);
  if (const auto limit = parsed.time_limit()) watchdog.emplace(*limit, launched.rank);
  const auto waits = [&](const char* what) {
    if (!watchdog || launched.processes < 2) return;
    watchdog->ask([what, rank = launched.rank] {
      return fmt::format("rank {}: {}, waits for the other processes", rank, what);
    });
  };
  waits("starting up");
  const bool wants_mpi = !parsed.refused && parsed.line.options.backend == "mpi";
  std::unique_ptr<arb::World> world = arb::enter_job(&argc, &argv, launched, wants_mpi);
  const int code = run(parsed, command, known, world.get(),
                       world != nullptr ? world->rank() == 0 : arb::talks(launched),
                       watchdog ? &*watchdog : nullptr);
  waits("closing down");
  world.reset();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `| head -1`: files are still written
  const std::vector<std::string> command(argv, argv + argc);
  const arb::Launched launched = arb::read_launch();
  try {
    return run_in_job(argc, argv, command, launched);
  } catch (const arb::Error& error) {
    return report_alike(error, arb::talks(launched));
  } catch (const std::system_error& error) {  // thrown by fmt::print too
    if (std::ferror(stdout) != 0) return lost_stdout(0, error.code().value());
    fmt::print(stderr, "allreduce-bench: internal error: {}\n", error.what());
    return exit_code(arb::ErrorKind::kInternal);
  } catch (const std::exception& error) {
    fmt::print(stderr, "allreduce-bench: internal error: {}\n", error.what());
    return exit_code(arb::ErrorKind::kInternal);
  }
}
