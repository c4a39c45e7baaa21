#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "verify/check.hpp"
#include "verify/true_result.hpp"

namespace arb {
namespace {

TEST(Guard, EveryChangedByteIsFound) {
  std::vector<unsigned char> guard(kGuardBytes);
  set_guard(guard.data(), guard.size(), 3);
  EXPECT_EQ(changed_guard(guard.data(), guard.size(), 3), -1);
  for (size_t i = 0; i < guard.size(); ++i) {
    guard[i] ^= 1;
    EXPECT_EQ(changed_guard(guard.data(), guard.size(), 3), static_cast<long>(i));
    guard[i] ^= 1;
  }
  EXPECT_GE(changed_guard(guard.data(), guard.size(), 4), 0) << "another buffer's guard is seen";
}

TEST(Guard, ConstantBytesAreNoGuard) {
  std::vector<unsigned char> guard(kGuardBytes);
  for (int value = 0; value < 256; ++value) {
    std::memset(guard.data(), value, guard.size());
    EXPECT_GE(changed_guard(guard.data(), guard.size(), 0), 0);
  }
}

template <class T>
void expect_quiet_nan() {
  T values[3];
  poison(values, sizeof values);
  for (const T value : values) {
    EXPECT_TRUE(std::isnan(to_double(value)));
    EXPECT_NE(FloatBits<T>::of(value) & (FloatBits<T>::kQuietNan ^ FloatBits<T>::kInfinity), 0U);
  }
}

TEST(Poison, IsAQuietNanInEveryFloatType) {
  expect_quiet_nan<Float16>();
  expect_quiet_nan<Bfloat16>();
  expect_quiet_nan<float>();
  expect_quiet_nan<double>();
}

TEST(Verdict, MergeAddsCountsAndKeepsTheFirstFailure) {
  const Verdict late{.wrong = 2, .check = "exact", .rank = 1, .index = 3, .max_error_ratio = 0.5};
  const Verdict early{
      .wrong = 5, .check = "oracle", .rank = 0, .index = 9, .max_error_ratio = 0.25};
  for (const bool swapped : {false, true}) {
    Verdict verdict;
    verdict.merge(swapped ? early : late);
    verdict.merge({.max_error_ratio = 0.125});
    verdict.merge(swapped ? late : early);
    EXPECT_EQ(verdict.wrong, 7);
    EXPECT_EQ(verdict.check, "oracle");
    EXPECT_EQ(verdict.rank, 0);
    EXPECT_EQ(verdict.index, 9);
    EXPECT_EQ(verdict.max_error_ratio, 0.5);
  }
  Verdict fine;
  fine.merge({.max_error_ratio = 0.75});
  EXPECT_TRUE(fine.ok());
  EXPECT_EQ(fine.max_error_ratio, 0.75);
}

}  // namespace
}  // namespace arb
