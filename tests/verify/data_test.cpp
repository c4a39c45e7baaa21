#include "verify/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "collectives/ops/kernels.hpp"
#include "collectives/ops/operators.hpp"
#include "collectives/ops/visit.hpp"
#include "tests/verify/message.hpp"
#include "verify/true_result.hpp"

namespace arb {
namespace {

using Bytes = std::vector<std::byte>;

Bytes make(const DataSpec& spec, int rank, size_t first, size_t count) {
  Bytes result(count * size_of(spec.dtype));
  generate(spec, rank, first, count, result.data());
  return result;
}

std::string text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reduces random pairs until one is left: a random tree over shuffled ranks.
Bytes reduce_shuffled(const DataSpec& spec, size_t count, unsigned shuffle) {
  std::mt19937 random(shuffle);
  std::vector<Bytes> values;
  values.reserve(static_cast<size_t>(spec.ranks));
  for (int rank = 0; rank < spec.ranks; ++rank) values.push_back(make(spec, rank, 0, count));
  const Kernels kernel = kernels(spec.dtype, spec.op);
  while (values.size() > 1) {
    std::swap(values[random() % values.size()], values.back());
    const Bytes taken = std::move(values.back());
    values.pop_back();
    Bytes& other = values[random() % values.size()];
    kernel.reduce(other.data(), taken.data(), other.data(), count);
  }
  if (kernel.finish != nullptr) kernel.finish(values[0].data(), count, spec.ranks);
  return values[0];
}

std::vector<DataSpec> all_specs(DataKind kind, const std::vector<int>& rank_counts) {
  std::vector<DataSpec> specs;
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      if (unsupported(dtype, op)) continue;
      for (const int ranks : rank_counts) specs.push_back({kind, dtype, op, ranks, 12345});
    }
  }
  return specs;
}

std::vector<double> reals(const DataSpec& spec, const Bytes& bytes) {
  return visit(spec.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    std::vector<double> result;
    result.reserve(values.size());
    for (const T value : values) result.push_back(to_double(value));
    return result;
  });
}

TEST(ExactData, EveryOrderGivesTheSameBits) {
  auto specs = all_specs(DataKind::kExact, {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 64});
  // More ranks than the significand can count: most ranks hold zeros.
  for (const Op op : {Op::kSum, Op::kAvg, Op::kProd}) {
    specs.push_back({DataKind::kExact, Dtype::kBfloat16, op, 300, 1});
    specs.push_back({DataKind::kExact, Dtype::kFloat16, op, 2100, 1});
  }
  for (const DataSpec& spec : specs) {
    const size_t count = spec.ranks > 64 ? 200 : 1001;
    const Bytes first = reduce_shuffled(spec, count, 0);
    for (unsigned shuffle = 1; shuffle < 4; ++shuffle) {
      ASSERT_TRUE(reduce_shuffled(spec, count, shuffle) == first) << test::label(spec);
    }
    for (const double value : reals(spec, first)) {
      ASSERT_TRUE(std::isfinite(value)) << test::label(spec);
    }
  }
}

TEST(ExactData, MagnitudesOfAllRanksTogetherFitTheSignificand) {
  for (const DataSpec& spec : all_specs(DataKind::kExact, {1, 2, 3, 7, 8, 9, 64, 300})) {
    if (!is_float(spec.dtype) || spec.op != Op::kSum) continue;
    const int bits = spec.dtype == Dtype::kFloat16    ? 11
                     : spec.dtype == Dtype::kBfloat16 ? 8
                     : spec.dtype == Dtype::kFloat32  ? 24
                                                      : 53;
    constexpr size_t kCount = 500;
    std::vector<double> total(kCount);
    bool negative = false;
    bool positive = false;
    for (int rank = 0; rank < spec.ranks; ++rank) {
      const auto values = reals(spec, make(spec, rank, 0, kCount));
      for (size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(values[i] * 8, std::trunc(values[i] * 8)) << test::label(spec);
        total[i] += std::fabs(values[i] * 8);
        negative |= values[i] < 0;
        positive |= values[i] > 0;
      }
    }
    EXPECT_TRUE(negative && positive) << test::label(spec);
    EXPECT_LT(*std::max_element(total.begin(), total.end()), std::ldexp(1.0, bits));
    EXPECT_GT(*std::max_element(total.begin(), total.end()), 1) << test::label(spec);
  }
}

TEST(Data, DependOnRankIndexAndSeed) {
  for (const DataKind kind : {DataKind::kExact, DataKind::kRandom, DataKind::kExtreme}) {
    for (const DataSpec& spec : all_specs(kind, {1, 2, 4, 64})) {
      std::set<std::string> blocks;
      size_t expected = 0;
      DataSpec next = spec;
      ++next.seed;
      for (int rank = 0; rank < std::min(spec.ranks, 8); ++rank) {
        for (const size_t first :
             {size_t{0}, size_t{1}, size_t{96}, size_t{65536}, size_t{1} << 32}) {
          blocks.insert(text(make(spec, rank, first, 96)));
          blocks.insert(text(make(next, rank, first, 96)));
          expected += 2;
        }
      }
      EXPECT_EQ(blocks.size(), expected) << test::label(spec);
    }
  }
}

TEST(Data, AnyPartCanBeMadeAlone) {
  for (const DataKind kind : {DataKind::kExact, DataKind::kRandom, DataKind::kExtreme}) {
    for (const DataSpec& spec : all_specs(kind, {3})) {
      constexpr size_t kFirst = 65536 * 3 - 50;  // across the seam of two segments
      const Bytes whole = make(spec, 1, kFirst, 100);
      const size_t size = size_of(spec.dtype);
      for (const size_t offset : {0, 1, 49, 50, 51, 99}) {
        const Bytes part = make(spec, 1, kFirst + offset, 100 - offset);
        ASSERT_EQ(std::memcmp(part.data(), whole.data() + offset * size, part.size()), 0)
            << test::label(spec) << " from " << offset;
      }
      EXPECT_TRUE(make(spec, 1, 5, 0).empty());
    }
  }
}

TEST(RandomData, RoundingShowsTheOrder) {
  for (const DataSpec& spec : all_specs(DataKind::kRandom, {3, 8, 64})) {
    if (!is_float(spec.dtype) || spec.op == Op::kMin || spec.op == Op::kMax) continue;
    const Bytes first = reduce_shuffled(spec, 1000, 0);
    bool differs = false;  // of 3 ranks there are but 3 orders
    for (unsigned shuffle = 1; shuffle < 8; ++shuffle) {
      differs = differs || reduce_shuffled(spec, 1000, shuffle) != first;
    }
    EXPECT_TRUE(differs) << test::label(spec);
  }
}

TEST(RandomData, ProductsOfAllRanksStayNormal) {
  for (const DataSpec& spec : all_specs(DataKind::kRandom, {2, 64, 1024})) {
    if (!is_float(spec.dtype) || spec.op != Op::kProd) continue;
    constexpr size_t kCount = 300;
    std::vector<double> largest(kCount, 1);
    std::vector<double> smallest(kCount, 1);
    for (int rank = 0; rank < spec.ranks; ++rank) {
      const auto values = reals(spec, make(spec, rank, 0, kCount));
      for (size_t i = 0; i < kCount; ++i) {
        largest[i] *= std::max(1.0, std::fabs(values[i]));
        smallest[i] *= std::min(1.0, std::fabs(values[i]));
      }
    }
    EXPECT_LT(*std::max_element(largest.begin(), largest.end()), 65504) << test::label(spec);
    EXPECT_GT(*std::min_element(smallest.begin(), smallest.end()), 0x1p-14) << test::label(spec);
  }
}

TEST(RandomData, SumsAreOfMixedSignAndMagnitudeBelowOne) {
  for (const DataSpec& spec : all_specs(DataKind::kRandom, {4})) {
    if (!is_float(spec.dtype) || spec.op != Op::kSum) continue;
    const auto values = reals(spec, make(spec, 0, 0, 10'000));
    const auto count = [&](auto&& predicate) {
      return std::count_if(values.begin(), values.end(), predicate);
    };
    EXPECT_EQ(count([](double x) { return std::fabs(x) > 1; }), 0);
    EXPECT_NEAR(static_cast<double>(count([](double x) { return x < 0; })), 5000, 500);
    EXPECT_GT(count([](double x) { return std::fabs(x) > 0.5; }), 100);
    EXPECT_GT(count([](double x) { return std::fabs(x) < 0x1p-8; }), 100);
  }
}

TEST(ExtremeData, HoldTheLargestHalves) {
  const DataSpec spec{DataKind::kExtreme, Dtype::kFloat16, Op::kSum, 4, 1};
  const auto values = reals(spec, make(spec, 2, 0, 1000));
  EXPECT_NE(std::find(values.begin(), values.end(), 65504.0), values.end());
  EXPECT_NE(std::find(values.begin(), values.end(), -65504.0), values.end());
  for (const double value : values) ASSERT_TRUE(std::isfinite(value));
}

TEST(MinMaxData, AreFiniteOfBothSignsAndNeverZero) {
  for (const DataSpec& spec : all_specs(DataKind::kExact, {2})) {
    if (!is_float(spec.dtype) || spec.op != Op::kMin) continue;
    const auto values = reals(spec, make(spec, 1, 0, 100'000));
    for (const double value : values) ASSERT_TRUE(std::isfinite(value) && value != 0);
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -1e3);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 1e3);
  }
}

}  // namespace
}  // namespace arb
