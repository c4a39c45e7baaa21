// What the command line (and a config file) can ask for, after strict parsing. Defaults are a
// newcomer's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/ops/types.hpp"
#include "collectives/schedule/collective.hpp"
#include "reports/compare/compare.hpp"

namespace arb {

enum class Verb { kRun, kCompare, kAccept, kProve, kTune, kList, kDoctor };
enum class Place { kOutOfPlace, kInPlace, kBoth };
enum class Cache { kHot, kCold };

/// Of compare, run --against and run --ab; the files to write also of accept.
struct GateOptions {
  CompareRules rules;
  std::vector<std::string> baselines;  // reports: --baseline, --against
  std::string other_program;           // --ab
  std::string new_program;             // hidden: what is judged; empty: this program
  std::string launcher;                // of every measurement: "mpirun -np 4"; empty: none
  int64_t starts = 0;                  // fresh ones of a suspicious case, at most; 0: the default

  std::string format = "table";  // on stdout: the name of a gate writer
  std::string verdicts;          // JSON; empty: not this one
  std::string junit;             // XML
  std::string summary;           // Markdown, appended
};

struct AcceptOptions {
  std::string profile;
  std::vector<std::string> stages;  // empty: all that the profile has
  std::optional<double> minutes;    // of the soak
};

struct Options {
  Verb verb = Verb::kRun;

  // host, mpi, cuda; auto: mpi if several processes were launched, else cuda if there are at least
  // two GPUs; cuda if anything was said about GPUs
  std::string backend = "auto";
  std::string path = "auto";  // mpi: shm, messages; auto: shm on a node, messages between nodes
  Collective collective = Collective::kAllReduce;
  std::vector<std::string> algorithms;  // empty: all that the collective has
  std::vector<int> ranks;               // empty: 2, 4, ... up to the usable cores, at least 2 and 4
  std::vector<uint64_t> sizes;          // requested bytes, ascending, no repeats
  bool sizes_given = false;             // false: the default 8B:64MB
  Dtype dtype = Dtype::kFloat32;
  Op op = Op::kSum;
  int root = 0;
  Place place = Place::kOutOfPlace;
  Cache cache = Cache::kHot;
  int unalign = 0;  // elements

  // cuda only:
  std::optional<int> gpus;           // of a process: how many must be there
  std::optional<int> ranks_per_gpu;  // default: 1
  std::string protocol = "auto";     // simple, ll
  std::string launch = "stream";     // graph

  std::optional<int64_t>
      iterations;                 // -n: exactly that many samples; else until the precision is met
  std::optional<int64_t> warmup;  // -w: exactly that many; else until stable
  double precision = 0.02;        // relative half-width of the median's 95 % interval
  std::optional<double>
      case_seconds;  // time cap of one case and algorithm; default: from the sweep's size
  std::optional<double> timeout_seconds;  // whole program; a hang is cut and named (exit 4)
  int checks = 1;                         // -c: checked runs per case and data kind; 0 = off
  double checked_share = 0.01;            // of the timed runs that are checked too
  uint64_t seed = 1;

  std::optional<int> slots;  // per FIFO
  std::optional<uint64_t> slot_bytes;
  std::optional<int> workers;  // threads; default: usable cores, at most one per rank

  std::string format = "table";      // on stdout: the name of a report writer
  std::vector<std::string> outputs;  // .json, .csv; opened before the first measurement
  bool raw = false;                  // samples in the JSON
  bool progress = true;              // only on a terminal anyway
  bool strict = false;               // what cannot run (memory) is exit 5 instead of a skipped row
  std::string inject;                // hidden: fault injection
  bool limits = true;                // hidden: measure those of the memory, for limit_share

  // prove
  std::vector<int> prove_slots;  // empty: 1, 2, 4, 8
  bool prove_in_place = true;    // and out of place

  std::string config;              // file of options; those of the command line win
  std::vector<std::string> files;  // what the verb works on: tune has one report, compare two

  GateOptions gate;
  AcceptOptions accept;

  // tune: the files to write; empty: not this one
  std::string tune_openmpi, tune_nccl_tuner, tune_nccl_csv;
  std::optional<int> channels;  // of every line for NCCL
  bool extend = false;          // rules also serve what is larger than what was measured
  std::string verify_launcher;  // "mpirun -np 4"; empty: no verification
  std::string verify_program;   // hidden; empty: this program
};

}  // namespace arb
