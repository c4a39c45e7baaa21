// Two files for NCCL: the configuration of its example tuner plugin, and the measurements that
// the plugin's optimize_config.py reads.
#pragma once

#include <string>
#include <vector>

#include "reports/tune/choose.hpp"

namespace arb {

/// Records of backend "cuda" with algorithms nccl or nccl:default, and nccl:ALGORITHM[:PROTOCOL].
/// Without a protocol in the name the record's own counts. Names that the plugin does not know are
/// problems: it would read them as ring or simple.
extern const Library kNccl;

/// `channels`: of every line. It must be said, as the plugin turns -1 ("keep the default") into 1
/// channel. For the same reason every size of a measured topology (nodes, ranks) has a line: where
/// nothing was told apart from the default, that of the fastest variant. The last line of a
/// topology (ring, simple) also serves where NCCL cannot run what a line above names. Lines are
/// read in order, the first match wins, both ends are included.
std::string write_nccl_tuner(const std::vector<Tuning>& tunings, int channels,
                             const std::string& source);

/// Every time that was used, except those of the default: one line each, with a header.
std::string write_nccl_csv(const std::vector<Tuning>& tunings, int channels);

}  // namespace arb
