#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/config.hpp"
#include "bench/sizes.hpp"

namespace arb {

std::map<std::string, std::string> config_of(const Options& options, const Effective& effective) {
  std::vector<std::string> sizes;
  for (const uint64_t bytes : options.sizes) sizes.push_back(format_size(bytes));
  std::map<std::string, std::string> config = {
      {"backend", effective.backend},
      {"collective", std::string(name(options.collective))},
      {"algorithms", fmt::format("{}", fmt::join(effective.algorithms, ","))},
      {"ranks", fmt::format("{}", fmt::join(effective.ranks, ","))},
      {"sizes", fmt::format("{}", fmt::join(sizes, ","))},
      {"dtype", std::string(name(options.dtype))},
      {"root", std::to_string(options.root)},
      {"place", options.place == Place::kBoth      ? "both"
                : options.place == Place::kInPlace ? "in-place"
                                                   : "out-of-place"},
      {"cache", options.cache == Cache::kCold ? "cold" : "hot"},
      {"unalign", std::to_string(options.unalign)},
      {"check", std::to_string(options.checks)},
      {"seed", std::to_string(options.seed)},
  };
  if (reduces(options.collective)) config["op"] = name(options.op);
  if (options.iterations) {
    config["iterations"] = std::to_string(*options.iterations);
  } else {
    config["precision"] = plain_decimal(options.precision);
  }
  if (options.warmup) config["warmup"] = std::to_string(*options.warmup);
  if (options.case_seconds) config["max-time"] = plain_decimal(*options.case_seconds) + "s";
  if (options.slots) config["slots"] = std::to_string(*options.slots);
  if (options.slot_bytes) config["slot-bytes"] = format_size(*options.slot_bytes);
  if (options.workers) config["workers"] = std::to_string(*options.workers);
  if (effective.backend == "mpi") config["path"] = options.path;
  if (effective.backend == "cuda") {
    config["protocol"] = options.protocol;
    config["launch"] = options.launch;
    if (options.gpus) config["gpus"] = std::to_string(*options.gpus);
    if (options.ranks_per_gpu) config["ranks-per-gpu"] = std::to_string(*options.ranks_per_gpu);
  }
  return config;
}

}  // namespace arb
