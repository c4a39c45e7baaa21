// What made-up records of the tests have in common.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace arb {

/// An all-reduce of float32 sums with hot caches, correct, its times still to be filled in.
inline Record plain_record(const std::string& algorithm, int64_t ranks, int64_t bytes) {
  Record record;
  record.collective = "all-reduce";
  record.algorithm = algorithm;
  record.ranks = ranks;
  record.bytes = record.requested_bytes = bytes;
  record.count = bytes / 4;
  record.dtype = "float32";
  record.op = "sum";
  record.cache = "hot";
  record.time.emplace();
  record.verify.verdict = "ok";
  return record;
}

}  // namespace arb
