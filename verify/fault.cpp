// The text of a fault: "name" or "name:key=value,key=value".
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "collectives/error.hpp"
#include "verify/inject.hpp"

namespace arb {
namespace {

struct Row {
  std::string_view name;
  FaultKind kind;
  std::string_view keys;  // that it understands, blank-separated
};

constexpr std::array<Row, 13> kRows{{
    {"flip-bit", FaultKind::kFlipBit, "rank"},
    {"nan", FaultKind::kNan, "rank"},
    {"off-by-part", FaultKind::kOffByPart, "rank"},
    {"swap-chunks", FaultKind::kSwapChunks, ""},
    {"double-rank", FaultKind::kDoubleRank, ""},
    {"last-unwritten", FaultKind::kLastUnwritten, "rank"},
    {"past-end", FaultKind::kPastEnd, "rank"},
    {"change-input", FaultKind::kChangeInput, "rank"},
    {"one-rank", FaultKind::kOneRank, "rank"},
    {"stale", FaultKind::kStale, ""},
    {"stall", FaultKind::kStall, "rank iteration"},
    {"delay", FaultKind::kDelay, "rank seconds every"},
    {"slow", FaultKind::kSlow, "rank share"},
}};

constexpr double kLargestShare = 100;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  std::string message = "fault \"" + std::string(text) + "\": " + why + "; valid:";
  for (const Row& row : kRows) {
    message += ' ';
    message += row.name;
    for (size_t at = 0; at < row.keys.size();) {
      const size_t end = std::min(row.keys.find(' ', at), row.keys.size());
      message += at == 0 ? ':' : ',';
      message += row.keys.substr(at, end - at);
      message += '=';
      at = end + 1;
    }
  }
  throw Error(ErrorKind::kUsage, message);
}

template <class T>
T number(std::string_view text, std::string_view value) {
  T result{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size() || value.empty()) {
    refuse(text, "\"" + std::string(value) + "\" is not a number");
  }
  return result;
}

bool understands(const Row& row, std::string_view key) {
  const std::string padded = ' ' + std::string(row.keys) + ' ';
  return padded.find(' ' + std::string(key) + ' ') != std::string::npos;
}

void assign(std::string_view text, Fault& fault, std::string_view key, std::string_view value) {
  if (key == "rank") {
    fault.rank = number<int>(text, value);
    if (fault.rank < 0) refuse(text, "rank must not be negative");
  } else if (key == "seconds") {
    fault.seconds = number<double>(text, value);
    if (!(fault.seconds > 0 && fault.seconds < 1e6)) refuse(text, "seconds must be positive");
  } else if (key == "share") {
    fault.share = number<double>(text, value);
    if (!(fault.share > 0 && fault.share <= kLargestShare)) {
      refuse(text, "share must be above 0 and at most 100; 0.1 is 10 % longer");
    }
  } else {
    fault.iteration = number<long>(text, value);
    if (fault.iteration < (key == "every" ? 1 : 0)) {
      refuse(text, std::string(key) + " is too small");
    }
  }
}

}  // namespace

Fault parse_fault(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const Row* row = nullptr;
  for (const Row& candidate : kRows) {
    if (candidate.name == text.substr(0, colon)) row = &candidate;
  }
  if (row == nullptr) refuse(text, "no such fault");
  Fault fault{.kind = row->kind};
  if (fault.kind == FaultKind::kDelay) fault.iteration = 1;
  std::string seen = " ";
  for (size_t at = colon; at < text.size();) {
    const size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string_view pair = text.substr(at + 1, end - at - 1);
    const size_t equals = pair.find('=');
    const std::string key(pair.substr(0, equals));
    if (equals == std::string_view::npos || key.empty() || !understands(*row, key)) {
      refuse(text, "\"" + std::string(pair) + "\" is not understood");
    }
    if (seen.find(' ' + key + ' ') != std::string::npos) refuse(text, key + " is given twice");
    seen += key + ' ';
    assign(text, fault, key, pair.substr(equals + 1));
    at = end;
  }
  if (fault.kind == FaultKind::kDelay && fault.seconds == 0) refuse(text, "seconds is missing");
  if (fault.kind == FaultKind::kSlow && fault.share == 0) refuse(text, "share is missing");
  return fault;
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  names.reserve(kRows.size());
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

}  // namespace arb
