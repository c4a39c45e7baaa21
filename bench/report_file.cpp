#include "bench/report_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "bench/files.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"

namespace arb {

namespace {

std::string why_unreadable(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return "cannot be read, there is no such file";
  if (std::filesystem::is_directory(file, error)) return "cannot be read, it is a folder";
  return "cannot be read, is it allowed?";
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
