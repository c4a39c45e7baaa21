#include "reports/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace arb {
namespace {

TEST(EditDistance, CountsInsertsDropsReplacesAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("ring", "ring"), 0U);
  EXPECT_EQ(edit_distance("rnig", "ring"), 1U);
  EXPECT_EQ(edit_distance("RING", "ring"), 0U);
  EXPECT_EQ(edit_distance("summ", "sum"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, FindsTypingErrorsAndLeavesStrangersAlone) {
  const std::vector<std::string> choices = {"sum", "prod", "min", "max", "avg"};
  EXPECT_EQ(nearest("summ", choices), "sum");
  EXPECT_EQ(nearest("mx", choices), "max");
  EXPECT_EQ(nearest("zebra", choices), std::nullopt);
  EXPECT_EQ(nearest("sum", {}), std::nullopt);
  const std::vector<std::string> options = {"--op", "--sizes"};
  EXPECT_EQ(nearest("--nope", options), std::nullopt);
  EXPECT_EQ(nearest("--sizse", options), "--sizes");
  EXPECT_EQ(did_you_mean("porduct", choices), "");
  EXPECT_EQ(did_you_mean("prdo", choices), "; did you mean 'prod'?");
}

}  // namespace
}  // namespace arb
