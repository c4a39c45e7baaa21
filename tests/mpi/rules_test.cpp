// What Open MPI makes of a rules file, asked of Open MPI: an algorithm that does not exist makes
// MPI_Allreduce fail (MPI_ERR_ARG) exactly where its rule is in force.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "bench/child.hpp"
#include "bench/files.hpp"
#include "reports/tune/openmpi.hpp"
#include "tests/bench/folder.hpp"
#include "tests/reports/tune_report.hpp"

namespace arb {
namespace {

using Answers = std::map<std::pair<int, int>, int>;  // of (ranks, bytes)

Answers ask(const std::vector<std::string>& arguments, const std::string& rules,
            const std::string& enabled = "1", int processes = 5) {
  std::vector<std::string> argv = words_of(ARB_MPIRUN);
  argv.insert(argv.end(), {"-np", std::to_string(processes), ARB_RULES_PROBE});
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const ChildResult child = run_child(argv,
                                      {{"OMPI_MCA_coll_tuned_use_dynamic_rules", enabled},
                                       {"OMPI_MCA_coll_tuned_dynamic_rules_filename", rules}},
                                      120);
  EXPECT_EQ(child.exit_code, 0) << child.output;
  Answers answers;
  std::istringstream lines(child.output);
  int ranks = 0;
  int bytes = 0;
  int said = 0;
  while (lines >> ranks >> bytes >> said) answers[{ranks, bytes}] = said;
  EXPECT_EQ(answers.size(), (arguments.size() - (arguments[0] == "order" ? 1 : 0)) *
                                static_cast<size_t>(processes - 1))
      << child.output;
  return answers;
}

/// Versions before 4.1.8 do not know them; of 5.0 those before 5.0.7.
bool ignores_version_lines() {
  const std::string text = run_child({"ompi_info", "--version"}, {}, 60).output;
  for (const char patch : {'0', '1', '2', '3', '4', '5', '6', '7'}) {
    if (text.find(std::string("v4.1.") + patch) != std::string::npos) return true;
  }
  return false;
}

class Rules : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    folder_.put("rules", text);
    return (folder_.path() / "rules").string();
  }
  std::string probe(const Report& report, bool extend = false) {
    return write(write_openmpi_rules(choose(report, kOpenMpi), {"a test", extend, 99}));
  }

 private:
  Folder folder_;
};

/// A rule from 4096 bytes on, up to 65536, for 2 and 4 ranks.
Report two_and_four() {
  Report report;
  for (const int64_t ranks : {2, 4}) {
    for (const int64_t bytes : {1024, 4096, 65536, 131072}) {
      const bool wins = bytes == 4096 || bytes == 65536;
      report.records.push_back(tuned_record("openmpi:default", ranks, bytes, 10e-6));
      report.records.push_back(
          tuned_record("openmpi:rabenseifner", ranks, bytes, wins ? 5e-6 : 20e-6));
    }
  }
  return report;
}

TEST_F(Rules, AreInForceOnMeasuredSizesAndCommunicatorsOnly) {
  const std::vector<std::string> sizes = {"8",     "1024",   "4095",   "4096",  "4097",
                                          "65536", "131071", "131072", "262144"};
  const Answers answers = ask(sizes, probe(two_and_four()));
  for (const auto& [where, said] : answers) {
    const auto [ranks, bytes] = where;
    const bool in_force = (ranks == 2 || ranks == 4) && bytes >= 4096 && bytes < 131072;
    EXPECT_EQ(said != 0, in_force) << ranks << " ranks, " << bytes << " bytes";
  }
}

TEST_F(Rules, BeyondTheLargestMeasuredSizeOpenMpiDecides) {
  Report report;
  report.records = {tuned_record("openmpi:default", 4, 4096, 10e-6),
                    tuned_record("openmpi:ring", 4, 4096, 5e-6)};
  const Answers strict = ask({"4095", "4096", "4097", "65536"}, probe(report));
  const Answers extended = ask({"4095", "4096", "4097", "65536"}, probe(report, true));
  for (const auto& [where, said] : strict) {
    const auto [ranks, bytes] = where;
    EXPECT_EQ(said != 0, ranks == 4 && bytes == 4096) << ranks << " ranks, " << bytes << " bytes";
    EXPECT_EQ(extended.at(where) != 0, ranks >= 4 && bytes >= 4096)
        << ranks << " ranks, " << bytes << " bytes";
  }
}

TEST_F(Rules, WithTheRealNumbersEverySizeWorks) {
  const std::string rules =
      write(write_openmpi_rules(choose(openmpi_report(), kOpenMpi), {"a test", false, {}}));
  for (const auto& [where, said] : ask({"1024", "4096", "65536", "1048576", "2097152"}, rules)) {
    EXPECT_EQ(said, 0) << where.first << " ranks, " << where.second << " bytes";
  }
}

TEST_F(Rules, EveryNameHasTheNumberOfOpenMpi) {
  const ChildResult info =
      run_child({"ompi_info", "--param", "coll", "tuned", "--level", "9"}, {}, 60);
  if (info.exit_code != 0) GTEST_SKIP() << "no ompi_info: " << info.output;
  const std::vector<std::string> names = openmpi_names();
  const size_t at = info.output.find("\"coll_tuned_allreduce_algorithm\"");
  ASSERT_NE(at, std::string::npos);
  const std::string values = info.output.substr(info.output.find("Valid values:", at), 300);
  for (const std::string& name : names) {
    std::string theirs = name;
    std::replace(theirs.begin(), theirs.end(), '-', '_');
    const std::string entry =
        std::to_string(openmpi_number(name).value_or(-1)) + ":\"" + theirs + "\"";
    EXPECT_NE(values.find(entry), std::string::npos) << entry << " is not in " << values;
  }
}

/// The traps that the file avoids: each makes Open MPI ignore the rules, or use them elsewhere.
TEST_F(Rules, TrapsThatTheFileAvoidsAreReal) {
  const std::string good = "1 2 2  0 1 0 0 0 0  4 2 0 0 0 0 4096 99 0 0\n";
  EXPECT_NE((ask({"4096"}, write(good)).at({4, 4096})), 0);
  EXPECT_EQ((ask({"4096"}, write(good), "0").at({4, 4096})), 0) << "rules are not enabled";
  if (ignores_version_lines()) {
    EXPECT_EQ((ask({"4096"}, write("rule-file-version-1\n" + good)).at({4, 4096})), 0)
        << "a version line";
  }
  EXPECT_EQ((ask({"4096"}, write("1 2 1  4 1 4096 99 0 0\n")).at({4, 4096})), 0)
      << "no rule for size 0";
  const Answers no_floor = ask({"4096"}, write("1 2 1  4 2 0 0 0 0 4096 99 0 0\n"));
  EXPECT_NE((no_floor.at({2, 4096})), 0) << "the first block serves smaller communicators";
  EXPECT_NE((no_floor.at({5, 4096})), 0) << "the last block serves larger communicators";
}

TEST_F(Rules, OnlyWarnedOfAlgorithmsMisorderOperationsThatDoNotCommute) {
  for (const std::string& name : openmpi_names()) {
    Report report;
    report.records = {tuned_record("openmpi:default", 4, 512, 10e-6),
                      tuned_record("openmpi:" + name, 4, 512, 5e-6)};
    const auto tunings = choose(report, kOpenMpi);
    const Answers answers =
        ask({"order", "512"}, write(write_openmpi_rules(tunings, {"", false, {}})), "1", 4);
    EXPECT_TRUE((answers.at({4, 512})) == 1 || needs_commutative(tunings.at(0))) << name;
    EXPECT_EQ((answers.at({3, 512})), 1) << name << ": no rule is in force";
    RecordProperty(name, answers.at({4, 512}) == 1 ? "keeps the order" : "misorders");
  }
}

}  // namespace
}  // namespace arb
