#include "bench/doctor_mpi.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace arb {
namespace {

constexpr const char* kRoot = "--allow-run-as-root";
constexpr const char* kNoSingleCopy = "--mca btl_vader_single_copy_mechanism none";
constexpr const char* kYield = "--mca mpi_yield_when_idle 1";

/// Containers refuse process_vm_readv, which Open MPI moves large messages of a node with.
bool can_read_another_process() {
  static volatile int theirs = 0;
  theirs = 0;
  const pid_t child = fork();
  if (child < 0) return true;
  if (child == 0) {
    for (;;) pause();
  }
  int ours = -1;
  const iovec to{&ours, sizeof ours};
  const iovec from{const_cast<int*>(&theirs), sizeof theirs};
  const ssize_t read = process_vm_readv(child, &to, 1, &from, 1, 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return read == static_cast<ssize_t>(sizeof ours) && ours == 0;
}

std::string item(const std::string& sentence) { return fmt::format("  * {}\n", sentence); }

}  // namespace

MpirunNeeds read_mpirun_needs(const System& system) {
  return {geteuid() == 0, can_read_another_process(), system.usable_cores(), system.container};
}

std::string mpirun_text(const MpirunNeeds& needs) {
  std::string command = "mpirun";
  std::string reasons;
  if (needs.root) {
    command += fmt::format(" {}", kRoot);
    reasons += item(fmt::format("you are root: mpirun does not start without {}", kRoot));
  }
  if (!needs.reads_processes) {
    command += fmt::format(" {}", kNoSingleCopy);
    const std::string here =
        needs.container.empty() ? "here" : fmt::format("in this container ({})", needs.container);
    reasons += item(
        fmt::format("{} no process may read another's memory, but Open MPI tries to: it prints "
                    "\"Read -1, expected ...\" and messages arrive with wrong data, unless told {}",
                    here, kNoSingleCopy));
  }
  reasons += item(
      fmt::format("for more than {} rank{} add --oversubscribe {}: else mpirun refuses, or ranks "
                  "that wait keep the cores from those at work",
                  needs.cores, needs.cores == 1 ? "" : "s", kYield));
  return fmt::format("Under mpirun (Open MPI)\n  {} -np {} allreduce-bench ...\n{}", command,
                     std::max(2, needs.cores), reasons);
}

std::optional<std::string> yield_warning(std::span<const Node> nodes, const std::string& library,
                                         const Lookup& lookup) {
  if (!library.starts_with("Open MPI")) return std::nullopt;
  const auto crowded = std::find_if(nodes.begin(), nodes.end(), [](const Node& node) {
    return static_cast<int>(node.ranks.size()) > node.cores;
  });
  if (crowded == nodes.end()) return std::nullopt;
  // mpirun sets the second itself when it knows that a node has more processes than slots.
  const auto told = lookup("OMPI_MCA_mpi_yield_when_idle");
  const std::string yields = told.value_or(lookup("OMPI_MCA_mpi_oversubscribe").value_or("0"));
  if (yields != "0" && yields != "false") return std::nullopt;
  return fmt::format(
      "{} ranks take turns on {} core{} of {}, and Open MPI waits without giving "
      "them up; start with mpirun {}",
      crowded->ranks.size(), crowded->cores, crowded->cores == 1 ? "" : "s", crowded->host, kYield);
}

}  // namespace arb
