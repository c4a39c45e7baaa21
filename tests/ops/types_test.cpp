#include "collectives/ops/types.hpp"

#include <gtest/gtest.h>

namespace arb {
namespace {

TEST(Types, NamesReadBack) {
  for (const Dtype dtype : kDtypes) EXPECT_EQ(parse_dtype(name(dtype)), dtype);
  for (const Op op : kOps) EXPECT_EQ(parse_op(name(op)), op);
}

TEST(Types, NamesOfNcclTests) {
  EXPECT_EQ(parse_dtype("float"), Dtype::kFloat32);
  EXPECT_EQ(parse_dtype("double"), Dtype::kFloat64);
  EXPECT_EQ(parse_dtype("half"), Dtype::kFloat16);
  EXPECT_EQ(parse_dtype("bfloat16"), Dtype::kBfloat16);
}

TEST(Types, UnknownNamesAreRefused) {
  for (const char* text : {"flaot", "", "Float", "float ", "float32x", "summ"}) {
    EXPECT_FALSE(parse_dtype(text)) << text;
    EXPECT_FALSE(parse_op(text)) << text;
  }
}

TEST(Types, SizesMatchNames) {
  for (const Dtype dtype : kDtypes) {
    const std::string text(name(dtype));
    const size_t bits = std::stoul(text.substr(text.find_first_of("0123456789")));
    EXPECT_EQ(size_of(dtype) * 8, bits) << text;
    EXPECT_EQ(is_float(dtype), text.find("float") != std::string::npos) << text;
  }
}

TEST(Types, OnlyAverageOfIntegersIsUnsupported) {
  for (const Dtype dtype : kDtypes) {
    for (const Op op : kOps) {
      const auto reason = unsupported(dtype, op);
      EXPECT_EQ(reason.has_value(), op == Op::kAvg && !is_float(dtype));
      if (reason) {
        EXPECT_NE(reason->find(name(dtype)), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace arb
