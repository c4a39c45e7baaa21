// Between two models an F test decides, with the number of placements the richer one could choose
// from as Bonferroni factor: a bound on the chance of a false knee that needs no tuning and holds
// for few sizes too.
#include "reports/model/segments.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "reports/model/weights.hpp"

namespace arb {
namespace {

constexpr double kSignificance =
    0.005;                             // of one piece or outlier more; halved with each further one
constexpr double kNegligible = 0.005;  // a relative misfit nobody needs a knee for

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double log_placements(const Placements& placements, const Model& model) {
  const auto n = static_cast<double>(placements.size());
  const double breaks = model.pieces - 1.0;
  const double room = n - (Placements::kLeastKept - 1.0) * model.pieces - 1;
  return log_choose(std::max(room, breaks), breaks) + log_choose(n, model.left_out);
}

// Twice the negative log likelihood of the best placement, plus what it cost to look for it.
double surprise(const Placements& placements, const Model& model) {
  const auto n = static_cast<double>(placements.size());
  const double noise = std::max(placements.squares(model) / n, kNegligible * kNegligible);
  return n * std::log(noise) + 2 * log_placements(placements, model);
}

// What a square is worth if every size is as uncertain as its interval says and the model as true
// as may be asked; 0 where nothing was measured.
double known_noise(std::span<const Observation> observations) {
  double sum = 0;
  for (const Observation& one : observations) {
    if (one.standard_error <= 0) return 0;
    const double error = std::hypot(one.standard_error, kAgreement) / one.spread;
    sum += error * error;
  }
  return sum / static_cast<double>(observations.size());
}

bool refutes(const Placements& placements, const Model& rich, const Model& simple, double known) {
  const double added = rich.parameters() - simple.parameters();
  const double freedom = static_cast<double>(placements.size()) - rich.parameters();
  if (added <= 0 || freedom < 1) return false;
  const double gained = placements.squares(simple) - placements.squares(rich);
  if (gained <= 0) return false;
  const double noise = std::max(placements.squares(rich) / freedom, kNegligible * kNegligible);
  double chance = boost::math::cdf(
      boost::math::complement(boost::math::fisher_f(added, freedom), gained / added / noise));
  if (known > 0) {
    chance = std::min(chance, boost::math::cdf(boost::math::complement(
                                  boost::math::chi_squared(added), gained / known)));
  }
  const int steps = rich.pieces - simple.pieces + rich.left_out - simple.left_out;
  const double log_limit = std::log(kSignificance) - std::max(0, steps - 1) * std::log(2.0) -
                           log_placements(placements, rich);
  return chance <= 0 || std::log(chance) < log_limit;
}

bool good_enough(const Placements& placements, const Model& model) {
  return placements.squares(model) <=
         static_cast<double>(placements.size()) * kNegligible * kNegligible;
}

}  // namespace

std::vector<Piece> find_pieces(std::span<const Observation> observations) {
  const Placements placements(observations);
  const double known = known_noise(observations);
  std::vector<Model> models = placements.models();
  std::sort(models.begin(), models.end(), [&](const Model& a, const Model& b) {
    if (a.parameters() != b.parameters()) return a.parameters() < b.parameters();
    return surprise(placements, a) < surprise(placements, b);
  });
  const auto chosen = std::find_if(models.begin(), models.end(), [&](const Model& model) {
    return good_enough(placements, model) ||
           std::none_of(models.begin(), models.end(),
                        [&](const Model& rich) { return refutes(placements, rich, model, known); });
  });
  return placements.pieces(chosen == models.end() ? models.back() : *chosen);
}

}  // namespace arb
