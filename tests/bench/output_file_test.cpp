#include "bench/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/files.hpp"
#include "folder.hpp"
#include "refusal.hpp"

namespace arb {
namespace {

namespace fs = std::filesystem;

Argument at(const fs::path& path) { return {"--output", path.string()}; }

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, ReplacesTheWholeFileAndLeavesNothingBeside) {
  const Folder folder;
  const OutputFile file(at(folder.path() / "r.json"));
  EXPECT_EQ(file.writer().name, "json");
  file.replace("a long first text");
  file.replace("short");
  EXPECT_EQ(read_file(folder.path() / "r.json"), "short");
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(OutputFile, LeavesAnOldFileAloneUntilTheFirstReplace) {
  const Folder folder;
  folder.put("r.csv", "old");
  ::chmod((folder.path() / "r.csv").c_str(), 0640);
  const OutputFile file(at(folder.path() / "r.csv"));
  EXPECT_EQ(file.writer().name, "csv");
  EXPECT_EQ(read_file(folder.path() / "r.csv"), "old");
  file.replace("new");
  EXPECT_EQ(read_file(folder.path() / "r.csv"), "new");
  EXPECT_EQ(fs::status(folder.path() / "r.csv").permissions(), fs::perms(0640));
}

TEST(OutputFile, FollowsLinks) {
  const Folder folder;
  folder.put("real/r.json", "old");
  fs::create_symlink("real/r.json", folder.path() / "link.json");
  OutputFile(at(folder.path() / "link.json")).replace("new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.json"));
  EXPECT_EQ(read_file(folder.path() / "real/r.json"), "new");
}

TEST(OutputFile, RefusesUnknownEndings) {
  for (const char* name : {"r", "r.txt", "r.json.gz", ".json", "r.", ""}) {
    expect_usage(
        [&] {
          output_writer({"-J", name});
        },
        {"-J '" + std::string(name), ".csv or .json or .md"});
  }
  EXPECT_EQ(output_writer({"-J", "R.JSON"}).name, "json");
}

TEST(OutputFile, RefusesPlacesWhereItCannotWrite) {
  const Folder folder;
  expect_usage([&] { OutputFile file(at(folder.path() / "none" / "r.json")); },
               {"no folder", "none"});
  fs::create_directory(folder.path() / "d.json");
  expect_usage([&] { OutputFile file(at(folder.path() / "d.json")); }, {"not a regular file"});
  folder.put("file", "");
  expect_usage([&] { OutputFile file(at(folder.path() / "file" / "r.json")); }, {"no folder"});
  if (::geteuid() == 0) {  // root may write anywhere but into /proc
    expect_usage([&] { OutputFile file(at("/proc/r.json")); }, {"cannot create"});
    return;
  }
  folder.put("locked.json", "");
  fs::permissions(folder.path() / "locked.json", fs::perms::owner_read);
  expect_usage([&] { OutputFile file(at(folder.path() / "locked.json")); }, {"cannot be written"});
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_usage([&] { OutputFile file(at(folder.path() / "r.json")); }, {"cannot create"});
}

TEST(OutputFile, SaysWhenAWriteFailsAndKeepsTheOldText) {
  const Folder folder;
  fs::create_directory(folder.path() / "sub");
  const OutputFile file(at(folder.path() / "sub" / "r.json"));
  fs::remove_all(folder.path() / "sub");
  expect_refused([&] { file.replace("text"); }, ErrorKind::kEnvironment,
                 {"cannot write", "r.json"});
}

}  // namespace
}  // namespace arb
