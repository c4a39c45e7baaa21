// The files for NCCL, read back as its example plugin's documentation says: lines of at most 255
// characters, # only in column 1, empty fields vanish, both ends included, the first match wins.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "reports/tune/nccl.hpp"
#include "tests/reports/golden.hpp"
#include "tests/reports/tune_report.hpp"

namespace arb {
namespace {

struct Line {
  std::string collective, algorithm, protocol;
  unsigned long long from = 0, to = 0;
  int channels = 0, nodes = 0, ranks = 0, pipe_ops = -1, registered = -1;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream parts(line);
  for (std::string part; std::getline(parts, part, ',');) {
    if (!part.empty()) fields.push_back(part);  // as strtok
  }
  return fields;
}

std::vector<Line> read_config(const std::string& text) {
  const std::set<std::string> algorithms = {
      "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    EXPECT_LE(line.size(), 254U) << "the rest would be read as another line: " << line;
    if (line.empty() || line[0] == '#') continue;
    const auto f = fields_of(line);
    EXPECT_EQ(f.size(), 10U) << line;
    if (f.size() != 10) continue;
    EXPECT_EQ(f[0], "allreduce");  // an unknown word would be read as this
    EXPECT_EQ(algorithms.count(f[3]), 1U) << f[3] << " would be read as ring";
    EXPECT_TRUE(f[4] == "ll" || f[4] == "ll128" || f[4] == "simple") << f[4];
    lines.push_back({f[0], f[3], f[4], std::stoull(f[1]), std::stoull(f[2]), std::stoi(f[5]),
                     std::stoi(f[6]), std::stoi(f[7]), std::stoi(f[8]), std::stoi(f[9])});
  }
  return lines;
}

/// "tree:ll on 4", or "1 channel" where no line matches. `impossible`: what NCCL cannot run.
std::string decision(const std::vector<Line>& lines, unsigned long long bytes, int nodes, int ranks,
                     const std::string& impossible = "") {
  for (const Line& line : lines) {
    const bool matches = bytes >= line.from && bytes <= line.to &&
                         (line.nodes == -1 || line.nodes == nodes) &&
                         (line.ranks == -1 || line.ranks == ranks);
    if (!matches || line.algorithm == impossible) continue;
    return line.algorithm + ":" + line.protocol + " on " +
           std::to_string(line.channels == -1 ? 1 : line.channels);
  }
  return "1 channel";
}

std::string config_of(const Report& report, int channels = 16) {
  return write_nccl_tuner(choose(report, kNccl), channels, "allreduce-bench 0.1.0");
}

TEST(TuneNccl, WritesTheGoldenFiles) {
  expect_golden("tune.nccl.conf", config_of(nccl_report()));
  expect_golden("tune.nccl.csv", write_nccl_csv(choose(nccl_report(), kNccl), 16));
}

TEST(TuneNccl, EverySizeOfAMeasuredTopologyHasALine) {
  const auto lines = read_config(config_of(nccl_report()));
  EXPECT_EQ(decision(lines, 0, 1, 8), "tree:ll on 16");
  EXPECT_EQ(decision(lines, 1024, 1, 8), "tree:ll on 16");
  EXPECT_EQ(decision(lines, 1048575, 1, 8), "tree:ll on 16");
  EXPECT_EQ(decision(lines, 1048576, 1, 8), "ring:simple on 16") << "fastest, not told apart";
  EXPECT_EQ(decision(lines, 1073741823, 1, 8), "ring:simple on 16");
  EXPECT_EQ(decision(lines, 1073741824, 1, 8), "nvls:simple on 16");
  EXPECT_EQ(decision(lines, 1ULL << 40, 1, 8), "nvls:simple on 16") << "beyond 4 GiB";
  EXPECT_EQ(decision(lines, 1ULL << 40, 1, 8, "nvls"), "ring:simple on 16") << "the last line";
  EXPECT_EQ(decision(lines, 8, 2, 16), "ring:ll128 on 16");
  EXPECT_EQ(decision(lines, 8, 4, 32), "1 channel") << "not measured";
}

TEST(TuneNccl, SaysTheChannelsItIsTold) {
  for (const Line& line : read_config(config_of(nccl_report(), 3))) EXPECT_EQ(line.channels, 3);
  EXPECT_NE(config_of(nccl_report()).find("1 channel"), std::string::npos) << "the warning";
}

TEST(TuneNccl, ALongSourceStaysOneComment) {
  const auto tunings = choose(nccl_report(), kNccl);
  std::string source;
  for (int i = 0; i < 300; ++i) source += i % 2 == 0 ? "\xE4\xB8\xAD" : "allreduce,0,1\n";
  EXPECT_EQ(read_config(write_nccl_tuner(tunings, 1, source)).size(),
            read_config(write_nccl_tuner(tunings, 1, "")).size());
}

TEST(TuneNccl, NamesThatThePluginWouldMisreadAreLeftOut) {
  Report report;
  report.records = {tuned_record("nccl:default", 8, 1024, 10e-6),
                    tuned_record("nccl:symmetric:ll", 8, 1024, 1e-6),
                    tuned_record("nccl:ring", 8, 1024, 2e-6),       // with which protocol?
                    tuned_record("nccl:ring:fast", 8, 1024, 3e-6),  // would be simple
                    tuned_record("nccl:tree", 8, 1024, 4e-6)};
  report.records.back().protocol = "ll128";
  const auto tunings = choose(report, kNccl);
  const auto lines = read_config(write_nccl_tuner(tunings, 4, ""));
  EXPECT_EQ(decision(lines, 1024, 1, 8), "tree:ll128 on 4");
  EXPECT_EQ(tunings.at(0).notes.size(), 3U);
  EXPECT_EQ(tunings.at(0).measured.size(), 2U);
}

TEST(TuneNccl, CsvHasOneLinePerMeasuredVariant) {
  std::istringstream text(write_nccl_csv(choose(nccl_report(), kNccl), 16));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line,
            "collective,size_bytes,algorithm,protocol,channels,nodes,ranks,pipeOps,regBuff,"
            "cost_metric,bandwidth_gbps,latency_us");
  int rows = 0;
  while (std::getline(text, line)) {
    const auto f = fields_of(line);
    ASSERT_EQ(f.size(), 12U) << line;
    const double bytes = std::stod(f[1]);
    EXPECT_NEAR(bytes / (std::stod(f[11]) * 1e-6) / 1e9, std::stod(f[10]), 1e-6) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 6);
}

}  // namespace
}  // namespace arb
