// What a call refuses with; tests compare kinds and words.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "collectives/error.hpp"

namespace arb {

template <typename Call>
std::optional<Error> refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

template <typename Call>
void expect_refused(const Call& call, ErrorKind kind, const std::vector<std::string>& words) {
  const auto error = refusal(call);
  ASSERT_TRUE(error.has_value()) << "nothing was refused; wanted: " << words.front();
  EXPECT_EQ(error->kind(), kind) << error->what();
  for (const std::string& word : words) {
    EXPECT_NE(std::string(error->what()).find(word), std::string::npos)
        << "no '" << word << "' in: " << error->what();
  }
}

template <typename Call>
void expect_usage(const Call& call, const std::vector<std::string>& words) {
  expect_refused(call, ErrorKind::kUsage, words);
}

}  // namespace arb
