#include "bench/cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/option_table.hpp"

namespace arb {
namespace {

CommandLine parse(const std::vector<std::string>& arguments) {
  return parse_command_line(arguments, known_algorithms());
}

TEST(CommandLine, NothingGivenIsASweepWithANewcomersDefaults) {
  const CommandLine line = parse({});
  EXPECT_FALSE(line.text);
  EXPECT_EQ(line.options.verb, Verb::kRun);
  EXPECT_FALSE(line.options.sizes_given);
  EXPECT_EQ(line.options.sizes.size(), 24U);
  EXPECT_TRUE(line.options.algorithms.empty());
  EXPECT_TRUE(line.options.ranks.empty());
  EXPECT_EQ(line.options.dtype, Dtype::kFloat32);
  EXPECT_EQ(line.options.iterations, std::nullopt);
  EXPECT_GT(line.options.checked_share, 0);
}

TEST(CommandLine, TakesTheHabitsOfNcclTests) {
  const Options o = parse({"-b", "1K", "-e4K", "-f", "2", "-n", "20", "-w", "0", "-o", "max", "-d",
                           "double", "-c", "0", "-r", "1", "-J", "out.json"})
                        .options;
  EXPECT_EQ(o.sizes, (std::vector<uint64_t>{1024, 2048, 4096}));
  EXPECT_TRUE(o.sizes_given);
  EXPECT_EQ(o.iterations, 20);
  EXPECT_EQ(o.warmup, 0);
  EXPECT_EQ(o.op, Op::kMax);
  EXPECT_EQ(o.dtype, Dtype::kFloat64);
  EXPECT_EQ(o.checks, 0);
  EXPECT_EQ(o.checked_share, 0);
  EXPECT_EQ(o.root, 1);
  EXPECT_EQ(o.outputs, std::vector<std::string>{"out.json"});
  EXPECT_EQ(parse({"--iters", "5", "--warmup_iters=3"}).options.warmup, 3);
  EXPECT_EQ(parse({"--iterations", "7"}).options.iterations, 7);
}

TEST(CommandLine, TakesItsOwnLongNames) {
  const Options o =
      parse(
          {"run",        "--sizes",      "8B:4GB",     "--ranks",        "4,2,4",   "--algorithms",
           "ring,ring",  "--collective", "all_reduce", "--dtype",        "float16", "--op",
           "avg",        "--cache",      "cold",       "--precision",    "2%",      "--max-time",
           "500ms",      "--timeout",    "30s",        "--slots",        "2",       "--slot-bytes",
           "64K",        "--workers",    "2",          "--backend",      "host",    "--format",
           "nccl-tests", "--output",     "a.json",     "--output=b.CSV", "--raw",   "--no-progress",
           "--strict",   "--seed",       "9",          "--unalign",      "1",       "--no-check",
           "--place",    "both"})
          .options;
  EXPECT_EQ(o.sizes.back(), 4294967296U);
  EXPECT_EQ(o.ranks, (std::vector<int>{2, 4}));
  EXPECT_EQ(o.algorithms, std::vector<std::string>{"ring"});
  EXPECT_EQ(o.collective, Collective::kAllReduce);
  EXPECT_EQ(o.dtype, Dtype::kFloat16);
  EXPECT_EQ(o.op, Op::kAvg);
  EXPECT_EQ(o.cache, Cache::kCold);
  EXPECT_DOUBLE_EQ(o.precision, 0.02);
  EXPECT_EQ(o.case_seconds, 0.5);
  EXPECT_EQ(o.timeout_seconds, 30);
  EXPECT_EQ(o.slots, 2);
  EXPECT_EQ(o.slot_bytes, 65536U);
  EXPECT_EQ(o.workers, 2);
  EXPECT_EQ(o.format, "nccl-tests");
  EXPECT_EQ(o.outputs, (std::vector<std::string>{"a.json", "b.CSV"}));
  EXPECT_TRUE(o.raw);
  EXPECT_FALSE(o.progress);
  EXPECT_TRUE(o.strict);
  EXPECT_EQ(o.seed, 9U);
  EXPECT_EQ(o.unalign, 1);
  EXPECT_EQ(o.checks, 0);
  EXPECT_EQ(o.place, Place::kBoth);
}

TEST(CommandLine, TakesEveryAlgorithmOfItsCollective) {
  for (const NamedAlgorithm& row : known_algorithms()) {
    const auto o =
        parse({"--collective", std::string(name(row.collective)), "--algorithms", row.name});
    EXPECT_EQ(o.options.algorithms, std::vector<std::string>{row.name});
  }
  EXPECT_TRUE(parse({"--algorithms", "all"}).options.algorithms.empty());
}

TEST(CommandLine, KnowsScheduledAndNativeAlgorithms) {
  const auto names = algorithm_names(known_algorithms(), Collective::kAllReduce);
  const std::set<std::string> all(names.begin(), names.end());
  EXPECT_EQ(all.size(), names.size()) << "a name stands for two algorithms";
  for (const char* wanted : {"ring", "one-shot", "two-shot"})
    EXPECT_EQ(all.count(wanted), 1U) << wanted;
}

TEST(CommandLine, HasItsVerbs) {
  EXPECT_EQ(parse({"list"}).options.verb, Verb::kList);
  EXPECT_EQ(parse({"doctor"}).options.verb, Verb::kDoctor);
  const Options o = parse({"prove", "--ranks", "2,3", "--slots", "1,4", "--out-of-place"}).options;
  EXPECT_EQ(o.verb, Verb::kProve);
  EXPECT_EQ(o.ranks, (std::vector<int>{2, 3}));
  EXPECT_EQ(o.prove_slots, (std::vector<int>{1, 4}));
  EXPECT_FALSE(o.prove_in_place);
  const Options t = parse({"tune", "--openmpi", "rules", "report.json", "--channels", "4"}).options;
  EXPECT_EQ(t.verb, Verb::kTune);
  EXPECT_EQ(t.files, std::vector<std::string>{"report.json"});
  EXPECT_EQ(t.tune_openmpi, "rules");
  EXPECT_EQ(t.channels, 4);
}

/// As settle() sees it: this build may have no GPUs to settle for.
Draft draft_of(const std::vector<Argument>& arguments) {
  Draft draft;
  for (const Argument& argument : arguments) {
    for (const OptionRow& row : option_table()) {
      const auto names = names_of(row);
      if (std::find(names.begin(), names.end(), argument.option) != names.end()) {
        row.apply(draft, argument);
      }
    }
  }
  return draft;
}

TEST(CommandLine, TakesWhatIsSaidOfGpus) {
  const Draft draft = draft_of(
      {{"-g", "8"}, {"--ranks-per-gpu", "2"}, {"--protocol", "ll"}, {"--launch", "graph"}});
  EXPECT_EQ(draft.options.gpus, 8);
  EXPECT_EQ(draft.options.ranks_per_gpu, 2);
  EXPECT_EQ(draft.options.protocol, "ll");
  EXPECT_EQ(draft.options.launch, "graph");
  EXPECT_EQ(draft.gpu_options.size(), 4U);
  const Options plain;
  EXPECT_EQ(plain.protocol, "auto");
  EXPECT_EQ(plain.launch, "stream");
  EXPECT_EQ(plain.ranks_per_gpu, std::nullopt);
}

TEST(CommandLine, TakesFaultsButDoesNotShowThem) {
  EXPECT_EQ(parse({"--inject", "flip-bit"}).options.inject, "flip-bit");
  EXPECT_EQ(parse({"--help"}).text.value_or("").find("inject"), std::string::npos);
}

TEST(CommandLine, HelpNamesEveryOptionAndStaysNarrow) {
  const std::string help = parse({"--help"}).text.value_or("");
  EXPECT_EQ(help, parse({"-b", "8", "-h"}).text);
  for (const OptionRow& row : option_table()) {
    if ((row.verbs & kForRun) == 0 || row.group[0] == '\0') continue;
    for (const std::string& name : names_of(row)) {
      if (name.size() == 2) {
        EXPECT_NE(help.find(name + ","), std::string::npos) << name;
      }
    }
    EXPECT_NE(help.find(row.help), std::string::npos) << row.names;
    EXPECT_NE(help.find(std::string("\n") + row.group + ":\n"), std::string::npos) << row.group;
  }
  for (const char* verb : {"run", "prove", "tune", "list", "doctor"}) {
    EXPECT_NE(help.find(std::string("\n  ") + verb + " "), std::string::npos) << verb;
  }
  size_t begin = 0;
  while (begin < help.size()) {
    const size_t end = std::min(help.find('\n', begin), help.size());
    EXPECT_LE(end - begin, 100U) << help.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 100);
}

TEST(CommandLine, EachVerbHasItsOwnHelp) {
  const std::string help = parse({"prove", "--help"}).text.value_or("");
  EXPECT_NE(help.find("--slots"), std::string::npos);
  EXPECT_EQ(help.find("--sizes"), std::string::npos);
  EXPECT_NE(parse({"doctor", "-h"}).text.value_or("").find("doctor"), std::string::npos);
}

TEST(CommandLine, VersionSaysWhatWasBuilt) {
  const std::string text = parse({"--version"}).text.value_or("");
  EXPECT_EQ(text.rfind("allreduce-bench 0.", 0), 0U) << text;
  EXPECT_EQ(text.back(), '\n');
}

TEST(CommandLine, SkipsTheProgramsName) {
  const char* arguments[] = {"allreduce-bench", "-n", "3"};
  EXPECT_EQ(parse_command_line(3, arguments, {}).options.iterations, 3);
  EXPECT_EQ(parse_command_line(0, nullptr, {}).options.verb, Verb::kRun);
}

}  // namespace
}  // namespace arb
