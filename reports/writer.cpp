#include "reports/writer.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "reports/csv.hpp"
#include "reports/json.hpp"
#include "reports/markdown.hpp"
#include "reports/nccl_tests.hpp"
#include "reports/table.hpp"

namespace arb {
namespace {

constexpr std::array kWriters = {
    Writer{"table", "", "for people: algorithms side by side, size by size", write_table},
    Writer{"nccl-tests", "", "the columns of nccl-tests, for scripts that read them",
           write_nccl_tests},
    Writer{"csv", ".csv", "one line per result, for spreadsheets", write_csv},
    Writer{"json", ".json", "everything, for programs; compare and fit read it", write_json},
    Writer{"markdown", ".md", "one row per result, for issues and pull requests", write_markdown},
};

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool ends_with(std::string_view path, std::string_view ending) {
  return path.size() > ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), path.rbegin(), same_letter);
}

const Writer* find(auto matches) {
  const auto* const found = std::find_if(kWriters.begin(), kWriters.end(), matches);
  return found == kWriters.end() ? nullptr : found;
}

}  // namespace

std::span<const Writer> writers() { return kWriters; }

const Writer* writer_named(std::string_view name) {
  return find([name](const Writer& writer) { return writer.name == name; });
}

const Writer* writer_for_file(std::string_view path) {
  return find([path](const Writer& writer) {
    return !writer.ending.empty() && ends_with(path, writer.ending);
  });
}

}  // namespace arb
