#include "reports/model/placements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/model/trimmed.hpp"
#include "reports/model/weights.hpp"

namespace arb {
namespace {

constexpr int kMaxPieces = 6;
constexpr int kMaxLeftOut = 10;
constexpr size_t kMaxCuts = 48;  // denser sweeps are cut on a grid
// What counts as much as a misfit of this size, where intervals say how surely every size is
// measured: an observation left out (its time is real, so only a wild one may go), and a piece of
// so few sizes that two more parameters explain nearly anything.
constexpr double kOutlierMisfit = 0.7;
constexpr double kShortMisfit = 0.16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// In all at most three of ten: with more of them nobody knows which are the outliers. One of five
// in a piece of several, or three bad sizes close together would pass for a piece with one good
// size as its outlier.
int most_left_out(size_t size, bool alone) {
  if (size <= Placements::kLeastKept) return 0;
  const size_t share = alone ? size * 3 / 10 : size / 5;
  return std::min(kMaxLeftOut, static_cast<int>(std::min(share, size - Placements::kLeastKept)));
}

size_t count_sizes(std::span<const Observation> observations) {
  size_t sizes = observations.empty() ? 0 : 1;
  for (size_t i = 1; i < observations.size(); ++i) {
    if (observations[i].bytes > observations[i - 1].bytes) ++sizes;
  }
  return sizes;
}

}  // namespace

Placements::Placements(std::span<const Observation> observations)
    : observations_(observations),
      max_pieces_(std::clamp(static_cast<int>(observations.size() / kLeastKept), 1, kMaxPieces)),
      max_left_out_(most_left_out(observations.size(), true)) {
  if (all_measured(observations)) {
    outlier_cost_ = kOutlierMisfit * kOutlierMisfit;
    short_cost_ = kShortMisfit * kShortMisfit;
  }
  find_cuts();
  fit_all();
  place_all();
}

void Placements::find_cuts() {
  const size_t n = observations_.size();
  const size_t stride = (n + kMaxCuts - 1) / kMaxCuts;
  cuts_.push_back(0);
  for (size_t i = stride; i < n; i += stride) {
    if (observations_[i].bytes > observations_[i - 1].bytes) cuts_.push_back(i);
  }
  cuts_.push_back(n);
}

void Placements::fit_all() {
  fits_.assign(cuts_.size() * cuts_.size(), {});
  for (size_t from = 0; from + 1 < cuts_.size(); ++from) {
    for (size_t to = from + 1; to < cuts_.size(); ++to) {
      const auto part = observations_.subspan(cuts_[from], cuts_[to] - cuts_[from]);
      if (count_sizes(part) < kLeastKept) continue;
      fits_[index(from, to)] =
          fit_trimmed(part, most_left_out(part.size(), part.size() == observations_.size()));
    }
  }
}

void Placements::place_all() {
  choices_.assign(row({max_pieces_ + 1, 0}, 0), {kInfinity, 0, 0});
  choices_[row({0, 0}, 0)].squares = 0;
  for (int pieces = 1; pieces <= max_pieces_; ++pieces) {
    for (size_t to = 1; to < cuts_.size(); ++to) {
      for (size_t from = 0; from < to; ++from) extend(pieces, from, to);
    }
  }
}

void Placements::extend(int pieces, size_t from, size_t to) {
  const std::vector<LineFit>& fits = fits_[index(from, to)];
  const double length_cost = cuts_[to] - cuts_[from] <= kLeastKept ? short_cost_ : 0;
  for (int here = 0; here < static_cast<int>(fits.size()); ++here) {
    for (int before = 0; before + here <= max_left_out_; ++before) {
      const double squares = choices_[row({pieces - 1, before}, from)].squares +
                             fits[static_cast<size_t>(here)].squares + here * outlier_cost_ +
                             length_cost;
      Choice& entry = choices_[row({pieces, before + here}, to)];
      if (squares < entry.squares) entry = {squares, from, here};
    }
  }
}

std::vector<Model> Placements::models() const {
  std::vector<Model> models;
  for (int pieces = 1; pieces <= max_pieces_; ++pieces) {
    for (int left_out = 0; left_out <= max_left_out_; ++left_out) {
      const Model model{pieces, left_out};
      if (std::isfinite(squares(model))) models.push_back(model);
    }
  }
  return models;
}

double Placements::squares(const Model& model) const {
  return choices_[row(model, cuts_.size() - 1)].squares;
}

std::vector<Piece> Placements::pieces(Model model) const {
  std::vector<Piece> found;
  size_t to = cuts_.size() - 1;
  for (; model.pieces > 0; --model.pieces) {
    const Choice& last = choices_[row(model, to)];
    const LineFit& fit = fits_[index(last.cut, to)][static_cast<size_t>(last.left_out)];
    found.push_back({cuts_[last.cut], cuts_[to], last.left_out, fit.line});
    model.left_out -= last.left_out;
    to = last.cut;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

size_t Placements::row(const Model& model, size_t to) const {
  const size_t models_before =
      static_cast<size_t>(model.pieces) * static_cast<size_t>(max_left_out_ + 1) +
      static_cast<size_t>(model.left_out);
  return models_before * cuts_.size() + to;
}

}  // namespace arb
