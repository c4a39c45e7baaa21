// Proof that a rules file is read by Open MPI, and that it does not slow anything down.
#pragma once

#include <string>
#include <vector>

#include "bench/options.hpp"
#include "reports/tune/openmpi.hpp"

namespace arb {

/// Starts the program under the launcher: once with every algorithm in the rules replaced by one
/// that does not exist (MPI_Allreduce must fail), once with the rules (it must not), then in turns
/// without and with them. Prints what it finds. Returns 0; 1 if the rules are not read or a range
/// is slower with them; 3 if a result is wrong with them. Throws Error{kEnvironment} if runs
/// without the rules fail, Error{kTimeLimit} if one hangs, Error{kUsage} if the launcher starts no
/// communicator that has rules.
int verify_rules(const Options& options, const std::vector<Tuning>& tunings,
                 const OpenMpiRules& how, const std::string& rules);

}  // namespace arb
