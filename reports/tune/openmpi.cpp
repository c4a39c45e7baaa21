#include "reports/tune/openmpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/text.hpp"
#include "reports/tune/text.hpp"

namespace arb {
namespace {

constexpr int kAllreduceId = 2;  // in coll/tuned's numbering of collectives
constexpr std::array<std::string_view, 6> kNames = {"basic-linear",       "nonoverlapping",
                                                    "recursive-doubling", "ring",
                                                    "segmented-ring",     "rabenseifner"};

constexpr int64_t kSegmentBytes = 65536;  // of records of segmented-ring that do not say it

struct Block {
  int64_t ranks = 0;
  std::string title;
  std::vector<std::string> rules;
};

Variant variant_of(const Record& record) {
  const std::string_view algorithm = record.algorithm;
  const size_t colon = algorithm.find(':');
  const std::string name(colon == std::string_view::npos ? "default" : algorithm.substr(colon + 1));
  if (record.collective != "all-reduce") return {"", "only all-reduce has rules here"};
  if (name == "default") return {};
  if (!openmpi_number(name)) return {"", "coll/tuned has no such algorithm"};
  return {name, "", name == "segmented-ring" ? record.slot_bytes.value_or(kSegmentBytes) : 0};
}

std::string rule(int64_t bytes, int number, int64_t segment_bytes, const std::string& comment) {
  return fmt::format("{} {} 0 {}  # {}\n", bytes, number, segment_bytes, comment);
}

std::string left_alone(int64_t bytes, const std::string& comment) {
  return rule(bytes, 0, 0, "Open MPI decides: " + comment);
}

Block block_of(const Scale& scale, const OpenMpiRules& how) {
  Block block{scale.ranks, counted(scale.ranks, "rank"), {}};
  block.rules.push_back(left_alone(0, "without a rule for 0 the file is ignored"));
  const std::vector<TunedRange> ranges = ranges_of(scale);
  for (const TunedRange& range : ranges) {
    if (range.variant.empty()) {
      if (block.rules.size() > 1) block.rules.push_back(left_alone(range.first_bytes, range.why));
      continue;
    }
    const int number = how.every_number.value_or(openmpi_number(range.variant).value_or(0));
    block.rules.push_back(
        rule(range.first_bytes, number, range.segment_bytes,
             fmt::format("{}: {}, {}", span_text(range), range.variant, speedups(range))));
  }
  if (!how.extend && !ranges.back().variant.empty()) {
    block.rules.push_back(left_alone(ranges.back().last_bytes + 1, "larger was not measured"));
  }
  return block;
}

Block free_block(int64_t ranks, const std::string& title) {
  return {ranks, title, {left_alone(0, "not measured")}};
}

std::vector<Block> blocks_of(const std::vector<const Scale*>& scales, const OpenMpiRules& how) {
  std::vector<Block> blocks;
  // The first block also serves all smaller communicators.
  blocks.push_back(free_block(0, "smaller communicators"));
  for (const Scale* scale : scales) {
    const int64_t next = blocks.back().ranks + 1;
    if (!how.extend && blocks.size() > 1 && next < scale->ranks) {
      blocks.push_back(free_block(next, "communicators that were not measured"));
    }
    blocks.push_back(block_of(*scale, how));
  }
  if (!how.extend && blocks.size() > 1) {
    blocks.push_back(free_block(blocks.back().ranks + 1,
                                "larger communicators, which the block above would serve too"));
  }
  return blocks;
}

bool has_rules(const Scale& scale) {
  return std::any_of(scale.choices.begin(), scale.choices.end(),
                     [](const Choice& choice) { return !choice.variant.empty(); });
}

const Tuning* all_reduce(const std::vector<Tuning>& tunings) {
  const auto found = std::find_if(tunings.begin(), tunings.end(), [](const Tuning& each) {
    return each.of.collective == "all-reduce";
  });
  return found == tunings.end() ? nullptr : &*found;
}

std::string head(const Tuning* tuning, const OpenMpiRules& how) {
  std::string text = "# MPI_Allreduce of Open MPI, coll/tuned dynamic rules\n";
  if (!how.source.empty()) text += "# " + printable(how.source) + "\n";
  if (tuning != nullptr) {
    text += "# measured: " + describe(tuning->of) + "\n";
    for (const std::string& note : tuning->notes) text += "# " + printable(note) + "\n";
    if (needs_commutative(*tuning)) {
      text += "# ring and segmented-ring are wrong for operations that do not commute\n";
    }
  }
  text += how.extend
              ? "# rules also serve larger messages and communicators than were measured\n"
              : "# only measured sizes and communicators are changed; algorithm 0: as without\n";
  return text + "# use: " + openmpi_options("THIS_FILE") + "\n";
}

}  // namespace

const Library kOpenMpi{"Open MPI", "openmpi", "mpi", false, variant_of};

std::optional<int> openmpi_number(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<int>(found - kNames.begin()) + 1;
}

std::vector<std::string> openmpi_names() { return {kNames.begin(), kNames.end()}; }

std::string write_openmpi_rules(const std::vector<Tuning>& tunings, const OpenMpiRules& how) {
  const Tuning* tuning = all_reduce(tunings);
  std::vector<const Scale*> scales;
  if (tuning != nullptr) {
    for (const Scale& scale : tuning->scales) {
      if (has_rules(scale)) scales.push_back(&scale);
    }
  }
  const std::vector<Block> blocks = blocks_of(scales, how);
  std::string text = head(tuning, how);
  text += "1  # collectives\n";
  text += fmt::format("{}  # all-reduce\n", kAllreduceId);
  text += fmt::format("{}  # communicator sizes, ascending\n", blocks.size());
  for (const Block& block : blocks) {
    text += fmt::format("{}  # from this communicator size: {}\n", block.ranks, block.title);
    text +=
        fmt::format("{}  # rules: from bytes, algorithm, fan, segment bytes\n", block.rules.size());
    for (const std::string& line : block.rules) text += line;
  }
  return text;
}

bool needs_commutative(const Tuning& tuning) {
  for (const Scale& scale : tuning.scales) {
    for (const Choice& choice : scale.choices) {
      if (choice.variant == "ring" || choice.variant == "segmented-ring") return true;
    }
  }
  return false;
}

std::string openmpi_options(const std::string& file) {
  return "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename " + file;
}

}  // namespace arb
