// What a library's own choice of algorithm should be changed to: from the measured medians and
// their intervals, size by size. Only what was told apart from the library's default counts.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/point.hpp"
#include "reports/record.hpp"

namespace arb {

/// A record's algorithm in the words of the library's file.
struct Variant {
  std::string name;           // "ring", "tree:ll"; empty: the library's own choice
  std::string problem;        // why no file can say it; empty: one can
  int64_t segment_bytes = 0;  // in which it was measured; 0: not cut into segments
};

struct Library {
  std::string_view title;    // "Open MPI"
  std::string_view prefix;   // "openmpi": of "openmpi:ring"
  std::string_view backend;  // of the records that count: "mpi"
  bool knows_nodes;          // its file can tell 4 ranks on 1 node from 4 ranks on 2
  Variant (*variant)(const Record&);
};

/// What must be equal for two times to be compared.
struct Combination {
  std::string collective, dtype, op, cache;
  bool in_place = false;
  int64_t unalign = 0;
  auto operator<=>(const Combination&) const = default;
};

/// "all-reduce of float32, sum, out of place, hot cache"
std::string describe(const Combination& combination);

/// At one measured size.
struct Choice {
  int64_t bytes = 0;
  std::string variant;        // empty: leave it to the library
  std::string why;            // it is left to the library
  double speedup = 0;         // median of the default / median of the variant; 0 without a variant
  int64_t segment_bytes = 0;  // that the variant was measured with; 0: none
  std::string fastest;        // the named variant with the smallest median; empty: none measured
};

struct Measured {
  int64_t ranks = 0, nodes = 0;
  std::string variant;
  int64_t segment_bytes = 0;
  Point point;
};

struct Scale {
  int64_t ranks = 0, nodes = 0;
  std::vector<Choice> choices;  // ascending in bytes
};

struct Tuning {
  Combination of;
  std::vector<Scale> scales;       // ascending in ranks, then nodes
  std::vector<Measured> measured;  // all that was used, named variants and the default
  std::vector<std::string> notes;  // what was left out, and why; sentences without a full stop
  bool has_rules() const;
};

/// One tuning per collective that has records of the library; empty if there are none, and without
/// scales if none of them can be used. Of several
/// combinations of a collective the one with most records is taken (float32, sum, out of place,
/// hot if there is a tie). Wrong, skipped and timed-out records are never used, nor those whose
/// flags say that the machine disturbed them.
///
/// A variant is chosen at a size if its 95 % interval is below that of the default: the fastest
/// such one, or the one of the size before if that is not told apart from the fastest.
std::vector<Tuning> choose(const Report& report, const Library& library);

/// Neighbouring sizes with one choice.
struct TunedRange {
  int64_t first_bytes = 0, last_bytes = 0;  // measured sizes
  std::string variant, why;                 // as in Choice; reasons are joined by "; "
  int64_t segment_bytes = 0;
  double least_speedup = 0, most_speedup = 0;
  std::vector<int64_t> sizes;  // all measured ones
};

std::vector<TunedRange> ranges_of(const Scale& scale);

}  // namespace arb
