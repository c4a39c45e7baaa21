#include "bench/compare_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "bench/build_info.hpp"
#include "bench/gate_files.hpp"
#include "bench/help.hpp"
#include "bench/report_file.hpp"
#include "bench/system.hpp"
#include "collectives/error.hpp"
#include "reports/text.hpp"

namespace arb {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

/// Reports of one build: one file per start.
struct Side {
  std::vector<std::string> files;
  std::vector<Report> reports;
};

struct Sides {
  Side base, fresh;
};

/// The first file is the old build, unless --baseline gave it and there is only one file.
Sides sides_of(const Options& options) {
  const std::vector<std::string>& files = options.files;
  Sides sides;
  sides.base.files = options.gate.baselines;
  const size_t old = files.size() == 1 && !sides.base.files.empty() ? 0 : 1;
  if (files.size() <= old) {
    refuse(fmt::format("compare: {}; give two: {} compare BASE.json NEW.json",
                       files.empty() ? "which reports?" : "only one report", kProgram));
  }
  sides.base.files.insert(sides.base.files.begin(), files.begin(), files.begin() + old);
  sides.fresh.files.assign(files.begin() + old, files.end());
  return sides;
}

fs::path real_path(const std::string& file) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(file), error);
}

/// A start that counted twice would make the spread between starts look smaller than it is.
void refuse_twins(const Side& side) {
  std::set<fs::path> seen;
  for (const std::string& file : side.files) {
    if (!seen.insert(real_path(file)).second) {
      refuse(fmt::format("'{}': given twice; each start of the program has its own report", file));
    }
  }
}

void read(Side& side) {
  refuse_twins(side);
  for (const std::string& file : side.files) {
    side.reports.push_back(read_report_file(file));
    if (side.reports.back().records.empty()) {
      refuse(fmt::format("'{}' has no results; nothing to judge", file));
    }
  }
}

void require_known(const std::vector<std::string>& only, const Sides& sides) {
  std::set<std::string> known;
  for (const Side* side : {&sides.base, &sides.fresh}) {
    for (const Report& report : side->reports) {
      for (const Record& record : report.records) known.insert(record.algorithm);
    }
  }
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& each : only) read_choice({"--only", each}, "algorithm", names);
}

std::string version_of(const Report& report) {
  return report.version + (report.revision.empty() ? "" : fmt::format(" ({})", report.revision));
}

std::string line_of(std::string_view title, const std::string& file, const Report& report) {
  return fmt::format("{}: {}, {} {}, measured {}, {}{}", title, file, kProgram, version_of(report),
                     report.started,
                     counted(static_cast<long long>(report.records.size()), "result"),
                     report.complete ? "" : ", not complete");
}

std::string machine_of(const Report& report) {
  return fmt::format("{}, {}", report.environment.host, report.environment.cpu);
}

std::vector<std::string> context_of(const Sides& sides) {
  std::vector<std::string> lines;
  std::vector<std::string> machines;
  const auto add = [&](std::string_view title, const Side& side) {
    for (size_t i = 0; i < side.files.size(); ++i) {
      lines.push_back(line_of(title, side.files[i], side.reports[i]));
      const std::string machine = machine_of(side.reports[i]);
      if (std::find(machines.begin(), machines.end(), machine) == machines.end()) {
        machines.push_back(machine);
      }
    }
  };
  add("old", sides.base);
  add("new", sides.fresh);
  for (const std::string& machine : machines) lines.push_back("machine: " + machine);
  return lines;
}

/// Which files a refusal is about, where that is not in its words.
std::string blamed(const Sides& sides) {
  return fmt::format("{} and {}", fmt::join(sides.base.files, ", "),
                     fmt::join(sides.fresh.files, ", "));
}

Comparison compare_sides(const Sides& sides, const CompareRules& rules) {
  try {
    return compare(sides.base.reports, sides.fresh.reports, rules);
  } catch (const std::invalid_argument& error) {
    refuse(fmt::format("{}: {}", blamed(sides), error.what()));
  }
}

void warn_of_itself(const Sides& sides, Gate& gate) {
  for (const std::string& file : sides.base.files) {
    const bool itself = std::any_of(
        sides.fresh.files.begin(), sides.fresh.files.end(),
        [&file](const std::string& other) { return real_path(file) == real_path(other); });
    if (!itself) continue;
    gate.warnings.push_back(fmt::format(
        "'{}' is compared with itself, which says nothing; give the report of another start",
        file));
  }
}

}  // namespace

int run_compare(const Options& options, const std::vector<std::string>& command) {
  Sides sides = sides_of(options);
  const GateFiles files(options.gate);
  read(sides.base);
  read(sides.fresh);
  require_known(options.gate.rules.only, sides);
  Gate gate = gate_of(compare_sides(sides, options.gate.rules), options.gate.rules);
  gate.version = build_info().version;
  gate.started = utc_now();
  gate.command = command;
  const std::vector<std::string> context = context_of(sides);
  gate.context.insert(gate.context.begin(), context.begin(), context.end());
  warn_of_itself(sides, gate);
  return deliver(gate, files, options.gate.format);
}

}  // namespace arb
