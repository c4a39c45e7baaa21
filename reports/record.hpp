// The one result type: what was measured, how, and what to think of it. Every writer is records ->
// text. Times in seconds, sizes in bytes, bandwidths in GB/s (1e9 bytes/s). What is missing is
// nullopt, never 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arb {

inline constexpr int kSchemaVersion = 1;

enum class Status { kOk, kWrong, kSkipped, kTimeout };

struct TimeStats {
  int64_t n = 0;      // samples
  int64_t batch = 1;  // operations per sample
  double min = 0, median = 0, mean = 0, max = 0;
  std::optional<std::pair<double, double>> ci95;  // of the median; null with fewer than 6 samples
  std::optional<double> p95;                      // null with fewer than 20 samples
  std::optional<double> p99;                      // null with fewer than 100 samples
  std::vector<double> samples;                    // only with --raw
};

struct Traffic {  // per operation, from the schedule
  int64_t max_sent_bytes = 0;
  int64_t max_received_bytes = 0;
  int64_t steps = 0;  // latency steps: messages on the longest path
  // Through the ports that decide the time, one after the other; null in reports of old versions.
  std::optional<int64_t> path_bytes{};
};

struct Verification {
  int64_t checks = 0;        // checked executions of the operation, timed ones included
  int64_t timed_checks = 0;  // of these, executions that were also timed
  int64_t wrong = 0;         // wrong elements over all checks
  std::string verdict;       // "ok", "wrong", "not checked"
  // The first failure, if any:
  std::string
      check;  // "exact", "oracle", "bound", "guard", "input changed", "ranks differ", "runs differ"
  std::optional<int64_t> index;
  std::optional<int64_t> rank;
  std::string wanted, got;
  std::optional<double> ulps;
  std::optional<double> max_error_ratio;  // random data: largest |error| / proven bound
};

/// Of the GPUs while a case was measured. Medians over time, of the GPU that is worst off.
struct GpuState {
  std::optional<double> sm_clock_mhz, memory_clock_mhz;  // lowest
  std::optional<double> power_w, temperature_c;          // highest
  std::vector<std::string> throttle_reasons;             // of any GPU at any time
  std::optional<int64_t> ecc_errors;                     // uncorrected ones that were added
  std::optional<int64_t> nvlinks;                        // active, fewest
  std::optional<int64_t> nvlink_errors;                  // that were added
};

struct Record {
  std::string backend;     // "host"
  std::string collective;  // "all-reduce"
  std::string algorithm;   // "ring"
  std::string kind;        // "scheduled" | "native"
  std::string protocol;    // "slots" | "direct" | ...; on GPUs "simple" | "ll"
  std::string transport;   // between GPUs: "direct" | "host memory"
  std::string launch;      // of kernels: "stream" | "graph"
  int64_t ranks = 0;
  int64_t nodes = 1;
  std::optional<int64_t> gpus;  // that hold the ranks
  int64_t bytes = 0;            // effective
  int64_t requested_bytes = 0;
  int64_t count = 0;  // elements
  std::string dtype;
  std::string op;
  std::optional<int64_t> root;
  bool in_place = false;
  std::string cache;  // "hot" | "cold"
  std::optional<int64_t> slots;
  std::optional<int64_t> slot_bytes;
  std::optional<int64_t> channels;  // on GPUs: blocks per lane
  int64_t unalign = 0;              // elements by which the buffers are off their natural alignment
  Status status = Status::kOk;
  std::string reason;  // of skipped, timeout, wrong

  std::optional<TimeStats> time;
  // Of one operation: "global": latest end - latest start over ranks; "longest rank": the largest
  // end - start of a rank, where clocks of nodes are not known well enough. Null: not measured.
  std::optional<std::string> completion;
  std::optional<double> clock_error_s;  // of clocks of several nodes
  std::optional<double> algbw_gbps;
  std::optional<double> busbw_gbps;
  std::optional<double>
      limit_share;  // time of copying every input to its output / time; large messages
  // Time for a cache line to go from core to core, right before and after the case: the state of
  // the machine, whatever the algorithm. Host ranks only.
  std::optional<std::pair<double, double>> handoff_s{};
  std::optional<int64_t> straggler;  // rank that ended last in most of the slow samples
  std::optional<Traffic> traffic;
  Verification verify;
  std::optional<GpuState> gpu_state;
  std::vector<std::string> flags;  // "oversubscribed", "noisy", "time cap", ...
};

struct Segment {
  int64_t min_bytes = 0, max_bytes = 0;
  double intercept_s = 0;
  std::pair<double, double> intercept_ci95{0, 0};
  double slope_s_per_byte = 0;
  std::pair<double, double> slope_ci95{0, 0};
  std::optional<double> alpha_s;  // of one latency step; first segment only
  // Bytes on the critical path per byte of message, within the segment, / slope.
  std::optional<double> beta_bytes_per_second;
  double max_relative_error = 0;
};

struct Fit {
  std::string backend, collective, algorithm;
  int64_t ranks = 0;
  bool in_place = false;
  std::optional<int64_t> latency_steps;
  // Bytes on the critical path per byte of message, within the last segment.
  std::optional<double> traffic_factor;
  std::vector<Segment> segments;  // empty if refused
  std::string refused;            // why nothing could be fitted
};

struct Crossover {
  std::string backend, collective;
  int64_t ranks = 0;
  bool in_place = false;
  std::string from, to;  // below the crossover `from` is faster, above it `to`
  std::string method;    // "measured" | "fitted"
  std::optional<double> bytes;
  std::optional<std::pair<double, double>> ci95;
  bool resolved = false;
};

struct Best {
  std::string backend, collective;
  int64_t ranks = 0;
  bool in_place = false;
  int64_t min_bytes = 0, max_bytes = 0;
  std::string algorithm;
  bool resolved = true;  // false: the runner-up's interval overlaps
};

struct Environment {
  std::string host, cpu, kernel;
  int64_t cores_usable = 0;
  int64_t memory_bytes = 0;  // usable by this process
  int64_t last_level_cache_bytes = 0;
  std::optional<double>
      copy_limit_gbps;                   // measured: bytes read + written per second by memory copy
  std::optional<double> add_limit_gbps;  // measured: streaming add, bytes read + written per second
  std::vector<std::string> gpus;         // name, UUID, size, driver of each
  std::string mpi, nccl;                 // empty: not used
  std::vector<std::string> placement;    // "host: 0,1,2": the ranks of each node
  std::map<std::string, std::string> variables;  // allow-listed names only
  std::string fingerprint;
};

struct Report {
  std::string version, revision, build;  // of the program
  std::string started, finished;         // RFC 3339, UTC
  bool complete = false;
  std::string partial_reason;  // "interrupted", "time limit", ...
  std::vector<std::string> command;
  std::map<std::string, std::string> config;  // every option in force, by its long name: "sizes"
  Environment environment;
  std::vector<Record> records;
  std::vector<Fit> fits;
  std::vector<Crossover> crossovers;
  std::vector<Best> best;
};

}  // namespace arb
