#include "bench/config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/cli.hpp"
#include "bench/files.hpp"
#include "bench/plan.hpp"
#include "folder.hpp"
#include "refusal.hpp"
#include "reports/json.hpp"
#include "tests/bench/config_words.hpp"

namespace arb {
namespace {

using Words = std::vector<std::string>;

Options of_file(const std::string& text) {
  return options_from(parse_config(text, "--config f"), "--config f", known_algorithms());
}

Options of_words(const Words& words) {
  return parse_command_line(words, known_algorithms()).options;
}

/// Of a command line beside a file.
Options of_both(const std::string& text, Words words) {
  const Folder folder;
  folder.put("f.json", text);
  words.insert(words.end(), {"--config", folder.path() / "f.json"});
  return of_words(words);
}

std::map<std::string, std::string> config(const Options& options) {
  return config_of(options, {options.backend, {"ring"}, {2}});
}

TEST(Config, SaysWhatTheCommandLineWouldSay) {
  const Options file = of_file(R"({
    "description": "anything", "sizes": ["8B", "1K", 4096], "ranks": [4, 2], "algorithms": "ring",
    "dtype": "double", "op": "max", "precision": 0.05, "max-time": "500ms", "timeout": 30,
    "seed": 18446744073709551615, "no-check": true, "strict": false, "place": "both", "warmup": 3})");
  const Options line = of_words({"--sizes",
                                 "8B,1K,4096",
                                 "--ranks",
                                 "4,2",
                                 "--algorithms",
                                 "ring",
                                 "-d",
                                 "double",
                                 "-o",
                                 "max",
                                 "--precision",
                                 "0.05",
                                 "--max-time",
                                 "500ms",
                                 "-T",
                                 "30",
                                 "--seed",
                                 "18446744073709551615",
                                 "--no-check",
                                 "--place",
                                 "both",
                                 "-w",
                                 "3"});
  EXPECT_EQ(config(file), config(line));
  EXPECT_EQ(file.sizes, (std::vector<uint64_t>{8, 1024, 4096}));
  EXPECT_EQ(file.ranks, (std::vector<int>{2, 4}));
  EXPECT_EQ(file.timeout_seconds, 30);
  EXPECT_EQ(file.seed, UINT64_MAX);
  EXPECT_EQ(file.checks, 0);
  EXPECT_FALSE(file.strict);
  EXPECT_TRUE(of_file(R"({"strict": true})").strict);
  EXPECT_EQ(config(of_file("{}")), config(of_words({})));
}

TEST(Config, SmallNumbersAreWrittenOut) {
  EXPECT_EQ(of_file(R"({"max-time": 0.00001})").case_seconds, 1e-5);
  EXPECT_EQ(of_file(R"({"sizes": 1e6})").sizes, std::vector<uint64_t>{1000000});
  EXPECT_EQ(plain_decimal(1e-7), "0.0000001");
}

void expect_refusal(const std::string& text, Words words) {
  words.insert(words.begin(), "--config f: ");
  expect_usage([&] { of_file(text); }, words);
}

TEST(Config, BadValuesAreRefusedByFileAndKey) {
  expect_refusal(R"({"sizes": "8kjunk"})", {"--config f: sizes '8kjunk'"});
  expect_refusal(R"({"ranks": [2, 0]})", {"--config f: ranks '0'"});
  expect_refusal(R"({"ranks": 2.5})", {"ranks '2.5'", "whole number"});
  expect_refusal(R"({"ranks": -2})", {"ranks '-2'"});
  expect_refusal(R"({"algorithms": ["rnig"]})", {"algorithms 'rnig'", "did you mean 'ring'?"});
  expect_refusal(R"({"dtype": true})", {"dtype 'true'"});
  expect_refusal(R"({"no-check": 1})", {"no-check '1'", "true or false"});
  expect_refusal(R"({"no-check": "yes"})", {"true or false"});
  expect_refusal(R"({"sizes": []})", {"sizes", "at least one item"});
  expect_refusal(R"({"sizes": null})", {"sizes", "null"});
  expect_refusal(R"({"sizes": {"from": 8}})", {"sizes", "an object"});
  expect_refusal(R"({"sizes": [[8]]})", {"sizes[0]", "a list"});
  expect_refusal(R"({"sizes": ""})", {"sizes ''"});
  expect_refusal(R"({"description": 3})", {"description", "a text"});
  expect_refusal(R"({"root": 2, "ranks": 2})", {"--config f: root '2'"});
  expect_refusal(R"({"in-place": true, "place": "both"})", {"--config f: in-place", "place"});
}

TEST(Config, UnknownKeysGetTheNearestAndTheList) {
  expect_refusal(R"({"size": "8B"})", {"size: unknown option; did you mean 'sizes'?", "ranks"});
  expect_refusal(R"({"--sizes": "8B"})", {"--sizes: unknown option; did you mean 'sizes'?"});
  expect_refusal(R"({"n": 5})", {"n: unknown option", "iterations"});
  expect_refusal(R"({"Sizes": "8B"})", {"did you mean 'sizes'?"});
}

TEST(Config, OptionsOfOneRunAreRefused) {
  const Words names = config_names();
  for (const std::string name : {"output", "format", "inject", "config", "no-progress"}) {
    expect_refusal("{\"" + name + "\": \"table\"}", {name + ": belongs to one run", "--" + name});
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
  }
}

TEST(Config, OneOptionByTwoNamesIsRefused) {
  expect_refusal(R"({"dtype": "float", "datatype": "float"})", {"dtype", "datatype", "drop one"});
}

TEST(Config, WhatIsNoConfigurationIsRefused) {
  expect_refusal(R"({"profile_version": 1, "limits": []})", {"accept --profile"});
  expect_refusal("", {"not valid JSON"});
  expect_refusal("[]", {"expected an object, found a list"});
  expect_refusal(R"({"ranks": 2, "ranks": 4})", {"\"ranks\" occurs twice"});
  expect_refusal(R"({"ranks": 2} x)", {"not valid JSON"});
  expect_usage(
      [] {
        of_words({"--config", "/nowhere/at/all.json"});
      },
      {"--config /nowhere/at/all.json: cannot be read", "configs/sweeps"});
  expect_usage([] { of_words({"--config="}); }, {"--config: a value is missing"});
  expect_usage([] { of_words({"prove", "--config", "f"}); }, {"not an option of 'prove'"});
}

TEST(Config, AReportIsRepeated) {
  Report report;
  report.version = "0.9";
  report.config = {{"sizes", "8B,64B"}, {"ranks", "3"}, {"iterations", "5"}};
  const Options options = of_file(write_json(report));
  EXPECT_EQ(options.sizes, (std::vector<uint64_t>{8, 64}));
  EXPECT_EQ(options.ranks, std::vector<int>{3});
  EXPECT_EQ(options.iterations, 5);
}

TEST(Config, AReportThatCannotBeRepeatedIsRefused) {
  Report report;
  report.version = "0.9";
  expect_refusal(write_json(report), {"version 0.9", "does not hold its configuration", "command"});
  report.config = {{"sizes", "8B"}};
  auto json = nlohmann::json::parse(write_json(report));
  json["schema_version"] = 2;
  expect_refusal(json.dump(), {"version 2", "reads version 1"});
  report.config = {{"output", "r.json"}};
  expect_refusal(write_json(report), {"output: belongs to one run"});
}

TEST(Config, TheCommandLineGoesBeforeTheFile) {
  const std::string file = R"({"sizes": "8B:64B", "ranks": 3, "iterations": 5, "no-check": true})";
  EXPECT_EQ(config(of_both(file, {})), config(of_file(file)));
  const Options options = of_both(file, {"-n", "7", "--ranks", "2,4"});
  EXPECT_EQ(options.iterations, 7);
  EXPECT_EQ(options.ranks, (std::vector<int>{2, 4}));
  EXPECT_EQ(options.sizes.back(), 64U);
  EXPECT_EQ(options.checks, 0);
}

struct Override {
  const char* file;
  Words line;
  Words alone;  // the command line that comes to the same
};

TEST(Config, WhatTheCommandLineContradictsIsLeftOut) {
  const std::vector<Override> all = {
      {R"({"sizes": "8B:64B"})", {"-b", "16", "-e", "32"}, {"-b", "16", "-e", "32"}},
      {R"({"sizes": "8B,64B"})", {"-f", "4"}, {"-f", "4"}},
      {R"({"minbytes": 8, "maxbytes": "1K", "stepbytes": 8})",
       {"--sizes", "4K"},
       {"--sizes", "4K"}},
      {R"({"minbytes": 8, "maxbytes": "1K"})", {"-e", "64"}, {"-b", "8", "-e", "64"}},
      {R"({"maxbytes": "1K", "stepfactor": 4})", {"-i", "64"}, {"-e", "1K", "-i", "64"}},
      {R"({"maxbytes": "1K", "stepbytes": 64})", {"-f", "4"}, {"-e", "1K", "-f", "4"}},
      {R"({"in-place": true})", {"--out-of-place"}, {"--out-of-place"}},
      {R"({"in-place": true})", {"--place", "both"}, {"--place", "both"}},
      {R"({"place": "both"})", {"--in-place"}, {"--in-place"}},
      {R"({"in-place": false, "place": "both"})", {}, {"--place", "both"}},
      {R"({"iterations": 5})", {"--precision", "5%"}, {"--precision", "5%"}},
      {R"({"iters": 5})", {"--precision", "5%"}, {"--precision", "5%"}},
      {R"({"precision": "5%"})", {"-n", "5"}, {"-n", "5"}},
      {R"({"check": 3})", {"--no-check"}, {"--no-check"}},
      {R"({"no-check": true})", {"-c", "3"}, {"-c", "3"}},
      {R"({"datatype": "double"})", {"-d", "int32"}, {"-d", "int32"}},
      {R"({"backend": "cuda", "protocol": "ll", "launch": "graph", "gpus": 2})",
       {"--backend", "host"},
       {"--backend", "host"}},
      {R"({"backend": "mpi", "path": "shm"})", {"--backend", "host"}, {"--backend", "host"}},
  };
  for (const Override& each : all) {
    SCOPED_TRACE(each.file);
    EXPECT_EQ(config(of_both(each.file, each.line)), config(of_words(each.alone)));
  }
}

TEST(Config, WhatGoesTogetherStays) {
  const std::vector<Argument> cuda = {{"--backend", "cuda"}};
  const ConfigOptions gpus = {{"backend", "auto"}, {"ranks-per-gpu", "2"}, {"protocol", "ll"}};
  EXPECT_EQ(without_overridden(gpus, cuda), (ConfigOptions{gpus[1], gpus[2]}));
  const std::vector<Argument> more = {{"-g", "4"}};
  EXPECT_EQ(without_overridden({{"backend", "cuda"}}, more), (ConfigOptions{{"backend", "cuda"}}));
  EXPECT_EQ(without_overridden({{"backend", "host"}}, more), ConfigOptions{});
}

/// What the configuration of a report holds for options that were not given, and what they do when
/// they are.
TEST(Config, OfAReportHoldsAllThatDecidesWhatIsMeasured) {
  const std::set<std::string> decide_nothing = {"timeout", "raw", "strict",
                                                "out-of-place"};  // the default
  const std::set<std::string> of_platform = {"algorithms", "ranks"};
  for (const std::string& name : config_names()) {
    SCOPED_TRACE(name);
    const auto value = other_than_default(name);
    ASSERT_TRUE(value.has_value()) << "a new option: give it a value in config_words.hpp";
    if (of_platform.count(name) != 0) continue;
    const std::string backend = backend_of(name);
    Draft draft;
    apply_config(draft, {{name, *value}}, "test");
    if (draft.no_check) draft.options.checks = 0;
    draft.options.sizes = read_sizes(draft.sizes);
    Options plain;
    plain.sizes = read_sizes({});
    const Effective effective{name == "backend" ? *value : backend, {"ring"}, {2}};
    const auto with = config_of(draft.options, effective);
    const auto without = config_of(plain, {backend, {"ring"}, {2}});
    EXPECT_EQ(with == without, decide_nothing.count(name) != 0);
  }
}

TEST(Config, OfAReportReadsBackAsItself) {
  for (const Words& words : option_sets()) {
    const Options options = of_words(words);
    const Effective effective{
        "host", names_for(known_algorithms(), options.collective, "host"), {2, 3}};
    const auto first = config_of(options, effective);
    const Options again =
        options_from({first.begin(), first.end()}, "--config r.json", known_algorithms());
    EXPECT_EQ(config_of(again, {again.backend, again.algorithms, again.ranks}), first);
    Options settled = options;
    settled.ranks = effective.ranks;
    const Machine machine{2, uint64_t{1} << 40};
    const auto cases = plan(settled, machine, {});
    const auto cases_again = plan(again, machine, {});
    ASSERT_EQ(cases.size(), cases_again.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(cases[i].ranks, cases_again[i].ranks);
      EXPECT_EQ(cases[i].count, cases_again[i].count);
      EXPECT_EQ(cases[i].requested_bytes, cases_again[i].requested_bytes);
      EXPECT_EQ(cases[i].in_place, cases_again[i].in_place);
    }
  }
}

TEST(Config, TheSchemaKnowsTheNames) {
  const auto text = read_file(ARB_SOURCE_DIR "/configs/schema/sweep.schema.json");
  const auto schema = nlohmann::json::parse(text.value_or(""));
  std::set<std::string> known;
  for (const auto& [name, ignored] : schema["properties"].items()) known.insert(name);
  const Words names = config_names();
  std::set<std::string> wanted(names.begin(), names.end());
  wanted.insert("description");
  EXPECT_EQ(known, wanted);
}

TEST(Config, EverySweepThatIsShippedIsUnderstood) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(ARB_SOURCE_DIR "/configs/sweeps")) {
    ++files;
    const std::string path = file.path().string();
    SCOPED_TRACE(path);
    EXPECT_EQ(file.path().extension(), ".json");
    const Options options = of_words({"--config", path});
    EXPECT_TRUE(options.sizes_given);
    EXPECT_TRUE(options.algorithms.empty()) << "new algorithms are to be swept too";
    EXPECT_EQ(of_words({"--config", path, "-n", "3", "--sizes", "8B", "--ranks", "5"}).sizes.size(),
              1U);
  }
  EXPECT_EQ(files, 4);
}

TEST(Config, TheSweepOfCiSuitsAnyMachine) {
  const Options quick = of_words({"--config", ARB_SOURCE_DIR "/configs/sweeps/quick.json"});
  EXPECT_EQ(quick.backend, "host");
  EXPECT_EQ(quick.ranks, std::vector<int>{2});
  ASSERT_TRUE(quick.case_seconds.has_value());
  const auto algorithms = names_for(known_algorithms(), Collective::kAllReduce, "host").size();
  EXPECT_LT(*quick.case_seconds * static_cast<double>(quick.sizes.size() * algorithms), 20);
}

}  // namespace
}  // namespace arb
