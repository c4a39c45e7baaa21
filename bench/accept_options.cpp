#include <charconv>

#include "bench/option_table.hpp"
#include "reports/accept/fleet.hpp"

namespace arb {

namespace {

constexpr const char* kWhat = "What to accept";

std::vector<std::string> stage_choices() {
  std::vector<std::string> names;
  for (const Stage stage :
       {Stage::kAlone, Stage::kPairs, Stage::kGroups, Stage::kAll, Stage::kSoak}) {
    names.emplace_back(name(stage));
  }
  return names;
}

void set_stages(Draft& draft, const Argument& a) {
  for (const Argument& item : read_list(a)) {
    draft.options.accept.stages.push_back(read_choice(item, "stage", stage_choices()));
  }
}

void set_minutes(Draft& draft, const Argument& a) {
  constexpr double kMost = 1e6;
  double minutes = 0;
  const char* const end = a.value.data() + a.value.size();
  const auto [rest, error] = std::from_chars(a.value.data(), end, minutes);
  if (error != std::errc{} || rest != end || !(minutes > 0 && minutes <= kMost)) {
    reject(a, "not a number of minutes above 0; write it like 30 or 0.5");
  }
  draft.options.accept.minutes = minutes;
}

const OptionRow kTable[] = {
    {"--profile", "NAME|FILE", kWhat, "what it must show: a name like laptop, or a JSON file",
     kForAccept, [](Draft& d, const Argument& a) { d.options.accept.profile = a.value; }},
    {"--stages", "A,B", kWhat, "only these of the profile: alone, pairs, groups, all, soak",
     kForAccept, set_stages},
    {"--minutes", "M", kWhat, "how long the soak takes (default: the profile's)", kForAccept,
     set_minutes},
};

}  // namespace

std::span<const OptionRow> accept_options() { return kTable; }

}  // namespace arb
