// The flags that a record may carry, what each means, and what to do about it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arb {

namespace flag {
inline constexpr std::string_view kOversubscribed =
    "oversubscribed";  // more ranks than usable cores
inline constexpr std::string_view kNoisy =
    "noisy";  // not precise enough even with the most samples
inline constexpr std::string_view kTimeCap =
    "time cap";  // not precise enough when the cap of the case came
inline constexpr std::string_view kBusyMachine =
    "busy machine";                                          // others used the processors meanwhile
inline constexpr std::string_view kThrottled = "throttled";  // the clock went down meanwhile
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr std::string_view kOwnTime = "longest rank";  // fewer samples than wanted
}  // namespace flag

struct Remedy {
  std::string_view
      options;  // names of the option that `text` proposes ("-n --iterations"); empty: none
  std::string_view text;
};

struct FlagMeaning {
  std::string_view name;
  std::string_view meaning;
  std::span<const Remedy> remedies;  // best first; the last one needs no option
};

/// nullptr for a flag that is not in the table.
const FlagMeaning* meaning_of(std::string_view flag);

/// The first remedy whose option the command has not used yet; empty for an unknown flag.
std::string_view remedy_for(std::string_view flag, const std::vector<std::string>& command);

}  // namespace arb
