// For every number of pieces and of outliers, where they are best placed: dynamic programming over
// the breakpoints.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reports/model/line.hpp"

namespace arb {

struct Model {
  int pieces = 1;
  int left_out = 0;  // observations that no line explains
  int parameters() const { return 2 * pieces + left_out; }
};

struct Piece {
  size_t begin = 0, end = 0;  // of the observations, half open
  int left_out = 0;           // of these
  Line line;
};

class Placements {
 public:
  static constexpr size_t kLeastKept =
      3;  // observations that every piece explains, and sizes it has

  // Ascending sizes, at least three of them, all times positive. The observations must outlive
  // this.
  explicit Placements(std::span<const Observation> observations);

  size_t size() const { return observations_.size(); }
  std::vector<Model> models() const;  // those that can be placed at all
  double squares(
      const Model& model) const;  // of the best placement, costs included; infinite without one
  std::vector<Piece> pieces(Model model) const;

 private:
  struct Choice {
    double squares = 0;
    size_t cut = 0;    // where the last piece begins
    int left_out = 0;  // in the last piece
  };

  void find_cuts();
  void fit_all();
  void place_all();
  void extend(int pieces, size_t from, size_t to);
  size_t index(size_t from, size_t to) const { return from * cuts_.size() + to; }
  size_t row(const Model& model, size_t to) const;

  std::span<const Observation> observations_;
  int max_pieces_;
  int max_left_out_;
  double outlier_cost_ = 0;                 // in squares, of each observation left out
  double short_cost_ = 0;                   // of each piece with the least number of sizes
  std::vector<size_t> cuts_;                // candidate breakpoints, both ends included
  std::vector<std::vector<LineFit>> fits_;  // by index(from, to), then by observations left out
  std::vector<Choice> choices_;             // by row(model, to): the best up to that cut
};

}  // namespace arb
