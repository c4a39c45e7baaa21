#include "reports/flags.hpp"

#include <algorithm>
#include <array>

namespace arb {
namespace {

constexpr std::array kForOversubscribed = {
    Remedy{"--ranks", "use --ranks to stay within the usable cores"},
    Remedy{"", "for times that count, use no more ranks than usable cores"},
};
constexpr std::array kForNoise = {
    Remedy{"--precision", "close other programs, or accept wider intervals with --precision 5%"},
    Remedy{"", "close other programs, or measure when the machine is quiet"},
};
constexpr std::array kForTimeCap = {
    Remedy{"--max-time", "raise the cap with --max-time 10s"},
    Remedy{"--precision",
           "raise --max-time further, or accept wider intervals with --precision 5%"},
    Remedy{"", "raise --max-time further, or measure when the machine is quiet"},
};
constexpr std::array kForBusyMachine = {
    Remedy{"", "close other programs, or measure when the machine is quiet"},
};
constexpr std::array kForThrottling = {
    Remedy{"",
           "let the machine cool down, and check its power limits (on GPUs gpu_state names the "
           "reason, and nvidia-smi -q -d PERFORMANCE,POWER the limits)"},
};

constexpr std::array kForOwnTime = {
    Remedy{"", "measure when the network is quiet, or larger sizes"},
};
constexpr std::array kForInterruption = {
    Remedy{"", "let it run to its end, or measure fewer sizes"},
};

constexpr std::array kMeanings = {
    FlagMeaning{
        flag::kOversubscribed,
        "more ranks than usable cores: ranks take turns on them, and the times include that",
        kForOversubscribed},
    FlagMeaning{flag::kNoisy,
                "the interval of the median is wider than wanted, even with the most samples",
                kForNoise},
    FlagMeaning{flag::kTimeCap, "the time cap came before the wanted precision", kForTimeCap},
    FlagMeaning{flag::kBusyMachine, "other programs used the processors meanwhile",
                kForBusyMachine},
    FlagMeaning{flag::kThrottled, "the processors or GPUs ran below their usual clock",
                kForThrottling},
    FlagMeaning{flag::kOwnTime,
                "the clocks of the nodes are not known well enough for latest end - latest start, "
                "so this is the longest time of a rank, up to one message's latency too much",
                kForOwnTime},
    FlagMeaning{flag::kInterrupted, "stopped before enough samples were taken", kForInterruption},
};

bool is_used(std::string_view options, const std::vector<std::string>& command) {
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(' '));
    options.remove_prefix(std::min(option.size() + 1, options.size()));
    const bool found = std::any_of(command.begin(), command.end(), [option](std::string_view word) {
      return word.starts_with(option) &&
             (word.size() == option.size() || word[option.size()] == '=');
    });
    if (found) return true;
  }
  return false;
}

}  // namespace

const FlagMeaning* meaning_of(std::string_view flag) {
  const auto* const found =
      std::find_if(kMeanings.begin(), kMeanings.end(),
                   [flag](const FlagMeaning& each) { return each.name == flag; });
  return found == kMeanings.end() ? nullptr : found;
}

std::string_view remedy_for(std::string_view flag, const std::vector<std::string>& command) {
  const FlagMeaning* meaning = meaning_of(flag);
  if (meaning == nullptr) return "";
  const auto untried =
      std::find_if(meaning->remedies.begin(), meaning->remedies.end(),
                   [&](const Remedy& each) { return !is_used(each.options, command); });
  return untried == meaning->remedies.end() ? "" : untried->text;
}

}  // namespace arb
