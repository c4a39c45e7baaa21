// What a mistyped word was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace arb {

/// Edits (insert, drop, replace, swap neighbours) that turn `a` into `b`, case ignored.
size_t edit_distance(std::string_view a, std::string_view b);

/// The choice nearest to `word`; nullopt if none is near enough to be worth saying.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices);

/// "; did you mean 'sum'?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> choices);

}  // namespace arb
