#include "reports/accept/blame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/accept/robust.hpp"
#include "reports/accept/wrong.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace arb {
namespace {

constexpr size_t kFewestCases = 6;  // in which somebody can have been waited for

/// What speaks against a unit or a link: the stronger the clearer.
struct Charge {
  double strength = 0;
  std::string why;
};
using Charges = std::map<std::vector<int>, Charge>;

void charge(Charges& charges, const std::vector<int>& units, double strength, std::string why) {
  Charge& known = charges[units];
  if (known.why.empty() || strength > known.strength) known = {strength, std::move(why)};
}

std::string times(double ratio) {
  return ratio < 1.95 ? fmt::format("{:.2f}x", ratio) : fmt::format("{:.1f}x", ratio);
}

/// One pair of a test, with what a sentence about it needs.
struct Witness {
  double badness;  // beside the reference
  const Cell* cell;
  std::string words;
};

Witness witness(const PairEvidence& evidence, const Test& test, size_t edge) {
  const MeasuredGroup& subject = evidence.subjects[test.subjects[edge]];
  const auto cell = subject.cells.find(test.key);
  return {test.edges[edge].value / test.pattern.reference,
          cell == subject.cells.end() ? nullptr : &cell->second, test.words[edge]};
}

std::string bandwidth_or_time(const Cell& cell) {
  return cell.busbw ? about_bandwidth(*cell.busbw * 1e9) : about_time(cell.seconds);
}

/// "3.1x slower than the fleet's median{with}, 1 MiB ring"
std::string sentence(const PairEvidence& evidence, const Test& test, const Witness& typical,
                     const std::string& with) {
  const auto& subjects = evidence.subjects;
  const std::string what =
      typical.cell ? exact_size(test.key.bytes) + " " + typical.cell->algorithm : "";
  switch (test.sign) {
    case Sign::kError:
      for (const size_t i : test.subjects) {
        if (!subjects[i].error.empty()) {
          return fmt::format("could not be measured{}: {}", with, printable(subjects[i].error));
        }
      }
      return "could not be measured" + with;
    case Sign::kFleet:
      return fmt::format("{} slower than the fleet's median{}, {} ({}; median {}, allowed {})",
                         times(typical.badness), with, what, about_time(typical.cell->seconds),
                         about_time(test.pattern.reference), times(test.factor));
    case Sign::kAbsolute:
      return fmt::format("{}{}, {} ({})", bandwidth_or_time(*typical.cell), with, what,
                         typical.words);
    case Sign::kSpread:
      return fmt::format("times spread by {}{}, {} ({} allowed)",
                         percent(typical.cell->spread.value_or(0)), with, what,
                         percent(typical.cell->spread.value_or(0) / typical.badness));
    case Sign::kAny:
      return fmt::format("not good enough{}, though not always at the same size", with);
  }
  return "";
}

/// Stronger than any ratio: what could not be measured. Weaker: spread, mixed signs.
double strength(const Test& test, double badness) {
  if (test.sign == Sign::kError) return 1e9;
  if (test.sign == Sign::kAny) return 0;
  const double beyond = badness / test.factor;
  return test.sign == Sign::kFleet      ? 10 * beyond
         : test.sign == Sign::kAbsolute ? beyond
                                        : 1e-3 * beyond;
}

std::string with_partners(size_t bad, size_t all) {
  return bad == all ? fmt::format(" with all {} partners", all)
                    : fmt::format(" with {} of its {} partners", bad, all);
}

/// The clearest single pair that speaks against a unit, at any size.
std::string worst_pair(const Fleet& fleet, const PairEvidence& evidence, int unit) {
  double most = 0;
  std::string text;
  for (const Test& test : evidence.tests) {
    if (test.sign == Sign::kAny || !test.pattern.explained) continue;
    for (size_t e = 0; e < test.edges.size(); ++e) {
      const auto [a, b, value] = test.edges[e];
      if ((a != unit && b != unit) || !test.pattern.bad[e]) continue;
      const Witness seen = witness(evidence, test, e);
      if (strength(test, seen.badness) <= most) continue;
      most = strength(test, seen.badness);
      const std::string& other = fleet.units[static_cast<size_t>(a == unit ? b : a)].name;
      text = sentence(evidence, test, seen, " with " + other);
    }
  }
  return text;
}

void charge_unit(Charges& charges, const Fleet& fleet, const PairEvidence& evidence,
                 const Test& test, int unit) {
  std::vector<Witness> bad;
  size_t partners = 0;
  for (size_t e = 0; e < test.edges.size(); ++e) {
    if (test.edges[e].a != unit && test.edges[e].b != unit) continue;
    ++partners;
    if (test.pattern.bad[e]) bad.push_back(witness(evidence, test, e));
  }
  std::sort(bad.begin(), bad.end(),
            [](const Witness& a, const Witness& b) { return a.badness < b.badness; });
  const Witness& typical = bad[(bad.size() - 1) / 2];
  charge(charges, {unit}, strength(test, typical.badness),
         sentence(evidence, test, typical, with_partners(bad.size(), partners)) +
             (test.sign == Sign::kAny ? "; worst: " + worst_pair(fleet, evidence, unit) : ""));
}

/// Is each of the two fine with somebody else?
bool fine_elsewhere(const Test& test, int unit) {
  for (size_t e = 0; e < test.edges.size(); ++e) {
    const bool has_it = test.edges[e].a == unit || test.edges[e].b == unit;
    if (has_it && !test.pattern.bad[e]) return true;
  }
  return false;
}

void charge_link(Charges& charges, const Fleet& fleet, const PairEvidence& evidence,
                 const Test& test, size_t edge, const std::vector<Lateness>& lateness) {
  const auto [a, b, value] = test.edges[edge];
  const MeasuredGroup& subject = evidence.subjects[test.subjects[edge]];
  const bool two = fleet.units.size() == 2;
  if (!two && subject.results.size() < kFewestBad) return;
  std::vector<int> units = {a, b};
  std::string with;
  std::string after;
  const bool fine_a = fine_elsewhere(test, a);
  const bool fine_b = fine_elsewhere(test, b);
  if (fine_a && fine_b) {
    with = " with each other, while both are fine with others";
  } else if (fine_a != fine_b) {
    with = fmt::format(" with each other; {} is fine with others, {} was measured with no other",
                       fleet.units[static_cast<size_t>(fine_a ? a : b)].name,
                       fleet.units[static_cast<size_t>(fine_a ? b : a)].name);
  } else {
    with = " with each other";
    after = fmt::format(
        "; neither was measured with another {}, so it cannot be told which of the "
        "two it is",
        fleet.noun);
    for (const int unit : units) {
      const Lateness& late = lateness[static_cast<size_t>(unit)];
      if (late.cases < kFewestCases || late.waited * 2 <= late.cases) continue;
      units = {unit};
      after = "";
      break;
    }
  }
  const Witness seen = witness(evidence, test, edge);
  charge(charges, units, strength(test, seen.badness),
         sentence(evidence, test, seen, with) + after);
}

void charge_pairs(Charges& charges, const Fleet& fleet, const PairEvidence& evidence,
                  const std::vector<Lateness>& lateness) {
  for (const Test& test : evidence.tests) {
    for (const int unit : test.pattern.units) charge_unit(charges, fleet, evidence, test, unit);
    if (test.sign == Sign::kAny) continue;
    const std::set<std::pair<int, int>> links(test.pattern.links.begin(), test.pattern.links.end());
    const bool two = fleet.units.size() == 2;
    for (size_t e = 0; e < test.edges.size(); ++e) {
      const bool link = links.contains({test.edges[e].a, test.edges[e].b});
      if (link || (two && test.pattern.bad[e])) {
        charge_link(charges, fleet, evidence, test, e, lateness);
      }
    }
  }
}

void charge_late(Charges& charges, const Fleet& fleet, const Profile& profile,
                 const std::vector<Lateness>& lateness) {
  if (!profile.max_straggler_share) return;
  for (size_t unit = 0; unit < lateness.size(); ++unit) {
    const Lateness& late = lateness[unit];
    const size_t fewest = fleet.units.size() == 2 ? 1 : 2;
    if (late.partners < fewest || late.cases < kFewestCases) continue;
    const double share = static_cast<double>(late.waited) / static_cast<double>(late.cases);
    if (share <= *profile.max_straggler_share) continue;
    if (!nearly_all(late.partners_above, late.partners)) continue;
    charge(charges, {static_cast<int>(unit)}, 0,
           fmt::format("the others waited for it in {} of {} cases ({} allowed)", late.waited,
                       late.cases, percent(*profile.max_straggler_share)));
  }
}

void charge_alone(Charges& charges, const std::vector<AloneTest>& tests) {
  for (const AloneTest& test : tests) {
    for (const AloneTest::Unit& unit : test.units) {
      if (!unit.bad || !test.sparse || unit.measured < kFewestBad) continue;
      charge(charges, {unit.unit}, unit.beyond, unit.why);
    }
  }
}

bool accused(const std::vector<Culprit>& culprits, const std::vector<int>& units, bool wrong) {
  return std::any_of(culprits.begin(), culprits.end(), [&](const Culprit& culprit) {
    return culprit.units == units && culprit.wrong == wrong;
  });
}

}  // namespace

Blame blame_by(const Fleet& fleet, const Profile& profile) {
  Blame blame;
  blame.evidence = evidence_of(fleet, profile);
  blame.alone = alone_tests(fleet, profile, blame.evidence.subjects);
  blame.lateness = lateness_of(fleet, profile);
  Charges charges;
  charge_alone(charges, blame.alone);
  charge_pairs(charges, fleet, blame.evidence, blame.lateness);
  charge_late(charges, fleet, profile, blame.lateness);

  blame.culprits = wrong_culprits(fleet, blame.evidence.subjects);
  std::vector<std::pair<double, Culprit>> slow;
  for (auto& [units, charge] : charges) {
    // Whatever is wrong with one of the two is not also wrong with the link.
    const bool covered =
        units.size() == 2 && (charges.contains({units[0]}) || charges.contains({units[1]}));
    if (covered || accused(blame.culprits, units, true)) continue;
    std::string why = charge.why;
    if (units.size() == 1) {
      const Lateness& late = blame.lateness[static_cast<size_t>(units[0])];
      if (late.cases >= kFewestCases && late.waited * 2 > late.cases &&
          why.find("waited") == std::string::npos) {
        why += fmt::format("; the others waited for it in {} of {} cases", late.waited, late.cases);
      }
    }
    slow.emplace_back(charge.strength, Culprit{units, false, why});
  }
  std::stable_sort(slow.begin(), slow.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [strength, culprit] : slow) blame.culprits.push_back(std::move(culprit));
  return blame;
}

const Culprit* culprit_among(const Blame& blame, const std::vector<int>& units, bool wrong) {
  for (const Culprit& culprit : blame.culprits) {
    const bool all =
        std::includes(units.begin(), units.end(), culprit.units.begin(), culprit.units.end());
    if (all && culprit.wrong == wrong) return &culprit;
  }
  return nullptr;
}

std::vector<Culprit> blame(const Fleet& fleet, const Profile& profile) {
  return blame_by(fleet, profile).culprits;
}

}  // namespace arb
