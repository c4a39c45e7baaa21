// The tables of docs/algorithms.md are what the proofs say. ARB_UPDATE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "collectives/algorithms/registry.hpp"
#include "collectives/schedule/virtual_clock.hpp"
#include "verify/prove.hpp"

namespace arb {
namespace {

constexpr int kRanks[] = {2, 4, 8, 16};
constexpr const char* kPath = ARB_SOURCE_DIR "/docs/algorithms.md";
const std::string kBegin = "<!-- begin of the generated tables -->\n";
const std::string kEnd = "<!-- end of the generated tables -->";

/// "1.75", "2": chunks of the message per message, with no zeros at the end.
std::string share(int64_t chunks, int of) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", static_cast<double>(chunks) / of);
  return text;
}

/// Bytes on the critical path of a message of so many equal tiles, per byte of message.
double path_share(const Schedule& schedule, size_t tiles) {
  const auto tile = static_cast<size_t>(schedule.chunks) * 4;
  const Tiling tiling(tiles * tile, schedule.chunks, false, tile, 1);
  return virtual_seconds(schedule, tiling, 1, 4, {0, 1}, Tiles::kEvery) /
         static_cast<double>(tiles * tile);
}

std::string path_shares(const Schedule& schedule) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g / %.3g", path_share(schedule, 1),
                path_share(schedule, 1000));
  return text;
}

template <typename Cell>
std::string table(Cell&& cell) {
  std::string text = "| collective | algorithm |";
  for (const int ranks : kRanks) text += " " + std::to_string(ranks) + " ranks |";
  text += "\n|---|---|---|---|---|---|\n";
  for (const Algorithm& row : algorithms()) {
    text += "| " + std::string(name(row.collective)) + " | " + std::string(row.name) + " |";
    for (const int ranks : kRanks) {
      const Schedule schedule = row.build(ranks, 0);
      const Proof proof = prove(schedule, row.collective, 0, row.min_slots, false);
      EXPECT_TRUE(proof.ok());
      text += " " + cell(proof, schedule) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string generated() {
  std::string text = "Steps: messages on the longest path.\n\n";
  text += table(
      [](const Proof& proof, const Schedule&) { return std::to_string(proof.latency_steps); });
  text += "\nBytes that the busiest rank sends / receives, in units of the message size K.\n\n";
  text += table([](const Proof& proof, const Schedule&) {
    return share(proof.max_sent_chunks(), proof.chunks) + " / " +
           share(proof.max_received_chunks(), proof.chunks);
  });
  text +=
      "\nBytes on the critical path, in units of K: as one tile / as 1000 tiles, with 4 slots.\n\n";
  text += table([](const Proof&, const Schedule& schedule) { return path_shares(schedule); });
  text += "\nBytes sent by all ranks together, in units of K.\n\n";
  text += table([](const Proof& proof, const Schedule&) {
    int64_t sum = 0;
    for (const RankTraffic& rank : proof.traffic) sum += rank.sent_chunks;
    return share(sum, proof.chunks);
  });
  return text;
}

TEST(Docs, TablesAreWhatTheProofsSay) {
  std::ifstream in(kPath);
  std::string page{std::istreambuf_iterator<char>(in), {}};
  const size_t begin = page.find(kBegin);
  const size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos) << kPath;
  ASSERT_NE(end, std::string::npos) << kPath;
  const size_t from = begin + kBegin.size();
  const std::string wanted = generated();
  if (std::getenv("ARB_UPDATE_GOLDEN") != nullptr) {
    page.replace(from, end - from, wanted);
    std::ofstream(kPath) << page;
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), wanted) << "rewrite it with ARB_UPDATE_GOLDEN=1";
}

TEST(Docs, EveryAlgorithmIsExplained) {
  std::ifstream in(kPath);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const Algorithm& row : algorithms()) {
    EXPECT_NE(page.find("**" + std::string(row.name) + "**"), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace arb
