#include "bench/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "bench/sizes.hpp"

namespace arb {

namespace {

// More rows than this are asked for only by mistake: each costs a good part of a second.
constexpr size_t kMostSizes = 10000;

double read_factor(const Argument& argument) {
  double factor = 0;
  const std::string& text = argument.value;
  const char* end = text.data() + text.size();
  const bool digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
  const auto [rest, error] = std::from_chars(text.data(), end, factor, std::chars_format::fixed);
  if (!digit || error != std::errc() || rest != end || !std::isfinite(factor) || factor <= 1) {
    reject(argument, "a factor is a decimal number above 1, like 2 or 1.5");
  }
  return factor;
}

uint64_t read_step(const Argument& argument) {
  const uint64_t step = read_size(argument);
  if (step == 0) reject(argument, "a step of 0 would never end; give at least 1B");
  return step;
}

/// `blamed`: what to name if there are too many sizes.
template <typename Next>
std::vector<uint64_t> walk(const Argument& blamed, uint64_t first, uint64_t last, Next next) {
  std::vector<uint64_t> sizes;
  std::optional<uint64_t> size = first;
  while (size && *size <= last) {
    if (sizes.empty() || *size > sizes.back()) sizes.push_back(*size);
    if (sizes.size() > kMostSizes) {
      reject(blamed, fmt::format("gives more than {} sizes; take a larger step", kMostSizes));
    }
    size = next(*size);
  }
  return sizes;
}

std::vector<uint64_t> by_step(const Argument& blamed, uint64_t first, uint64_t last,
                              uint64_t step) {
  return walk(blamed, first, last, [=](uint64_t size) -> std::optional<uint64_t> {
    if (size > kLargestSize - std::min(step, kLargestSize)) return std::nullopt;
    return size + step;
  });
}

std::vector<uint64_t> by_factor(const Argument& blamed, uint64_t first, uint64_t last,
                                double factor) {
  if (factor == std::floor(factor) && factor <= static_cast<double>(uint64_t{1} << 32)) {
    const auto whole = static_cast<uint64_t>(factor);
    return walk(blamed, first, last, [=](uint64_t size) -> std::optional<uint64_t> {
      if (size == 0) return 1;
      if (size > kLargestSize / whole) return std::nullopt;
      return size * whole;
    });
  }
  // Carried unrounded, so that 8 by 1.5 is 8, 12, 18, 27, 40 (40.5), 60 (60.75).
  long double exact = static_cast<long double>(first);
  return walk(blamed, first, last, [=](uint64_t size) mutable -> std::optional<uint64_t> {
    exact = size == 0 ? 1.0L : exact * static_cast<long double>(factor);
    if (exact > static_cast<long double>(kLargestSize)) return std::nullopt;
    return static_cast<uint64_t>(exact);
  });
}

struct Bounds {
  uint64_t first, last;
};

std::vector<uint64_t> spread(const SizeArguments& arguments, const Argument& range, Bounds bounds,
                             std::optional<Argument> factor) {
  if (factor && arguments.factor) {
    reject(range, "has a factor of its own; drop " + arguments.factor->option);
  }
  if (!factor) factor = arguments.factor;
  if (arguments.step && factor) {
    reject(*arguments.step, "a step and a factor exclude each other; drop one");
  }
  if (arguments.step) {
    return by_step(*arguments.step, bounds.first, bounds.last, read_step(*arguments.step));
  }
  if (!factor) return by_factor(range, bounds.first, bounds.last, 2);
  return by_factor(*factor, bounds.first, bounds.last, read_factor(*factor));
}

std::vector<uint64_t> read_range(const SizeArguments& arguments) {
  const Argument& range = *arguments.sizes;
  std::vector<Argument> parts;
  size_t begin = 0;
  for (size_t colon = 0; colon != std::string::npos; begin = colon + 1) {
    colon = range.value.find(':', begin);
    const size_t length = colon == std::string::npos ? colon : colon - begin;
    parts.push_back({range.option, range.value.substr(begin, length)});
  }
  if (parts.size() > 3) reject(range, "a range is FIRST:LAST or FIRST:LAST:FACTOR, like 8B:4GB:4");
  const Bounds bounds{read_size(parts[0]), read_size(parts[1])};
  if (bounds.last < bounds.first) {
    reject(range, "ends below where it begins; write the smaller size first");
  }
  std::optional<Argument> factor;
  if (parts.size() == 3) factor = parts[2];
  return spread(arguments, range, bounds, factor);
}

std::vector<uint64_t> read_size_list(const SizeArguments& arguments) {
  const auto& idle = arguments.factor ? arguments.factor : arguments.step;
  if (idle) reject(*idle, "has no effect on a list of sizes; write a range like 8B:4GB");
  std::vector<uint64_t> sizes;
  for (const Argument& item : read_list(*arguments.sizes)) sizes.push_back(read_size(item));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Bounds read_bounds(const SizeArguments& arguments) {
  Bounds bounds{kDefaultFirstBytes, kDefaultLastBytes};
  if (arguments.begin) bounds.first = read_size(*arguments.begin);
  if (arguments.end) bounds.last = read_size(*arguments.end);
  if (bounds.last >= bounds.first) return bounds;
  if (!arguments.end) {
    reject(*arguments.begin, fmt::format("above the default last size {}; give -e too",
                                         format_size(kDefaultLastBytes)));
  }
  if (!arguments.begin) {
    reject(*arguments.end, fmt::format("below the default first size {}; give -b too",
                                       format_size(kDefaultFirstBytes)));
  }
  reject(*arguments.end, fmt::format("below the first size {} {}; swap them",
                                     arguments.begin->option, arguments.begin->value));
}

}  // namespace

std::vector<uint64_t> read_sizes(const SizeArguments& arguments) {
  if (arguments.sizes) {
    const auto& other = arguments.begin ? arguments.begin : arguments.end;
    if (other) {
      reject(*other,
             fmt::format("cannot be combined with {}; use one of the two ways to give sizes",
                         arguments.sizes->option));
    }
    const bool range = arguments.sizes->value.find(':') != std::string::npos;
    return range ? read_range(arguments) : read_size_list(arguments);
  }
  const Argument blamed = arguments.end     ? *arguments.end
                          : arguments.begin ? *arguments.begin
                                            : Argument{"--sizes", "8B:64MB"};
  return spread(arguments, blamed, read_bounds(arguments), std::nullopt);
}

}  // namespace arb
