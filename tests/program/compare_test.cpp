// Two reports judged: a real report with made-up times, so that the verdicts are certain.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/program/made_report.hpp"
#include "tests/program/process.hpp"

namespace arb {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

void make_wrong(Json& made) {
  Json& record = made["records"][0];
  record["status"] = "wrong";
  record["reason"] = "12345678 wrong elements";
  record["verify"].update({{"wrong", 12345678},
                           {"verdict", "wrong"},
                           {"check", "exact"},
                           {"index", 42},
                           {"rank", 1},
                           {"wanted", "3"},
                           {"got", "2.5"}});
}

class Compare : public testing::Test {
 protected:
  std::string put(const std::string& name, const Json& content) {
    const std::string path = folder_.path(name);
    std::ofstream(path) << content.dump();
    return path;
  }

  Finished compare(const Json& base, const Json& fresh, const Words& options = {}) {
    Words words{"compare", put("base.json", base), put("new.json", fresh)};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words);
  }

  static void expect(const Finished& run, int code, const Words& said) {
    EXPECT_EQ(run.exit_code, code) << run.out << run.err;
    for (const std::string& word : said) {
      EXPECT_NE((run.out + run.err).find(word), std::string::npos)
          << "no '" << word << "' in: " << run.out << run.err;
    }
  }

  Folder folder_;
};

TEST_F(Compare, TheSameBuildPasses) {
  const Finished run = compare(report(1), report(1.001));
  expect(run, 0, {"PASS", "old: ", "base.json", "machine: ", "host all-reduce, 2 ranks"});
  EXPECT_EQ(run.err, "");
}

TEST_F(Compare, ASlowerBuildFailsAndAFasterOnePassesAndIsSaid) {
  expect(compare(report(1), report(3)), 1, {"FAIL", "slower", "3.000x"});
  expect(compare(report(1), report(0.3)), 0, {"PASS", "faster"});
}

TEST_F(Compare, WrongDataOnEitherSideIsExit3) {
  expect(compare(report(1), report(1, make_wrong)), 3, {"WRONG DATA", "12345678", "index 42"});
  expect(compare(report(1, make_wrong), report(1)), 3, {"WRONG DATA", "12345678"});
  expect(compare(report(1), report(3, make_wrong)), 3, {"WRONG DATA", "slower"});
}

TEST_F(Compare, AMissingRowFailsUnlessAllowedAndAnExtraOneIsNews) {
  const Json less = report(1, [](Json& made) { made["records"].erase(0); });
  expect(compare(report(1), less), 1, {"FAIL", "missing"});
  expect(compare(report(1), less, {"--allow-missing"}), 0, {"PASS"});
  expect(compare(less, report(1)), 0, {"PASS", "new"});
}

TEST_F(Compare, AZeroOrNullBaselineIsExit2) {
  const auto zero = [](Json& made) { made["records"][0]["time_s"]["median"] = 0; };
  const auto null = [](Json& made) { made["records"][0]["time_s"] = nullptr; };
  expect(compare(report(1, zero), report(1)), 2, {"base.json", "median"});
  expect(compare(report(1, null), report(1)), 2, {"base.json"});
}

TEST_F(Compare, NothingToJudgeIsExit2) {
  expect(compare(report(1), report(1), {"--min-bytes", "1G"}), 2, {"1 GiB"});
  const Json empty = report(1, [](Json& made) { made["records"] = Json::array(); });
  expect(compare(report(1), empty), 2, {"new.json", "no results"});
}

TEST_F(Compare, AnotherMachineIsRefusedUnlessAllowed) {
  const Json other = report(1, [](Json& made) {
    made["environment"]["fingerprint"] = "elsewhere";
    made["environment"]["host"] = "far-away";
  });
  expect(compare(other, report(1)), 2, {"far-away", "--allow-other-machine"});
  expect(compare(other, report(1), {"--allow-other-machine"}), 0, {"Warning", "far-away"});
}

TEST_F(Compare, ADropOfExactlyWhatIsAllowedPassesAndTheBoundaryIsPrinted) {
  expect(compare(report(1), report(1 / 0.9), {"--max-drop", "10%"}), 0,
         {"PASS", "10 % less bandwidth, 1.111x"});
}

TEST_F(Compare, DropsGoBySize) {
  const Json slower = report(1, [](Json& made) {
    for (Json& record : made["records"]) {
      if (record["bytes"] > 65536) continue;
      set_time(record, 3 * record["time_s"]["median"].get<double>());
    }
  });
  expect(compare(report(1), slower), 1, {"slower"});
  expect(compare(report(1), slower, {"--max-drop", "64K:80%,5%"}), 0, {"PASS"});
  expect(compare(report(1), slower, {"--min-bytes", "1M"}), 0, {"PASS"});
}

TEST_F(Compare, FurtherStartsAreTakenOnBothSides) {
  const std::string a = put("a.json", report(1)), b = put("b.json", report(1.01)),
                    c = put("c.json", report(1.005)), slow = put("slow.json", report(3)),
                    slower = put("slower.json", report(3.02));
  const Finished run = run_program(
      {"compare", "--baseline", a, "--baseline", b, slow, "--format", "json", "--only", "ring"});
  expect(run, 1, {});
  const Json verdicts = Json::parse(run.out);
  EXPECT_EQ(verdicts["result"], "fail");
  std::string context;
  for (const Json& line : verdicts["context"]) context += line.get<std::string>() + "\n";
  for (const std::string& line : {"old: " + a, "old: " + b, "new: " + slow}) {
    EXPECT_NE(context.find(line), std::string::npos) << context;
  }
  expect(run_program({"compare", a, slow, slower, "--baseline", b, "--baseline", c}), 1,
         {"old: " + c, "new: " + slower});
  expect(run_program({"compare", a, slow, slow}), 2, {"twice"});
}

TEST_F(Compare, UsageErrorsNameTheRemedy) {
  const std::string a = put("a.json", report(1)), b = put("b.json", report(1));
  expect(run_program({"compare"}), 2, {"which reports?", "compare BASE.json NEW.json"});
  expect(run_program({"compare", a}), 2, {"only one report"});
  expect(run_program({"compare", a, b + "x"}), 2, {"b.jsonx", "no such file"});
  expect(run_program({"compare", a, b, "--only", "rnig"}), 2, {"did you mean 'ring'?", "one-shot"});
  expect(run_program({"compare", a, b, "--max-drpo", "5%"}), 2, {"did you mean '--max-drop'?"});
  expect(run_program({"comprae", a, b}), 2, {"did you mean 'compare'?"});
  expect(run_program({"--max-drop", "5%"}), 2, {"--against REPORT.json or --ab PROGRAM"});
  const Json next = report(1, [](Json& made) { made["schema_version"] = 2; });
  expect(compare(report(1), next), 2, {"new.json", "schema_version", "version 2"});
}

TEST_F(Compare, FilesAreWrittenAndTheSummaryIsAppended) {
  std::ofstream(folder_.path("s.md")) << "before\n";
  const Words files{"--junit",   folder_.path("j.xml"), "--verdicts", folder_.path("v.json"),
                    "--summary", folder_.path("s.md"),  "--format",   "markdown"};
  const Finished run = compare(report(1), report(3), files);
  expect(run, 1, {"### allreduce-bench compare: FAIL"});
  EXPECT_EQ(read_text(folder_.path("s.md")), "before\n\n" + run.out);
  EXPECT_EQ(read_report(folder_.path("v.json"))["exit_code"], 1);
  EXPECT_NE(read_text(folder_.path("j.xml")).find("<failure message=\"slower"), std::string::npos);
  expect(compare(report(1), report(1), files), 0, {"### allreduce-bench compare: PASS"});
  const std::string summary = read_text(folder_.path("s.md"));
  EXPECT_LT(summary.find("compare: FAIL"), summary.find("compare: PASS"));
}

TEST_F(Compare, BadFilesEndItBeforeAnyWork) {
  expect(compare(report(1), report(1), {"--summary", folder_.path("none/s.md")}), 2,
         {"--summary", "cannot be written"});
  expect(compare(report(1), report(1), {"--junit", folder_.path("none/j.xml")}), 2,
         {"--junit", "no folder"});
  if (std::filesystem::exists("/dev/full")) {
    expect(compare(report(1), report(1), {"--summary", "/dev/full"}), 5, {"No space left"});
  }
}

TEST_F(Compare, AReaderThatGoesAwayChangesNothing) {
  put("base.json", report(1));
  put("new.json", report(3));
  const std::string command = std::string(ARB_PROGRAM) + " compare " + folder_.path("base.json") +
                              " " + folder_.path("new.json") + " --junit " + folder_.path("j.xml") +
                              " 2>" + folder_.path("err");
  for (const std::string reader : {"head -1", "true"}) {
    std::filesystem::remove(folder_.path("j.xml"));
    const std::string piped =
        "bash -c '" + command + " | " + reader + " >/dev/null; exit ${PIPESTATUS[0]}'";
    const int status = std::system(piped.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    EXPECT_EQ(read_text(folder_.path("err")), "");
    EXPECT_TRUE(std::filesystem::exists(folder_.path("j.xml")));
  }
}

}  // namespace
}  // namespace arb
