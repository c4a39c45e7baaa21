// Strict readers of option values. A value is understood whole or refused with Error{kUsage}, in
// words that name the option, the value and the remedy; no default is ever taken for a bad one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arb {

struct Argument {
  std::string option;  // as it was typed: "-n", "--iterations"
  std::string value;
};

[[noreturn]] void reject(const Argument& argument, const std::string& why);

/// A plain decimal whole number within [min, max].
int64_t read_integer(const Argument& argument, int64_t min, int64_t max);
int read_int(const Argument& argument, int min, int max);
uint64_t read_seed(const Argument& argument);

/// "2%" or "0.02" -> 0.02; above 0 and below 1.
double read_share(const Argument& argument);

/// "0.5s", "500ms", "200us", "2min", "1h" or "30" (seconds) -> seconds above 0.
double read_seconds(const Argument& argument);

/// "a,b,c" -> its items, none of them empty.
std::vector<Argument> read_list(const Argument& argument);

/// The shortest text without an exponent that reads back as the same number. `value` must be
/// finite.
std::string plain_decimal(double value);

/// One of `choices`, or the refusal lists them and the nearest. `what`: "operation".
std::string read_choice(const Argument& argument, std::string_view what,
                        std::span<const std::string> choices);
[[noreturn]] void reject_choice(const Argument& argument, std::string_view what,
                                std::span<const std::string> choices);

}  // namespace arb
