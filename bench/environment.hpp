// What a report says about where it was made.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/system.hpp"
#include "reports/record.hpp"

namespace arb {

/// The only environment variables that ever reach an output; all others may hold secrets.
std::span<const std::string_view> reported_variables();

using Lookup = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> lookup_environment(const std::string& name);

/// Limits, GPUs, MPI and NCCL stay empty: who measures or opens them fills them in.
Environment describe_environment(const System& system, const Lookup& lookup = lookup_environment);

/// 16 hex digits, equal for machines whose results may be compared: CPU model, usable cores,
/// packages, last-level cache, page size and memory (to the nearest power of two). Not in it, so
/// that it outlives reboots and updates: host name, kernel, load, free memory.
std::string fingerprint(const System& system);

}  // namespace arb
