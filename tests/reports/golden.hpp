// Texts that are kept in tests/golden; ARB_UPDATE_GOLDEN=1 writes the files anew.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace arb {

inline void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(ARB_SOURCE_DIR) + "/tests/golden/" + file;
  if (std::getenv("ARB_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream stream(path, std::ios::binary);
  ASSERT_TRUE(stream) << path << " is missing; run with ARB_UPDATE_GOLDEN=1 and look at it";
  std::stringstream golden;
  golden << stream.rdbuf();
  EXPECT_EQ(text, golden.str()) << "if this change is wanted, run with ARB_UPDATE_GOLDEN=1";
}

}  // namespace arb
