// Message sizes as people write them: 8B, 4K, 4KB, 4KiB, 1.5M, 2g, 4GB. Suffixes are 1024-based, in
// any case.
#pragma once

#include <cstdint>
#include <string_view>

namespace arb {

/// Bytes, exact; parts of a byte are dropped (1.1K = 1126). Throws std::invalid_argument for all
/// else, "too large" included; the message says why, without repeating the text.
int64_t parse_size(std::string_view text);

}  // namespace arb
