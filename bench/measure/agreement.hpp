// What the processes of a job found, put together: verdicts, and whether ranks that no process sees
// together hold the same bits.
#pragma once

#include <vector>

#include "collectives/runners/crew.hpp"
#include "verify/buffer_tools.hpp"
#include "verify/check.hpp"

namespace arb {

/// The merged verdict of all processes, the same in each. Ranks whose memory one process sees were
/// compared by check_tile(); here digests of the results of different processes are compared too,
/// block by block: "ranks differ" then counts differing blocks (at least one wrong element each)
/// and names the first element of the first. Collective over the crew.
Verdict agree(Crew& crew, const Verdict& own, const CheckSpec& spec,
              const std::vector<RankView>& views, const BufferTools& tools = host_buffer_tools());

/// Digests of at most kDigests blocks of the message as this process has it; empty if no rank that
/// it sees holds the whole result, or if it sees all ranks anyway. Any NaN equals any NaN.
std::vector<uint64_t> digests(const CheckSpec& spec, const std::vector<RankView>& views,
                              const BufferTools& tools = host_buffer_tools());
inline constexpr size_t kDigests = 256;

}  // namespace arb
