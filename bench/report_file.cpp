#include "bench/report_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "bench/files.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"

namespace arb {

namespace {

/// What read_file() has no word for.
std::string why_unreadable(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return "there is no such file";
  if (std::filesystem::is_directory(file, error)) return "a folder, not a file";
  return "cannot be read";
}

}  // namespace

Report read_report_file(const std::string& file) {
  const auto text = read_file(file);
  if (!text) throw Error(ErrorKind::kUsage, fmt::format("'{}': {}", file, why_unreadable(file)));
  try {
    return read_json(*text);
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' is not a report of this program: {}", file, error.what()));
  }
}

}  // namespace arb
