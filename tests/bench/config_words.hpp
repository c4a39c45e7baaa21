// Values for every option that a file may have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arb {

inline std::optional<std::string> other_than_default(const std::string& name) {
  static const std::map<std::string, std::string> kValues = {{"collective", "reduce"},
                                                             {"algorithms", "ring"},
                                                             {"ranks", "3"},
                                                             {"dtype", "float64"},
                                                             {"datatype", "int8"},
                                                             {"op", "max"},
                                                             {"root", "1"},
                                                             {"in-place", "true"},
                                                             {"out-of-place", "true"},
                                                             {"place", "both"},
                                                             {"backend", "host"},
                                                             {"sizes", "8B,64B"},
                                                             {"minbytes", "16"},
                                                             {"maxbytes", "1K"},
                                                             {"stepfactor", "4"},
                                                             {"stepbytes", "1M"},
                                                             {"iterations", "5"},
                                                             {"iters", "5"},
                                                             {"warmup", "0"},
                                                             {"warmup_iters", "2"},
                                                             {"precision", "5%"},
                                                             {"max-time", "1ms"},
                                                             {"timeout", "9"},
                                                             {"cache", "cold"},
                                                             {"unalign", "1"},
                                                             {"check", "2"},
                                                             {"no-check", "true"},
                                                             {"seed", "7"},
                                                             {"path", "shm"},
                                                             {"workers", "1"},
                                                             {"slots", "2"},
                                                             {"slot-bytes", "4K"},
                                                             {"gpus", "2"},
                                                             {"ranks-per-gpu", "2"},
                                                             {"protocol", "ll"},
                                                             {"launch", "graph"},
                                                             {"raw", "true"},
                                                             {"strict", "true"}};
  const auto found = kValues.find(name);
  if (found == kValues.end()) return std::nullopt;
  return found->second;
}

/// Where the option means something.
inline std::string backend_of(const std::string& name) {
  if (name == "path") return "mpi";
  const bool gpu =
      name == "gpus" || name == "ranks-per-gpu" || name == "protocol" || name == "launch";
  return gpu ? "cuda" : "auto";
}

/// Command lines of which a report is repeated.
inline std::vector<std::vector<std::string>> option_sets() {
  return {{},
          {"--sizes", "8B:1M:4", "-n", "5", "-w", "0"},
          {"-b", "10", "-e", "100", "-i", "7", "--precision", "0.1%"},
          {"-b", "3", "-e", "2000", "-f", "1.7", "-d", "double", "-o", "prod", "--place", "both"},
          {"--collective", "broadcast", "--root", "1", "--in-place", "--max-time", "7us"},
          {"--collective", "reduce-scatter", "-d", "half", "-o", "avg", "--cache", "cold"},
          {"--sizes", "0,4,5,6", "--unalign", "3", "--seed", "18446744073709551615"},
          {"--slots", "2", "--slot-bytes", "1000", "--workers", "1", "-c", "3"},
          {"--no-check", "--precision", "12.5%", "--max-time", "90min", "--raw", "--format", "json",
           "--strict"}};
}

}  // namespace arb
