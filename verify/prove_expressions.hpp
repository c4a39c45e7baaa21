// Which inputs a value combines, and in which order. Equal values are one expression.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "collectives/schedule/facts.hpp"

namespace arb {

/// Expressions 0..ranks-1 are the inputs of the ranks. Operands are sorted, so that a (op) b and b
/// (op) a are the same expression: every operator here commutes, none is assumed to associate.
class ExpressionTable {
 public:
  explicit ExpressionTable(int ranks);

  /// left (op) right, first made by step `node`.
  int combine(int left, int right, int node);

  const Expression& operator[](int id) const { return arena_[static_cast<size_t>(id)]; }
  int maker(int id) const { return makers_[static_cast<size_t>(id)]; }  // kNone for inputs

  /// How often the input of each rank occurs, saturating.
  std::vector<int> contributions(int id) const;
  /// The deepest expression that has `rank` in both operands, or kNone.
  int first_doubling(int id, int rank) const;

  std::vector<Expression> take() { return std::move(arena_); }

 private:
  void grow();

  int ranks_;
  std::vector<Expression> arena_;
  std::vector<int> makers_;
  std::vector<int> buckets_;  // open addressing: ids or kNone
};

}  // namespace arb
