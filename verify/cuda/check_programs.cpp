#include "verify/cuda/check_programs.hpp"

#include <algorithm>
#include <map>

#include "verify/oracle.hpp"

namespace arb {
namespace {

constexpr int kMostRanks = 0xffff;  // that fit a word
constexpr size_t kMostElements = size_t{1} << 48;

/// Each contributor once, as the host's check demands.
bool combines_all(const std::vector<Instruction>& program, std::vector<int> wanted) {
  std::vector<int> loaded;
  for (const Instruction& step : program) {
    if (step.rank >= 0) loaded.push_back(step.rank);
  }
  std::sort(loaded.begin(), loaded.end());
  std::sort(wanted.begin(), wanted.end());
  return loaded == wanted;
}

int32_t word_of(const Instruction& step, const std::vector<int>& place_of) {
  if (step.rank < 0) return step.left < step.right ? kCombine : kCombineSwapped;
  const int place = place_of[static_cast<size_t>(step.rank)];
  return step.rank | (place + 1) << 16;
}

}  // namespace

CheckPrograms::CheckPrograms(const CheckSpec& spec) {
  const int chunks = spec.tiling->chunks();
  const ReductionOrder plain =
      spec.order == nullptr ? plain_order(spec.collective, spec.data.ranks, chunks, spec.root)
                            : ReductionOrder{};
  const ReductionOrder& order = spec.order == nullptr ? plain : *spec.order;
  if (spec.data.ranks > kMostRanks || spec.tiling->count() >= kMostElements) {
    refused = "too many ranks or elements";
    return;
  }
  std::map<int, size_t> known;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int root = order.result.at(static_cast<size_t>(chunk));
    const auto [at, is_new] = known.emplace(root, programs.size());
    if (is_new) programs.push_back(compile(order, root));
    const std::vector<Instruction>& program = programs[at->second];
    program_of.push_back(at->second);
    divides.push_back(spec.data.op == Op::kAvg &&
                      order.arena[static_cast<size_t>(root)].leaves == spec.data.ranks);
    const std::vector<int> wanted =
        contributors(spec.collective, spec.data.ranks, chunk, spec.root);
    if (!combines_all(program, wanted)) refused = "the order does not combine every input once";
    if (slots_of(program) > kProgramStack) {
      refused = "the reduction order needs " + std::to_string(slots_of(program)) +
                " values at once, kernels keep " + std::to_string(kProgramStack);
    }
  }
}

CheckTables::CheckTables(const CheckPrograms& from, const CheckSpec& spec,
                         const std::vector<RankView>& views, std::span<const int> ranks) {
  std::vector<int> place_of(static_cast<size_t>(spec.data.ranks), -1);
  for (size_t place = 0; place < ranks.size(); ++place) {
    place_of[static_cast<size_t>(ranks[place])] = static_cast<int>(place);
  }
  std::vector<ChunkProgram> flat;
  for (const std::vector<Instruction>& program : from.programs) {
    flat.push_back({static_cast<uint32_t>(words.size()), static_cast<uint32_t>(program.size())});
    for (const Instruction& step : program) words.push_back(word_of(step, place_of));
  }
  for (size_t chunk = 0; chunk < from.program_of.size(); ++chunk) {
    ChunkProgram program = flat[from.program_of[chunk]];
    program.divides = from.divides[chunk];
    programs.push_back(program);
    uint64_t comparisons = 0;
    for (const int rank : ranks) {
      const RankView& view = views[static_cast<size_t>(rank)];
      const auto number = static_cast<int>(chunk);
      uint8_t role = 0;
      if (view.output != nullptr && has_output(spec.collective, rank, number, spec.root)) {
        role |= kCheckOutput;
        ++comparisons;
      }
      if (!spec.in_place && view.input != nullptr &&
          has_input(spec.collective, rank, number, spec.root)) {
        role |= kCheckInput;
        ++comparisons;
      }
      roles.push_back(role);
    }
    compared.push_back(comparisons);
  }
}

}  // namespace arb
