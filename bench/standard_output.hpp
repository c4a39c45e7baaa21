// Results on standard output, whose reader may have gone: `| head -1`.
#pragma once

#include <string>

namespace arb {

/// False if nobody reads it any more (a closed pipe: SIGPIPE is ignored, so that files are still
/// written). Throws Error{kEnvironment} for all else, a full disk for example.
bool print_result(const std::string& text);

}  // namespace arb
