// The text form of faults.
#include <gtest/gtest.h>

#include "collectives/error.hpp"
#include "verify/inject.hpp"

namespace arb {
namespace {

TEST(Fault, EveryNameIsParsed) {
  EXPECT_EQ(fault_names().size(), 13U);
  for (const std::string& name : fault_names()) {
    const Fault fault = parse_fault(name == "delay"  ? "delay:seconds=1"
                                    : name == "slow" ? "slow:share=0.1"
                                                     : name);
    EXPECT_NE(fault.kind, FaultKind::kNothing) << name;
    EXPECT_EQ(fault.rank, 0);
  }
}

TEST(Fault, ArgumentsAreParsed) {
  const Fault stall = parse_fault("stall:rank=1,iteration=2");
  EXPECT_EQ(stall.kind, FaultKind::kStall);
  EXPECT_EQ(stall.rank, 1);
  EXPECT_EQ(stall.iteration, 2);
  const Fault delay = parse_fault("delay:rank=1,seconds=0.002,every=50");
  EXPECT_EQ(delay.kind, FaultKind::kDelay);
  EXPECT_EQ(delay.rank, 1);
  EXPECT_EQ(delay.iteration, 50);
  EXPECT_EQ(delay.seconds, 0.002);
  EXPECT_EQ(parse_fault("delay:seconds=1e-3").iteration, 1);
  EXPECT_EQ(parse_fault("nan:rank=3").rank, 3);
  const Fault slow = parse_fault("slow:share=0.1,rank=2");
  EXPECT_EQ(slow.kind, FaultKind::kSlow);
  EXPECT_EQ(slow.rank, 2);
  EXPECT_EQ(slow.share, 0.1);
  EXPECT_EQ(parse_fault("slow:share=0.1").rank, 0);
}

TEST(Fault, AnythingElseIsRefusedWithTheValidList) {
  for (const char* text : {"",
                           "nna",
                           "nan ",
                           "Nan",
                           "nan:",
                           "nan:rank",
                           "nan:rank=",
                           "nan:rank=x",
                           "nan:rank=1x",
                           "nan:rank=-1",
                           "nan:rank=1,rank=1",
                           "nan:rank=1,",
                           "nan:iteration=1",
                           "stale:rank=1",
                           "stall:rank=1;iteration=2",
                           "stall:rank=1,iteration=-1",
                           "stall:seconds=1",
                           "delay",
                           "delay:seconds=0",
                           "delay:seconds=nan",
                           "delay:seconds=-1",
                           "delay:seconds=inf",
                           "delay:seconds=1,every=0",
                           "delay:seconds=1, every=2",
                           "slow",
                           "slow:rank=1",
                           "slow:share=0",
                           "slow:share=-0.1",
                           "slow:share=nan",
                           "slow:share=101",
                           "slow:share=10%",
                           "slow:share=0.1,every=2",
                           "stall:rank=99999999999"}) {
    try {
      parse_fault(text);
      ADD_FAILURE() << '"' << text << "\" was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      const std::string message = error.what();
      EXPECT_NE(message.find('"' + std::string(text) + '"'), std::string::npos) << message;
      for (const std::string& name : fault_names()) {
        EXPECT_NE(message.find(name), std::string::npos) << message;
      }
    }
  }
}

}  // namespace
}  // namespace arb
