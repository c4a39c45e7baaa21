#include "bench/option_table.hpp"

namespace arb {

namespace {

const OptionRow kTable[] = {
    {"--openmpi", "FILE", "What to write", "rules for Open MPI's coll/tuned (MPI_Allreduce)",
     kForTune, [](Draft& d, const Argument& a) { d.options.tune_openmpi = a.value; }},
    {"--nccl-tuner", "FILE", "What to write", "configuration of NCCL's example tuner plugin",
     kForTune, [](Draft& d, const Argument& a) { d.options.tune_nccl_tuner = a.value; }},
    {"--nccl-csv", "FILE", "What to write", "measurements for NCCL's optimize_config.py", kForTune,
     [](Draft& d, const Argument& a) { d.options.tune_nccl_csv = a.value; }},
    {"--channels", "N", "What to write", "channels of every line for NCCL", kForTune,
     [](Draft& d, const Argument& a) { d.options.channels = read_int(a, 1, 64); }},
    {"--extend", nullptr, "What to write",
     "let rules serve larger messages and communicators than were measured", kForTune,
     [](Draft& d, const Argument&) { d.options.extend = true; }},
    {"--verify", "LAUNCHER", "Proof",
     "run with and without the rules, like --verify \"mpirun -np 4\"", kForTune,
     [](Draft& d, const Argument& a) { d.options.verify_launcher = a.value; }},
    {"--verify-program", "FILE", "", "what LAUNCHER starts (default: this program)", kForTune,
     [](Draft& d, const Argument& a) { d.options.verify_program = a.value; }},
};

}  // namespace

std::span<const OptionRow> tune_options() { return kTable; }

}  // namespace arb
