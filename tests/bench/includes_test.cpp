// The map of who may know whom, held against every include line of the sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  // relative to the sources
  std::string header;
};

bool under(const std::string& path, const std::string& place) {
  return path == place || path.rfind(place + "/", 0) == 0;
}

bool under_any(const std::string& path, const std::vector<std::string>& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const std::string& place) { return under(path, place); });
}

/// What each box may include of ours; the longest matching folder decides.
struct Rule {
  std::string folder;
  std::vector<std::string> allowed;
};

const std::vector<Rule> kRules = {
    {"bench", {"bench", "reports", "verify", "collectives"}},
    {"verify", {"verify", "collectives/schedule", "collectives/ops", "collectives/error.hpp"}},
    {"verify/cuda",
     {"verify", "collectives/schedule", "collectives/ops", "collectives/error.hpp",
      "collectives/runners/cuda"}},
    {"collectives", {"collectives"}},
    {"reports", {"reports"}},
    {"reports/model", {"reports/model", "reports/record.hpp"}},
};

const Rule* rule_of(const std::string& file) {
  const Rule* best = nullptr;
  for (const Rule& rule : kRules) {
    const bool longer = best == nullptr || rule.folder.size() > best->folder.size();
    if (under(file, rule.folder) && longer) best = &rule;
  }
  return best;
}

bool is_ours(const std::string& header) {
  return under_any(header, {"bench", "verify", "collectives", "reports", "tests"});
}

bool is_cuda(const std::string& header) {
  return header.rfind("cuda", 0) == 0 || header.rfind("cooperative_groups", 0) == 0 ||
         header.rfind("nccl", 0) == 0 || header.rfind("cub/", 0) == 0;
}

bool is_mpi(const std::string& header) { return header == "mpi.h" || header == "mpi-ext.h"; }

/// Why the include is forbidden, or "".
std::string complaint(const Include& include) {
  const Rule* rule = rule_of(include.file);
  if (rule == nullptr) return "";
  const std::string& header = include.header;
  if (is_ours(header) && !under_any(header, rule->allowed)) return "forbidden arrow";
  if (header.rfind("../", 0) == 0 || header.rfind("./", 0) == 0) {
    return "paths start at the root of the sources";
  }
  if (is_mpi(header) && !under(include.file, "collectives/runners/mpi")) {
    return "MPI stays in collectives/runners/mpi";
  }
  if (is_cuda(header) && !under_any(include.file, {"collectives/runners/cuda", "verify/cuda"})) {
    return "CUDA stays in collectives/runners/cuda and verify/cuda";
  }
  const std::string ending = fs::path(include.file).extension();
  const bool device = ending == ".cu" || ending == ".cuh";
  if (device && under_any(header, {"CLI", "fmt", "nlohmann"})) return "too heavy for device code";
  return "";
}

/// The header named by an include line, or "".
std::string header_of(const std::string& line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return "";
  const size_t open = line.find_first_of("<\"", at + 7);
  if (open == std::string::npos) return "";
  const size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

std::vector<Include> all_includes() {
  const fs::path root = ARB_SOURCE_DIR;
  const std::set<std::string> endings = {".hpp", ".h", ".cpp", ".cu", ".cuh", ".inl"};
  std::vector<Include> all;
  for (const Rule& rule : kRules) {
    if (rule.folder.find('/') != std::string::npos) continue;  // part of another
    for (const auto& entry : fs::recursive_directory_iterator(root / rule.folder)) {
      if (!entry.is_regular_file() || endings.count(entry.path().extension()) == 0) continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        const std::string header = header_of(line);
        if (!header.empty()) all.push_back({fs::relative(entry.path(), root).string(), header});
      }
    }
  }
  return all;
}

TEST(Includes, FollowTheMap) {
  const auto all = all_includes();
  ASSERT_GT(all.size(), 100U) << "the sources were not found in " << ARB_SOURCE_DIR;
  for (const Include& include : all) {
    const std::string why = complaint(include);
    EXPECT_EQ(why, "") << include.file << " includes " << include.header << ": " << why;
  }
}

TEST(Includes, ForbiddenArrowsWouldBeSeen) {
  const std::vector<Include> forbidden = {
      {"collectives/ops/types.hpp", "verify/prove.hpp"},
      {"collectives/ops/types.hpp", "reports/record.hpp"},
      {"reports/table.cpp", "collectives/error.hpp"},
      {"reports/model/fit.cpp", "reports/table.hpp"},
      {"verify/prove.cpp", "collectives/runners/operation.hpp"},
      {"verify/prove.cpp", "collectives/algorithms/registry.hpp"},
      {"verify/prove.cpp", "bench/cli.hpp"},
      {"bench/run.cpp", "cuda_runtime.h"},
      {"verify/check.cpp", "cuda_runtime.h"},
      {"verify/check.cpp", "collectives/runners/cuda/launch.hpp"},
      {"verify/cuda/judge.cpp", "collectives/runners/host/team.hpp"},
      {"verify/cuda/judge.cpp", "bench/cli.hpp"},
      {"bench/run.cpp", "mpi.h"},
      {"collectives/runners/cuda/run.cpp", "mpi.h"},
      {"collectives/runners/host/team.cpp", "nccl.h"},
      {"collectives/runners/cuda/kernel.cu", "fmt/format.h"},
      {"collectives/runners/cuda/kernel.cuh", "nlohmann/json.hpp"},
      {"bench/cli.cpp", "../reports/record.hpp"},
  };
  for (const Include& include : forbidden) {
    EXPECT_NE(complaint(include), "") << include.file << " includes " << include.header;
  }
}

TEST(Includes, AllowedArrowsAreNotComplainedAbout) {
  const std::vector<Include> allowed = {
      {"bench/run.cpp", "verify/prove.hpp"},
      {"verify/prove.cpp", "collectives/error.hpp"},
      {"reports/model/fit.cpp", "reports/record.hpp"},
      {"reports/table.cpp", "reports/model/fit.hpp"},
      {"collectives/runners/cuda/kernel.cu", "cuda_runtime.h"},
      {"verify/cuda/kernel.cu", "cuda_runtime.h"},
      {"verify/cuda/judge.cpp", "collectives/runners/cuda/launch.hpp"},
      {"verify/cuda/judge.cpp", "verify/check.hpp"},
      {"collectives/runners/mpi/run.cpp", "mpi.h"},
      {"bench/cli.cpp", "CLI/App.hpp"},
  };
  for (const Include& include : allowed) EXPECT_EQ(complaint(include), "") << include.header;
}

TEST(Includes, LinesAreReadAsTheCompilerReadsThem) {
  EXPECT_EQ(header_of("#include <mpi.h>"), "mpi.h");
  EXPECT_EQ(header_of("  #  include \"verify/prove.hpp\"  // why"), "verify/prove.hpp");
  EXPECT_EQ(header_of("// #include <mpi.h>"), "");
  EXPECT_EQ(header_of("#define X"), "");
}

/// Types that the headers define at the top of a namespace, by where. A type that is chosen by an
/// #if may stand twice in one header.
std::map<std::string, std::set<std::string>> types_of_headers() {
  const fs::path root = ARB_SOURCE_DIR;
  const std::regex definition(R"(^(?:struct|class|enum class) ([\w:]+)[^;]*$)");
  std::map<std::string, std::set<std::string>> types;
  for (const Rule& rule : kRules) {
    for (const auto& entry : fs::recursive_directory_iterator(root / rule.folder)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        std::smatch found;
        if (!std::regex_match(line, found, definition) || found[1] == "alignas") continue;
        types[found[1]].insert(fs::relative(entry.path(), root).string());
      }
    }
  }
  return types;
}

// The linker takes one of two inline functions with one name, such as the destructors of two types.
TEST(Headers, GiveNoNameToTwoTypes) {
  const auto types = types_of_headers();
  ASSERT_GT(types.size(), 100U);
  ASSERT_EQ(types.count("Record"), 1U);
  for (const auto& [type, headers] : types) {
    std::string where;
    for (const std::string& header : headers) where += " " + header;
    EXPECT_EQ(headers.size(), 1U) << type << " is defined in" << where;
  }
}

}  // namespace
