// The result for people, on a terminal of 120 columns: algorithms side by side, size by size, the
// fastest marked.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/record.hpp"

namespace arb {

struct TableStyle {
  bool colour = false;            // ANSI: the fastest bold, wrong results red, skipped ones dim
  size_t algorithm_columns = 18;  // as wide as the longest algorithm's name
};

/// For results that arrive one by one: header(), then group() for all algorithms of one size, in
/// the end footer().
class TableWriter {
 public:
  explicit TableWriter(TableStyle style = {}) : style_(style) {}

  /// The machine, and what every column means; said once.
  std::string header(const Report& report) const;

  /// Lines for these results. A title comes first whenever the block (backend, collective, ranks,
  /// place, dtype, ...) is another one than that of the call before. Results of several sizes or
  /// blocks are told apart.
  std::string group(std::span<const Record> records);

  /// Fits, crossovers and the best algorithm by size, as far as the report has them.
  std::string footer(const Report& report) const;

 private:
  friend std::string write_table(const Report& report);
  std::string rows(const std::vector<const Record*>& records);
  std::string line(const Record& record, bool first,
                   const std::vector<const Record*>& records) const;

  TableStyle style_;
  std::string title_;  // of the block that is open
};

/// Header, all groups, footer.
std::string write_table(const Report& report);

/// The footer's three parts; each is empty if the report has none.
std::string fits_text(const std::vector<Fit>& fits);
std::string crossovers_text(const std::vector<Crossover>& crossovers);
std::string best_text(const std::vector<Best>& best);

}  // namespace arb
