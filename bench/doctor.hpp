// The `doctor` verb: what this machine offers, what limits it, and what would make results better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/doctor_gpus.hpp"
#include "bench/doctor_mpi.hpp"
#include "bench/measure/limits.hpp"
#include "bench/system.hpp"

namespace arb {

struct Examination {
  System system;
  std::optional<MemoryLimits> limits;
  std::optional<double> busy_cores;   // by others, measured over a moment
  std::optional<MpirunNeeds> mpirun;  // nullopt: this build has no MPI
  std::optional<GpuExamination> gpus;
};

/// Each a sentence with what is wrong and what to do; empty: nothing to complain about.
std::vector<std::string> advice(const Examination& examination);

std::string doctor_text(const Examination& examination);

/// Is so much of the usable cores taken by others that results would suffer?
bool is_busy(double busy_cores, int usable_cores);

}  // namespace arb
