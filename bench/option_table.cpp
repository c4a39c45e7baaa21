#include "bench/option_table.hpp"

#include <algorithm>
#include <limits>

#include "bench/output_file.hpp"
#include "bench/sizes.hpp"
#include "reports/writer.hpp"
#include "verify/inject.hpp"

namespace arb {

namespace {

constexpr unsigned kForBoth = kForRun | kForProve;
constexpr int kMostRanks = 4096;
constexpr int kMostRanksPerGpu = 64;  // what the kernels have room for
constexpr const char* kGpus = "GPUs (--backend cuda)";
constexpr int64_t kMostSamples = 1'000'000'000;
constexpr uint64_t kLargestSlot = uint64_t{1} << 30;

std::string plain(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c != '-' && c != '_') letters += c;
  }
  return letters;
}

/// "all-reduce", "all_reduce" and "allreduce" are one.
void set_collective(Draft& draft, const Argument& a) {
  for (const Collective collective : kCollectives) {
    if (plain(name(collective)) == plain(a.value)) {
      draft.options.collective = collective;
      return;
    }
  }
  reject_choice(a, "collective", collective_choices());
}

void set_dtype(Draft& draft, const Argument& a) {
  const auto dtype = parse_dtype(a.value);
  if (!dtype) reject_choice(a, "element type", dtype_choices());
  draft.options.dtype = *dtype;
}

void set_op(Draft& draft, const Argument& a) {
  const auto op = parse_op(a.value);
  if (!op) reject_choice(a, "operation", op_choices());
  draft.options.op = *op;
  draft.op = a;
}

void set_format(Draft& draft, const Argument& a) {
  draft.options.format = read_choice(a, "format", format_choices());
}

void set_cache(Draft& draft, const Argument& a) {
  static const std::vector<std::string> kChoices = {"hot", "cold"};
  draft.options.cache =
      read_choice(a, "cache policy", kChoices) == "hot" ? Cache::kHot : Cache::kCold;
}

void set_place(Draft& draft, const Argument& a) {
  static const std::vector<std::string> kChoices = {"out-of-place", "in-place", "both"};
  const std::string place = read_choice(a, "place", kChoices);
  draft.options.place = place == "both"       ? Place::kBoth
                        : place == "in-place" ? Place::kInPlace
                                              : Place::kOutOfPlace;
  draft.places.push_back(a);
}

void set_backend(Draft& draft, const Argument& a) {
  static const std::vector<std::string> kChoices = {"auto", "host", "mpi", "cuda"};
  draft.options.backend = read_choice(a, "backend", kChoices);
}

void set_path(Draft& draft, const Argument& a) {
  static const std::vector<std::string> kChoices = {"auto", "shm", "messages"};
  draft.options.path = read_choice(a, "path", kChoices);
  draft.path = a;
}

void set_protocol(Draft& draft, const Argument& a) {
  static const std::vector<std::string> kChoices = {"auto", "simple", "ll"};
  draft.options.protocol = read_choice(a, "protocol", kChoices);
  draft.gpu_options.push_back(a);
}

void set_launch(Draft& draft, const Argument& a) {
  static const std::vector<std::string> kChoices = {"stream", "graph"};
  draft.options.launch = read_choice(a, "way to launch", kChoices);
  draft.gpu_options.push_back(a);
}

void set_slot_bytes(Draft& draft, const Argument& a) {
  const uint64_t bytes = read_size(a);
  if (bytes == 0 || bytes > kLargestSlot) reject(a, "out of range; it must be from 1B to 1GB");
  draft.options.slot_bytes = bytes;
}

void set_prove_slots(Draft& draft, const Argument& a) {
  for (const Argument& item : read_list(a)) {
    draft.options.prove_slots.push_back(read_int(item, 1, 1024));
  }
}

const OptionRow kTable[] = {
    {"--config", "FILE", "What to run", "options of FILE or of a report; those given here go first",
     kForRun,
     [](Draft& d, const Argument& a) {
       if (a.value.empty()) reject(a, "empty; name a file of options or a report");
       d.options.config = a.value;
     },
     false, true},
    {"--collective", "NAME", "What to run", "all-reduce (default), reduce-scatter, all-gather, ...",
     kForBoth, set_collective},
    {"--algorithms", "A,B", "What to run", "only these (default: all; see 'list')", kForBoth,
     [](Draft& d, const Argument& a) { d.algorithms = a; }},
    {"--ranks", "N,N", "What to run",
     "rank counts (default: 2,4, then 8,... up to the cores or GPUs)", kForBoth,
     [](Draft& d, const Argument& a) { d.ranks = a; }},
    {"-d,--dtype,--datatype", "TYPE", "What to run", "element type (default float32)", kForRun,
     set_dtype},
    {"-o,--op", "OP", "What to run", "sum (default), prod, min, max or avg", kForRun, set_op},
    {"-r,--root", "RANK", "What to run", "root of rooted algorithms (default 0)", kForBoth,
     [](Draft& d, const Argument& a) {
       d.options.root = read_int(a, 0, kMostRanks - 1);
       d.root = a;
     }},
    {"--in-place", nullptr, "What to run", "input and output share one buffer", kForRun,
     [](Draft& d, const Argument& a) {
       d.options.place = Place::kInPlace;
       d.places.push_back(a);
     }},
    {"--out-of-place", nullptr, "What to run", "separate buffers (default)", kForRun,
     [](Draft& d, const Argument& a) {
       d.options.place = Place::kOutOfPlace;
       d.places.push_back(a);
     }},
    {"--out-of-place", nullptr, "What to prove", "out of place only (default: in place too)",
     kForProve, [](Draft& d, const Argument&) { d.options.prove_in_place = false; }},
    {"--place", "PLACE", "What to run", "out-of-place, in-place or both", kForRun, set_place},
    {"--backend", "NAME", "What to run", "auto (default), host, mpi or cuda", kForRun, set_backend},

    {"--sizes", "SIZES", "Sizes (8B 4K 1.5M 4GB; K is 1024)",
     "8B:4GB by 2, 8B:4GB:4 by 4, or a list 8B,1K,1M", kForRun,
     [](Draft& d, const Argument& a) { d.sizes.sizes = a; }},
    {"-b,--minbytes", "SIZE", "Sizes (8B 4K 1.5M 4GB; K is 1024)", "first size (default 8B)",
     kForRun, [](Draft& d, const Argument& a) { d.sizes.begin = a; }},
    {"-e,--maxbytes", "SIZE", "Sizes (8B 4K 1.5M 4GB; K is 1024)", "last size (default 64MB)",
     kForRun, [](Draft& d, const Argument& a) { d.sizes.end = a; }},
    {"-f,--stepfactor", "X", "Sizes (8B 4K 1.5M 4GB; K is 1024)",
     "multiply by X, like 2 (default) or 1.5", kForRun,
     [](Draft& d, const Argument& a) { d.sizes.factor = a; }},
    {"-i,--stepbytes", "SIZE", "Sizes (8B 4K 1.5M 4GB; K is 1024)", "add SIZE instead", kForRun,
     [](Draft& d, const Argument& a) { d.sizes.step = a; }},

    {"-n,--iterations,--iters", "N", "Measuring",
     "exactly N samples (default: until --precision is met)", kForRun,
     [](Draft& d, const Argument& a) { d.options.iterations = read_integer(a, 1, kMostSamples); }},
    {"-w,--warmup,--warmup_iters", "N", "Measuring",
     "exactly N warm-up rounds (default: until stable)", kForRun,
     [](Draft& d, const Argument& a) { d.options.warmup = read_integer(a, 0, kMostSamples); }},
    {"--precision", "P", "Measuring", "half-width of the median's 95 % interval (default 2%)",
     kForRun,
     [](Draft& d, const Argument& a) {
       d.options.precision = read_share(a);
       d.precision = a;
     }},
    {"--max-time", "TIME", "Measuring", "time cap of a case and algorithm, like 500ms or 2s",
     kForRun, [](Draft& d, const Argument& a) { d.options.case_seconds = read_seconds(a); }},
    {"-T,--timeout", "TIME", "Measuring", "time limit of the program; a hang is cut and named",
     kForRun | kForAccept,
     [](Draft& d, const Argument& a) { d.options.timeout_seconds = read_seconds(a); }},
    {"--cache", "POLICY", "Measuring", "hot (default): same buffers; cold: rotated ones", kForRun,
     set_cache},
    {"--unalign", "N", "Measuring", "shift buffers by N elements off their alignment", kForRun,
     [](Draft& d, const Argument& a) { d.options.unalign = read_int(a, 0, 4096); }},

    {"-c,--check", "N", "Checking", "checked runs per case and data kind (default 1, 0: off)",
     kForRun,
     [](Draft& d, const Argument& a) {
       d.options.checks = read_int(a, 0, 1'000'000);
       d.check = a;
     }},
    {"--no-check", nullptr, "Checking", "check nothing, timed runs included", kForRun,
     [](Draft& d, const Argument& a) { d.no_check = a; }},
    {"--seed", "N", "Checking", "of the random data (default 1)", kForRun,
     [](Draft& d, const Argument& a) { d.options.seed = read_seed(a); }},
    {"--inject", "FAULT", "", "inject a fault, to see a check fail", kForRun | kForAccept,
     [](Draft& d, const Argument& a) {
       parse_fault(a.value);
       d.options.inject = a.value;
     },
     false, true},

    {"--path", "PATH", "Runner",
     "under mpirun: shm, messages or auto (shm on a node, else messages)", kForRun, set_path},
    {"--workers", "N", "Runner", "threads (default: usable cores, at most one per rank)", kForRun,
     [](Draft& d, const Argument& a) { d.options.workers = read_int(a, 1, kMostRanks); }},
    {"--slots", "N", "Runner", "slots per FIFO", kForRun,
     [](Draft& d, const Argument& a) { d.options.slots = read_int(a, 1, 1024); }},
    {"--slots", "N,N", "What to prove", "slots per FIFO to prove (default 1,2,4,8)", kForProve,
     set_prove_slots},
    {"--slot-bytes", "SIZE", "Runner", "bytes per slot", kForRun, set_slot_bytes},

    {"-g,--gpus", "N", kGpus,
     "of a process (default: all; under mpirun 1); fails if fewer are there", kForRun,
     [](Draft& d, const Argument& a) {
       d.options.gpus = read_int(a, 1, kMostRanks);
       d.gpu_options.push_back(a);
     }},
    {"--ranks-per-gpu", "K", kGpus, "ranks that share a GPU (default 1)", kForRun,
     [](Draft& d, const Argument& a) {
       d.options.ranks_per_gpu = read_int(a, 1, kMostRanksPerGpu);
       d.gpu_options.push_back(a);
     }},
    {"--protocol", "NAME", kGpus, "auto (default), simple or ll (small messages)", kForRun,
     set_protocol},
    {"--launch", "HOW", kGpus, "stream (default) or graph", kForRun, set_launch},

    {"--format", "FORMAT", "Output", "on stdout: table (default), nccl-tests, csv, json, markdown",
     kForRun, set_format, false, true},
    {"-J,--output", "FILE", "Output", "also write FILE (.json, .csv, .md); may be repeated",
     kForRun,
     [](Draft& d, const Argument& a) {
       output_writer(a);
       d.outputs.push_back(a);
     },
     true, true},
    {"--raw", nullptr, "Output", "keep every sample in the JSON", kForRun,
     [](Draft& d, const Argument& a) {
       d.options.raw = true;
       d.raw = a;
     }},
    {"--no-progress", nullptr, "Output", "no progress bar", kForRun | kForAccept,
     [](Draft& d, const Argument&) { d.options.progress = false; }, false, true},
    {"--no-limits", nullptr, "", "do not measure the limits of the memory", kForRun,
     [](Draft& d, const Argument&) { d.options.limits = false; }, false, true},
    {"--strict", nullptr, "Output", "exit 5 instead of skipping what does not fit in memory",
     kForRun, [](Draft& d, const Argument&) { d.options.strict = true; }},
};

template <typename Range>
std::vector<std::string> names(const Range& values) {
  std::vector<std::string> all;
  for (const auto value : values) all.emplace_back(name(value));
  return all;
}

}  // namespace

std::span<const OptionRow> sweep_options() { return kTable; }

std::span<const OptionRow> option_table() {
  static const std::vector<OptionRow> kAll = [] {
    std::vector<OptionRow> all;
    for (const auto rows : {sweep_options(), tune_options(), compare_options(), accept_options()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return kAll;
}

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> all;
  for (const Argument& item : read_list({"", row.names})) all.push_back(item.value);
  return all;
}

std::string long_name(const OptionRow& row) {
  const auto all = names_of(row);
  return *std::find_if(all.begin(), all.end(), [](auto& name) { return name.starts_with("--"); });
}

std::vector<std::string> collective_choices() { return names(kCollectives); }

std::vector<std::string> dtype_choices() {
  std::vector<std::string> all = names(kDtypes);
  for (const char* alias : {"half", "float", "double"}) all.emplace_back(alias);
  return all;
}

std::vector<std::string> op_choices() { return names(kOps); }

std::vector<std::string> format_choices() {
  std::vector<std::string> names;
  for (const Writer& writer : writers()) names.emplace_back(writer.name);
  return names;
}

}  // namespace arb
