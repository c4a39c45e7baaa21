#include <gtest/gtest.h>

#include "bench/cli.hpp"
#include "bench/files.hpp"
#include "bench/tune_command.hpp"
#include "bench/tune_effect.hpp"
#include "refusal.hpp"
#include "reports/json.hpp"
#include "reports/tune/nccl.hpp"
#include "reports/tune/openmpi.hpp"
#include "tests/bench/folder.hpp"
#include "tests/reports/tune_report.hpp"

namespace arb {
namespace {

class Tune : public testing::Test {
 protected:
  Tune() {
    folder_.put("openmpi.json", write_json(openmpi_report()));
    folder_.put("nccl.json", write_json(nccl_report()));
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Words that begin with @ are files of the test's folder.
  int tune(std::vector<std::string> words) {
    for (std::string& word : words) {
      if (word[0] == '@') word = path(word.substr(1));
    }
    words.insert(words.begin(), "tune");
    const auto line = parse_command_line(words, known_algorithms());
    testing::internal::CaptureStdout();
    int code = -1;
    try {
      code = run_tune(line.options);
    } catch (const Error&) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    out_ = testing::internal::GetCapturedStdout();
    return code;
  }
  void expect_exit_2(const std::vector<std::string>& words, const std::vector<std::string>& said) {
    SCOPED_TRACE(said.front());
    expect_usage([&] { tune(words); }, said);
  }

  Folder folder_;
  std::string out_;
};

TEST_F(Tune, WritesRulesAndSaysHowToUseThem) {
  EXPECT_EQ(tune({"@openmpi.json", "--openmpi", "@rules"}), 0);
  const std::string rules = read_file(path("rules")).value_or("");
  EXPECT_NE(rules.find("\n1048576 4 0 0  # 1 MiB: ring, x1.50\n"), std::string::npos) << rules;
  EXPECT_NE(rules.find("from openmpi.json"), std::string::npos) << rules;
  EXPECT_NE(out_.find("recursive-doubling   x1.60 to x2.00"), std::string::npos) << out_;
  EXPECT_NE(out_.find("--mca coll_tuned_use_dynamic_rules 1 "
                      "--mca coll_tuned_dynamic_rules_filename " +
                      path("rules")),
            std::string::npos)
      << out_;
  EXPECT_NE(out_.find("do not commute"), std::string::npos) << out_;
}

TEST_F(Tune, ExtendsRulesWhenAsked) {
  EXPECT_EQ(tune({"@openmpi.json", "--openmpi", "@rules", "--extend"}), 0);
  EXPECT_EQ(read_file(path("rules")).value_or("").find("1048577"), std::string::npos);
}

TEST_F(Tune, WritesBothFilesForNccl) {
  EXPECT_EQ(tune({"@nccl.json", "--nccl-tuner", "@tuner.conf", "--nccl-csv", "@all.csv",
                  "--channels", "16"}),
            0);
  EXPECT_NE(read_file(path("tuner.conf")).value_or("").find("nvls,simple,16,1,8"),
            std::string::npos);
  EXPECT_EQ(read_file(path("all.csv")), write_nccl_csv(choose(nccl_report(), kNccl), 16));
  EXPECT_NE(out_.find("NCCL_TUNER_CONFIG_FILE=" + path("tuner.conf")), std::string::npos) << out_;
  EXPECT_NE(out_.find("1 channel"), std::string::npos) << out_;
}

TEST_F(Tune, SaysWhenOpenMpisOwnChoiceIsNowhereBeaten) {
  Report report;
  report.records = {tuned_record("openmpi:default", 4, 1024, 10e-6),
                    tuned_record("openmpi:ring", 4, 1024, 20e-6)};
  folder_.put("beaten.json", write_json(report));
  EXPECT_EQ(tune({"@beaten.json", "--openmpi", "@rules", "--verify", "false"}), 0);
  EXPECT_NE(out_.find("nowhere beaten"), std::string::npos) << out_;
  EXPECT_NE(out_.find("Nothing to verify"), std::string::npos) << out_;
}

TEST_F(Tune, RefusesWhatItCannotDo) {
  expect_exit_2({"--openmpi", "@rules"}, {"which report?"});
  expect_exit_2({"@openmpi.json", "@nccl.json", "--openmpi", "@rules"}, {"more than one report"});
  expect_exit_2({"@openmpi.json"}, {"nothing to write", "--openmpi FILE"});
  expect_exit_2({"@nccl.json", "--nccl-tuner", "@x"}, {"--channels N is missing", "1"});
  expect_exit_2({"@nccl.json", "--nccl-csv", "@x"}, {"--channels N is missing"});
  expect_exit_2({"@openmpi.json", "--openmpi", "@x", "--channels", "2"}, {"--channels"});
  expect_exit_2({"@nccl.json", "--nccl-csv", "@x", "--channels", "2", "--verify", "mpirun"},
                {"--verify", "--openmpi FILE"});
  expect_exit_2({"@openmpi.json", "--openmpi", "@no/folder"}, {"no folder"});
  expect_exit_2({"@openmpi.json", "--openmpi", "@rules", "--verify", " "}, {"no launcher"});
}

TEST_F(Tune, RefusesReportsWithNothingToTune) {
  expect_exit_2({"@absent.json", "--openmpi", "@rules"}, {"absent.json", "cannot be read"});
  folder_.put("broken.json", "{}");
  expect_exit_2({"@broken.json", "--openmpi", "@rules"}, {"broken.json", "schema_version"});
  expect_exit_2({"@nccl.json", "--openmpi", "@rules"},
                {"nothing to tune for Open MPI",
                 "mpirun -np 4 allreduce-bench --algorithms openmpi:default,openmpi:basic-linear"});
  expect_exit_2({"@openmpi.json", "--nccl-csv", "@x", "--channels", "1"},
                {"nothing to tune for NCCL", "nccl:default"});
  Report noisy = openmpi_report();
  for (Record& record : noisy.records) record.flags = {"noisy"};
  folder_.put("noisy.json", write_json(noisy));
  expect_exit_2({"@noisy.json", "--openmpi", "@rules"}, {"18 records not used: flag 'noisy'"});
  EXPECT_FALSE(read_file(path("rules")).has_value()) << "nothing was tuned, but a file is there";
}

TEST(TuneSubjects, AreTheRangesWithRules) {
  const auto subjects = subjects_of(choose(openmpi_report(), kOpenMpi));
  ASSERT_EQ(subjects.size(), 3U);
  EXPECT_EQ(subjects[0].ranks, 2);
  EXPECT_EQ(subjects[1].sizes, (std::vector<int64_t>{4096, 65536}));
  const Medians without = {{{4, 4096}, 4e-6}, {{4, 65536}, 9e-6}};
  const Medians with = {{{4, 4096}, 2e-6}, {{4, 65536}, 4.5e-6}};
  const std::vector<Pair> pairs(6, Pair{without, with});
  const Effect effect = effect_on(subjects[1], pairs);
  EXPECT_DOUBLE_EQ(effect.ratio, 2);
  EXPECT_EQ(effect_text(subjects[1], effect),
            "4 ranks, 4 KiB to 64 KiB, recursive-doubling: faster x2.00 [2.00, 2.00]");
  expect_refused([&] { effect_on(subjects[2], pairs); }, ErrorKind::kEnvironment,
                 {"did not measure 1 MiB on 4 ranks"});
}

}  // namespace
}  // namespace arb
