// Small files of /proc and /sys: read whole, gently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arb {

/// The program that runs, to start it again.
std::filesystem::path own_program();

/// nullopt if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Without the newline at the end.
std::optional<std::string> read_line(const std::filesystem::path& path);

std::vector<std::string> lines_of(std::string_view text);
std::vector<std::string> words_of(std::string_view text);

/// A decimal number and nothing else.
std::optional<uint64_t> to_number(std::string_view text);

/// The number behind `key` in lines like "MemAvailable:   123 kB" or "inactive_file 123".
std::optional<uint64_t> number_of(std::string_view text, std::string_view key);

}  // namespace arb
