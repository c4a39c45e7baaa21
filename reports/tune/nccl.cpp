#include "reports/tune/nccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr std::array<std::string_view, 7> kAlgorithms = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> kProtocols = {"ll", "ll128", "simple"};
constexpr std::array<std::string_view, 5> kCollectives = {"all-reduce", "reduce-scatter",
                                                          "all-gather", "broadcast", "reduce"};
// The plugin reads 64 bits; 2^32 - 1, which its documentation uses, would leave out larger ones.
constexpr std::string_view kAnySize = "18446744073709551615";

bool is_one_of(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Variant variant_of(const Record& record) {
  std::string_view rest = record.algorithm;
  if (!is_one_of(kCollectives, record.collective)) return {"", "the plugin has no such collective"};
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos || rest.substr(colon + 1) == "default") return {};
  rest = rest.substr(colon + 1);
  const size_t second = rest.find(':');
  const std::string_view algorithm = rest.substr(0, second);
  const std::string_view protocol = second == std::string_view::npos
                                        ? std::string_view(record.protocol)
                                        : rest.substr(second + 1);
  if (!is_one_of(kAlgorithms, algorithm)) return {"", "the plugin has no such algorithm"};
  if (!is_one_of(kProtocols, protocol)) {
    return {"", "its protocol is unknown; measure nccl:ALGORITHM:PROTOCOL (ll, ll128 or simple)"};
  }
  return {fmt::format("{}:{}", algorithm, protocol), ""};
}

std::string nccl_name(std::string collective) {
  std::erase(collective, '-');
  return collective;
}

/// "tree:ll" -> "tree,ll"
std::string fields(std::string variant) {
  std::replace(variant.begin(), variant.end(), ':', ',');
  return variant;
}

/// The plugin reads 255 characters at a time: the rest of a longer line would be a rule.
std::string comment(const std::string& text) {
  constexpr size_t kMostBytes = 200;
  return "# " + printable(printable(text).substr(0, kMostBytes)) + "\n";
}

struct Line {
  int64_t from = 0;
  std::string variant;
  bool told_apart = false;
};

/// The variant of each size, neighbours merged; sizes without any keep that of the size before.
std::vector<Line> lines_of(const Scale& scale) {
  std::vector<Line> lines;
  for (const Choice& choice : scale.choices) {
    const bool chosen = !choice.variant.empty();
    const std::string& variant = chosen ? choice.variant : choice.fastest;
    if (variant.empty()) continue;
    if (!lines.empty() && lines.back().variant == variant && lines.back().told_apart == chosen)
      continue;
    lines.push_back({choice.bytes, variant, chosen});
  }
  if (!lines.empty()) lines.front().from = 0;
  return lines;
}

}  // namespace

const Library kNccl{"NCCL", "nccl", "cuda", true, variant_of};

std::string write_nccl_tuner(const std::vector<Tuning>& tunings, int channels,
                             const std::string& source) {
  std::string text = "# NCCL example tuner plugin: NCCL_TUNER_PLUGIN, NCCL_TUNER_CONFIG_FILE\n";
  if (!source.empty()) text += comment(source);
  text += "# what no line matches runs on 1 channel: other collectives, nodes and ranks too\n";
  for (const Tuning& tuning : tunings) {
    text += comment("measured: " + describe(tuning.of));
    const std::string collective = nccl_name(tuning.of.collective);
    for (const Scale& scale : tuning.scales) {
      const std::string where = fmt::format("{},{},{},-1,-1\n", channels, scale.nodes, scale.ranks);
      const std::vector<Line> lines = lines_of(scale);
      for (size_t i = 0; i < lines.size(); ++i) {
        const std::string to =
            i + 1 < lines.size() ? std::to_string(lines[i + 1].from - 1) : std::string(kAnySize);
        if (!lines[i].told_apart)
          text += "# not told apart from NCCL's own choice: the fastest, so that a line matches\n";
        text += fmt::format("{},{},{},{},{}", collective, lines[i].from, to,
                            fields(lines[i].variant), where);
      }
      if (lines.empty()) continue;
      text += "# where NCCL cannot run the line above\n";
      text += fmt::format("{},0,{},ring,simple,{}", collective, kAnySize, where);
    }
  }
  return text;
}

std::string write_nccl_csv(const std::vector<Tuning>& tunings, int channels) {
  std::string text =
      "collective,size_bytes,algorithm,protocol,channels,nodes,ranks,pipeOps,regBuff,cost_metric,"
      "bandwidth_gbps,latency_us\n";
  for (const Tuning& tuning : tunings) {
    for (const Measured& each : tuning.measured) {
      if (each.variant.empty()) continue;
      const double microseconds = each.point.seconds * 1e6;
      const double gigabytes = static_cast<double>(each.point.bytes) / each.point.seconds / 1e9;
      text += fmt::format("{},{},{},{},{},{},-1,-1,{},{},{}\n", nccl_name(tuning.of.collective),
                          each.point.bytes, fields(each.variant), channels, each.nodes, each.ranks,
                          shortest(microseconds), shortest(gigabytes), shortest(microseconds));
    }
  }
  return text;
}

}  // namespace arb
