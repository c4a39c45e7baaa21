#include "tests/lab/switch/lateness.hpp"

#include <gtest/gtest.h>

namespace arb::lab {
namespace {

TEST(Lateness, nothing_was_late_before_anything_was_delivered) {
  const Lateness lateness;
  EXPECT_EQ(lateness.count(), 0u);
  EXPECT_EQ(lateness.mean(), 0);
  EXPECT_EQ(lateness.quantile(0.99), 0);
}

TEST(Lateness, mean_and_maximum_are_exact) {
  Lateness lateness;
  for (const Nanoseconds late : {10, 20, 1'000'000}) lateness.add(late);
  EXPECT_EQ(lateness.count(), 3u);
  EXPECT_DOUBLE_EQ(lateness.mean(), 1'000'030 / 3.0);
  EXPECT_EQ(lateness.max(), 1'000'000);
}

TEST(Lateness, quantiles_are_at_most_an_eighth_too_large) {
  Lateness lateness;
  for (Nanoseconds late = 1; late <= 100'000; ++late) lateness.add(late);
  for (const double share : {0.00001, 0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double truth = share * 100'000;
    const auto found = static_cast<double>(lateness.quantile(share));
    EXPECT_GE(found, truth) << share;
    EXPECT_LE(found, truth * 1.125) << share;
  }
}

TEST(Lateness, one_value_is_every_quantile_whatever_its_size) {
  for (Nanoseconds late = 1; late > 0; late = late > 1'000'000'000'000'000 ? 0 : late * 3) {
    Lateness lateness;
    lateness.add(late);
    EXPECT_EQ(lateness.quantile(0.5), late);
    EXPECT_EQ(lateness.quantile(1), late);
  }
}

}  // namespace
}  // namespace arb::lab
