// `tune --verify` against a stand-in for the program, under the real mpirun.
#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/cli.hpp"
#include "bench/tune_command.hpp"
#include "collectives/error.hpp"
#include "reports/json.hpp"
#include "tests/bench/folder.hpp"
#include "tests/reports/tune_report.hpp"

namespace arb {
namespace {

/// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class Verify : public testing::Test {
 protected:
  Verify() { folder_.put("report.json", write_json(openmpi_report())); }

  int tune(int processes, const std::string& more = "") {
    const std::string launcher =
        std::string(ARB_MPIRUN) + " -np " + std::to_string(processes) + more;
    testing::internal::CaptureStdout();
    try {
      const auto line =
          parse_command_line({"tune", path("report.json"), "--openmpi", path("rules"), "--verify",
                              launcher, "--verify-program", ARB_RULES_STAND_IN},
                             known_algorithms());
      code_ = run_tune(line.options);
    } catch (const Error& error) {
      code_ = -1;
      said_ = error.what();
    }
    out_ = testing::internal::GetCapturedStdout();
    return code_;
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  bool prints(const std::string& words) const { return out_.find(words) != std::string::npos; }

  Folder folder_;
  int code_ = 0;
  std::string out_, said_;
};

TEST_F(Verify, RulesThatHelp) {
  const Variable factor("ARB_STAND_IN_FACTOR", "0.5");
  EXPECT_EQ(tune(4), 0) << out_ << said_;
  EXPECT_TRUE(prints("read by Open MPI: yes")) << out_;
  EXPECT_TRUE(prints("not verified: rules for 2 ranks")) << out_;
  EXPECT_TRUE(prints("4 ranks, 4 KiB to 64 KiB, recursive-doubling: faster x2.00")) << out_;
  EXPECT_TRUE(prints("4 ranks, 1 MiB, ring: faster x2.00")) << out_;
}

TEST_F(Verify, RulesThatHurtFail) {
  const Variable factor("ARB_STAND_IN_FACTOR", "1.25");
  EXPECT_EQ(tune(4), 1) << out_ << said_;
  EXPECT_TRUE(prints("ring: SLOWER x0.80")) << out_;
}

TEST_F(Verify, RulesWithoutEffectPass) {
  const Variable factor("ARB_STAND_IN_FACTOR", "1");
  EXPECT_EQ(tune(2), 0) << out_ << said_;
  EXPECT_TRUE(prints("2 ranks, 4 KiB, rabenseifner: equal x1.00")) << out_;
}

TEST_F(Verify, RealTimesGetAVerdict) {
  const int code = tune(4);
  EXPECT_TRUE(code == 0 || code == 1) << out_ << said_;
  EXPECT_TRUE(prints("4 ranks, 1 MiB, ring: ")) << out_;
}

TEST_F(Verify, AFileThatIsNotReadIsFound) {
  const Variable factor("ARB_STAND_IN_FACTOR", "0.5");
  EXPECT_EQ(tune(4, " --mca coll_tuned_use_dynamic_rules 0"), 1) << out_ << said_;
  EXPECT_TRUE(prints("read by Open MPI: NO")) << out_;
  EXPECT_FALSE(prints("faster")) << out_;
}

TEST_F(Verify, WrongResultsAreExit3) {
  const Variable wrong("ARB_STAND_IN_WRONG", "rules");
  EXPECT_EQ(tune(4), 3) << out_ << said_;
  EXPECT_TRUE(prints("WRONG results with the rules")) << out_;
}

TEST_F(Verify, WrongResultsWithoutTheRulesLeaveNothingToCompareWith) {
  const Variable wrong("ARB_STAND_IN_WRONG", "always");
  EXPECT_EQ(tune(4), -1) << out_;
  EXPECT_NE(said_.find("without the rules"), std::string::npos) << said_;
}

TEST_F(Verify, ALauncherWithoutRulesOfItsOwnIsRefused) {
  const Variable factor("ARB_STAND_IN_FACTOR", "0.5");
  EXPECT_EQ(tune(3), -1) << out_;
  EXPECT_NE(said_.find("it measured 3 ranks, the rules are for 2, 4"), std::string::npos) << said_;
}

TEST_F(Verify, ALauncherThatIsNotThereIsTheEnvironmentsFault) {
  const auto line = parse_command_line({"tune", path("report.json"), "--openmpi", path("rules"),
                                        "--verify", "no-such-launcher -np 4"},
                                       known_algorithms());
  try {
    run_tune(line.options);
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("no-such-launcher"), std::string::npos);
  }
}

}  // namespace
}  // namespace arb
