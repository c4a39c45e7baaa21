#include "reports/compare/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reports/text.hpp"

namespace arb {
namespace {

/// "NVIDIA H100 80GB HBM3" of name, UUID, size and driver.
std::vector<std::string> kinds(const std::vector<std::string>& gpus) {
  std::vector<std::string> names;
  names.reserve(gpus.size());
  for (const std::string& gpu : gpus) names.push_back(gpu.substr(0, gpu.find(',')));
  return names;
}

std::string machine_text(const Environment& machine) {
  std::string text =
      fmt::format("{} ({}, {}", machine.host.empty() ? "a machine without a name" : machine.host,
                  machine.cpu.empty() ? "unknown CPU" : machine.cpu,
                  counted(machine.cores_usable, "usable core"));
  if (!machine.gpus.empty()) {
    text += fmt::format(", {}: {}", counted(static_cast<long long>(machine.gpus.size()), "GPU"),
                        kinds(machine.gpus).front());
  }
  return printable(text + ", fingerprint " +
                   (machine.fingerprint.empty() ? "unknown" : machine.fingerprint) + ")");
}

bool same_machine(const Environment& a, const Environment& b) {
  return a.fingerprint == b.fingerprint && kinds(a.gpus) == kinds(b.gpus);
}

// Options that change what is measured, not how long or where to.
constexpr const char* kSettings[] = {"inject",        "path",       "protocol",
                                     "slots",         "slot-bytes", "workers",
                                     "ranks-per-gpu", "iterations", "warmup"};

class Warnings {
 public:
  Warnings(const Report& base, const Report& fresh, std::vector<std::string>& to)
      : base_(base), fresh_(fresh), to_(to) {}

  void check() {
    const Environment &a = base_.environment, &b = fresh_.environment;
    note("host", a.host, b.host);
    note("kernel", a.kernel, b.kernel);
    note("MPI", a.mpi, b.mpi);
    note("NCCL", a.nccl, b.nccl);
    note("GPUs", joined(a.gpus), joined(b.gpus));
    note("placement of ranks", joined(a.placement), joined(b.placement));
    note("kind of build", base_.build, fresh_.build);
    for (const auto& [key, value] : a.variables) note(key, value, find(b.variables, key));
    for (const auto& [key, value] : b.variables) {
      if (!a.variables.contains(key)) note(key, "", value);
    }
    for (const char* key : kSettings) {
      note("--" + std::string(key), find(base_.config, key), find(fresh_.config, key));
    }
  }

 private:
  static std::string find(const std::map<std::string, std::string>& in, const std::string& key) {
    const auto at = in.find(key);
    return at == in.end() ? "" : at->second;
  }

  static std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : "; ") + item;
    return text;
  }

  void note(const std::string& what, const std::string& before, const std::string& now) {
    if (before == now) return;
    const auto said = [](const std::string& value) { return value.empty() ? "none" : value; };
    const std::string text = printable(
        fmt::format("different {}: {} in the baseline, {} now; keep it the same, or measure the "
                    "baseline again",
                    what, said(before), said(now)));
    if (std::find(to_.begin(), to_.end(), text) == to_.end()) to_.push_back(text);
  }

  const Report& base_;
  const Report& fresh_;
  std::vector<std::string>& to_;
};

void check_complete(const StartReports& starts, std::string_view side,
                    std::vector<std::string>& warnings) {
  for (const Report* report : starts) {
    if (report->complete) continue;
    warnings.push_back(printable(fmt::format(
        "{} is partial ({}); it counts as far as it goes: measure again for the rest", side,
        report->partial_reason.empty() ? "not finished" : report->partial_reason)));
  }
}

}  // namespace

void check_machines(const StartReports& base, const StartReports& fresh, bool allow_other,
                    std::vector<std::string>& warnings) {
  const Report& first = *base.front();
  bool said = false;
  const auto check = [&](const StartReports& starts, std::string_view side) {
    for (const Report* report : starts) {
      if (!same_machine(first.environment, report->environment)) {
        const std::string text =
            fmt::format("the baseline is of {}, {} is of another machine: {}",
                        machine_text(first.environment), side, machine_text(report->environment));
        if (!allow_other) {
          throw std::invalid_argument(
              text + "; measure a baseline on this machine, or use --allow-other-machine");
        }
        if (!said) warnings.push_back(text + "; times of two machines say little about two builds");
        said = true;
      }
      Warnings(first, *report, warnings).check();
    }
  };
  check(base, "one of its reports");
  check(fresh, "the new report");
  check_complete(base, "the baseline", warnings);
  check_complete(fresh, "the new report", warnings);
}

}  // namespace arb
