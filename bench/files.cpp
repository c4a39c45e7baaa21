#include "bench/files.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace arb {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;  // reading it would throw
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return text;
}

std::optional<std::string> read_line(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::optional<uint64_t> to_number(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<uint64_t> number_of(std::string_view text, std::string_view key) {
  for (const std::string& line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() >= 2 && words[0] == key) return to_number(words[1]);
  }
  return std::nullopt;
}

}  // namespace arb
