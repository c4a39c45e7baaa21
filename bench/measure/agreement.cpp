#include "bench/measure/agreement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace arb {
namespace {

using Json = nlohmann::json;

Json to_json(const Verdict& verdict) {
  return {verdict.wrong,
          verdict.check,
          verdict.rank,
          verdict.index,
          verdict.wanted,
          verdict.got,
          verdict.ulps ? Json(*verdict.ulps) : Json(),
          verdict.max_error_ratio};
}

Verdict to_verdict(const Json& json) {
  Verdict verdict;
  verdict.wrong = json[0].get<int64_t>();
  verdict.check = json[1].get<std::string>();
  verdict.rank = json[2].get<int>();
  verdict.index = json[3].get<int64_t>();
  verdict.wanted = json[4].get<std::string>();
  verdict.got = json[5].get<std::string>();
  if (!json[6].is_null()) verdict.ulps = json[6].get<double>();
  verdict.max_error_ratio = json[7].get<double>();
  return verdict;
}

size_t message_elements(const Tiling& tiling) {
  size_t end = 0;
  for (size_t tile = 0; tile < tiling.tiles(); ++tile) {
    for (int chunk = 0; chunk < tiling.chunks(); ++chunk) {
      const Range range = tiling.range(tile, chunk);
      end = std::max(end, range.begin + range.size);
    }
  }
  return end;
}

size_t block_elements(size_t count) {
  return std::max<size_t>((count + kDigests - 1) / kDigests, 1);
}

bool holds_all(const CheckSpec& spec, int rank) {
  for (int chunk = 0; chunk < spec.tiling->chunks(); ++chunk) {
    if (!has_output(spec.collective, rank, chunk, spec.root)) return false;
  }
  return true;
}

/// The lowest rank here that holds the whole result, or kNone.
int holder(const CheckSpec& spec, const std::vector<RankView>& views) {
  for (int rank = 0; rank < static_cast<int>(views.size()); ++rank) {
    if (views[static_cast<size_t>(rank)].output != nullptr && holds_all(spec, rank)) return rank;
  }
  return kNone;
}

}  // namespace

std::vector<uint64_t> digests(const CheckSpec& spec, const std::vector<RankView>& views,
                              const BufferTools& tools) {
  const bool far = std::any_of(views.begin(), views.end(), [](const RankView& view) {
    return view.output == nullptr && view.input == nullptr;
  });
  const int rank = holder(spec, views);
  if (!far || rank == kNone) return {};
  std::vector<uint64_t> all;
  const std::byte* const output = views[static_cast<size_t>(rank)].output;
  const size_t count = message_elements(*spec.tiling);
  const size_t block = block_elements(count);
  for (size_t at = 0; at < count; at += block) {
    all.push_back(tools.digest(rank, spec.data.dtype, output + at * size_of(spec.data.dtype),
                               std::min(block, count - at)));
  }
  return all;
}

Verdict agree(Crew& crew, const Verdict& own, const CheckSpec& spec,
              const std::vector<RankView>& views, const BufferTools& tools) {
  const Json mine = {to_json(own), digests(spec, views, tools), holder(spec, views)};
  Verdict whole;
  std::vector<uint64_t> reference;
  int reference_rank = kNone;
  std::set<int> compared;
  for (const std::string& text : crew.exchange(mine.dump())) {
    const Json said = Json::parse(text);
    whole.merge(to_verdict(said[0]));
    const auto theirs = said[1].get<std::vector<uint64_t>>();
    const int rank = said[2].get<int>();
    if (theirs.empty() || !compared.insert(rank).second) continue;  // the others of its node
    if (reference_rank == kNone) {
      reference = theirs;
      reference_rank = rank;
      continue;
    }
    Verdict differ;
    for (size_t i = 0; i < theirs.size() && i < reference.size(); ++i) {
      if (theirs[i] == reference[i]) continue;
      if (differ.wrong++ == 0) {
        differ.index = static_cast<int64_t>(i * block_elements(message_elements(*spec.tiling)));
      }
    }
    if (differ.wrong == 0) continue;
    differ.check = "ranks differ";
    differ.rank = rank;
    differ.wanted = "the bits of rank " + std::to_string(reference_rank);
    differ.got = "others, in a block from here on";
    whole.merge(differ);
  }
  return whole;
}

}  // namespace arb
