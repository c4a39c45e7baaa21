#include "verify/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/ops/visit.hpp"
#include "verify/compare.hpp"
#include "verify/oracle.hpp"
#include "verify/true_result.hpp"

namespace arb {
namespace {

/// A library may make avg as a sum of x * (1/n): one rounding for 1/n and one for the product more,
/// and not even exact data stay exact.
bool is_scaled(const CheckSpec& spec) { return spec.data.op == Op::kAvg && spec.order == nullptr; }

bool rounding_shows(const CheckSpec& spec) {
  const Op op = spec.data.op;
  const bool exact =
      spec.data.kind == DataKind::kExact &&
      !(is_scaled(spec) && !std::has_single_bit(static_cast<unsigned>(spec.data.ranks)));
  return is_float(spec.data.dtype) && op != Op::kMin && op != Op::kMax && !exact &&
         reduces(spec.collective);
}

template <class T>
class TileChecker {
 public:
  TileChecker(const CheckSpec& spec, const std::vector<RankView>& ranks)
      : spec_(spec),
        ranks_(ranks),
        own_order_(spec.order == nullptr ? plain_order(spec.collective, spec.data.ranks,
                                                       spec.tiling->chunks(), spec.root)
                                         : ReductionOrder{}),
        oracle_(spec.data, spec.order == nullptr ? own_order_ : *spec.order) {
    rounds_ = kIsFloat<T> && rounding_shows(spec);
    label_ = rounds_ && spec.order != nullptr ? "oracle" : "exact";
    if constexpr (kIsFloat<T>) {
      // The first chunk of the first tile is the largest.
      const size_t block = std::min(Oracle::kMaxBlock, spec.tiling->range(0, 0).size);
      if (rounds_) truth_.emplace(spec.data.op, spec.data.ranks, is_scaled(spec) ? 2 : 0, block);
    }
    oracle_.observe([this](int rank, const void* values, size_t count) {
      see_input(rank, static_cast<const T*>(values), count);
    });
  }

  Verdict run(size_t tile) {
    for (int chunk = 0; chunk < spec_.tiling->chunks(); ++chunk) {
      run(chunk, spec_.tiling->range(tile, chunk));
    }
    return verdict_;
  }

  Verdict run(int chunk, const Range& part) {
    if (part.size > 0) select_chunk(chunk);
    for (size_t done = 0; done < part.size; done += Oracle::kMaxBlock) {
      first_ = part.begin + done;
      count_ = std::min(Oracle::kMaxBlock, part.size - done);
      check_block();
    }
    return verdict_;
  }

 private:
  struct Nothing {};  // integers have no bound
  using Truth =
      typename std::conditional_t<kIsFloat<T>, std::type_identity<std::optional<TrueResult<T>>>,
                                  std::type_identity<Nothing>>::type;

  const T* output(int rank) const {
    return reinterpret_cast<const T*>(ranks_[static_cast<size_t>(rank)].output) + first_;
  }
  const T* input(int rank) const {
    return reinterpret_cast<const T*>(ranks_[static_cast<size_t>(rank)].input) + first_;
  }

  void select_chunk(int chunk) {
    chunk_ = chunk;
    outputs_.clear();
    wanted_.assign(static_cast<size_t>(spec_.data.ranks), false);
    for (const int rank : contributors(spec_.collective, spec_.data.ranks, chunk, spec_.root)) {
      wanted_[static_cast<size_t>(rank)] = true;
    }
    readable_.assign(ranks_.size(), false);
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      const RankView& view = ranks_[static_cast<size_t>(rank)];
      if (view.output != nullptr && has_output(spec_.collective, rank, chunk, spec_.root)) {
        outputs_.push_back(rank);
      }
      readable_[static_cast<size_t>(rank)] = !spec_.in_place && view.input != nullptr &&
                                             has_input(spec_.collective, rank, chunk, spec_.root);
    }
  }

  void check_block() {
    seen_.assign(ranks_.size(), false);
    missing_ = wanted_;
    if constexpr (kIsFloat<T>) {
      if (rounds_) truth_->start(count_);
    }
    const T* const reference = static_cast<const T*>(oracle_.expected(chunk_, first_, count_));
    if (std::find(missing_.begin(), missing_.end(), true) != missing_.end()) refuse_order(chunk_);
    check_unseen_inputs();
    if constexpr (kIsFloat<T>) {
      if (rounds_) {
        truth_->finish(count_);
        if (spec_.order == nullptr) {
          check_agreement();
        } else {
          check_outputs(reference, truth_->worst(reference, count_));
        }
        return;
      }
    }
    check_outputs(reference, 0);
  }

  /// The reference must not follow a wrong schedule into its mistake.
  [[noreturn]] static void refuse_order(int chunk) {
    throw Error(ErrorKind::kInternal, "the reduction order of chunk " + std::to_string(chunk) +
                                          " does not combine every input exactly once");
  }

  void see_input(int rank, const T* values, size_t count) {
    if (!missing_.at(static_cast<size_t>(rank))) refuse_order(chunk_);
    missing_[static_cast<size_t>(rank)] = false;
    if constexpr (kIsFloat<T>) {
      if (rounds_) truth_->add(values, count);
    }
    const auto index = static_cast<size_t>(rank);
    if (index >= ranks_.size() || !readable_[index]) return;
    seen_[index] = true;
    check_input(rank, values);
  }

  void check_input(int rank, const T* values) {
    const T* const kept = input(rank);
    if (same_bytes(kept, values, count_)) return;
    for (size_t i = 0; i < count_; ++i) {
      if (!same(kept[i], values[i])) fail("input changed", rank, i, values[i], kept[i]);
    }
  }

  /// Inputs that a collective lets a rank read although the chunk's result does not need them.
  void check_unseen_inputs() {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!readable_[rank] || seen_[rank]) continue;
      extra_.resize(Oracle::kMaxBlock);
      generate(spec_.data, static_cast<int>(rank), first_, count_, extra_.data());
      check_input(static_cast<int>(rank), extra_.data());
    }
  }

  /// Against a reference known to the last bit, whose own error is `reference_ratio` bounds.
  void check_outputs(const T* reference, double reference_ratio) {
    note_ratio(reference_ratio);
    for (const int rank : outputs_) {
      const T* const got = output(rank);
      if (reference_ratio <= 1 && same_bytes(got, reference, count_)) continue;
      for (size_t i = 0; i < count_; ++i) {
        if (!same(got[i], reference[i])) {
          note_ratio(ratio(i, got[i]));
          fail(label_, rank, i, reference[i], got[i]);
        } else if (ratio(i, got[i]) > 1) {
          fail_bound(rank, i, got[i]);
        }
      }
    }
  }

  /// Order unknown: every output within the bound, and all of them the same.
  void check_agreement() {
    if (outputs_.empty()) return;
    const T* const first = output(outputs_.front());
    bool equal = true;
    for (const int rank : outputs_) equal = equal && same_bytes(output(rank), first, count_);
    double worst = 0;
    if constexpr (kIsFloat<T>) worst = truth_->worst(first, count_);
    note_ratio(worst);
    if (equal && worst <= 1) return;
    for (size_t i = 0; i < count_; ++i) check_agreement_of(i);
  }

  void check_agreement_of(size_t i) {
    // The majority among the outputs within the bound (Boyer and Moore), so that the odd rank is
    // blamed.
    std::optional<T> majority;
    int votes = 0;
    for (const int rank : outputs_) {
      const T got = output(rank)[i];
      if (ratio(i, got) > 1) continue;
      if (votes == 0) majority = got;
      votes += same(*majority, got) ? 1 : -1;
    }
    for (const int rank : outputs_) {
      const T got = output(rank)[i];
      const double error = ratio(i, got);
      note_ratio(error);
      if (error > 1) {
        fail_bound(rank, i, got);
      } else if (!same(*majority, got)) {
        fail("ranks differ", rank, i, *majority, got);
      }
    }
  }

  double ratio(size_t i, T value) const {
    if constexpr (kIsFloat<T>) {
      if (rounds_) return truth_->ratio(i, value);
    }
    return 0;
  }

  void note_ratio(double ratio) {
    if (std::isfinite(ratio)) verdict_.max_error_ratio = std::max(verdict_.max_error_ratio, ratio);
  }

  void fail_bound(int rank, size_t i, T got) {
    if constexpr (kIsFloat<T>) {
      const double value = truth_->value(i);
      T wanted{};
      if constexpr (kIsHalf<T>) {
        wanted = from_float<T>(static_cast<float>(value));
      } else {
        wanted = static_cast<T>(value);
      }
      fail("bound", rank, i, wanted, got);
    }
  }

  void fail(const char* check, int rank, size_t i, T wanted, T got) {
    const auto index = static_cast<int64_t>(first_ + i);
    const bool earlier =
        verdict_.ok() || std::pair(rank, index) < std::pair(verdict_.rank, verdict_.index);
    ++verdict_.wrong;
    if (!earlier) return;
    verdict_.check = check;
    verdict_.rank = rank;
    verdict_.index = index;
    verdict_.wanted = text_of(wanted);
    verdict_.got = text_of(got);
    verdict_.ulps = ulps_between(wanted, got);
  }

  const CheckSpec& spec_;
  const std::vector<RankView>& ranks_;
  ReductionOrder
      own_order_;  // where the algorithm's is not known: good for all that does not round
  Oracle oracle_;
  [[no_unique_address]] Truth truth_;
  bool rounds_ = false;  // float, and the data make rounding show: the bound applies
  const char* label_ = "";
  int chunk_ = 0;
  size_t first_ = 0;  // the block
  size_t count_ = 0;
  std::vector<bool> wanted_;    // ranks whose inputs the chunk combines
  std::vector<bool> missing_;   // and that its reference did not use yet
  std::vector<int> outputs_;    // ranks that must hold the chunk
  std::vector<bool> readable_;  // ranks whose input must have survived
  std::vector<bool> seen_;      // and was compared already
  std::vector<T> extra_;
  Verdict verdict_;
};

}  // namespace

Verdict check_tile(const CheckSpec& spec, const std::vector<RankView>& ranks, size_t tile) {
  return visit(spec.data.dtype, [&](auto type) {
    return TileChecker<typename decltype(type)::type>(spec, ranks).run(tile);
  });
}

Verdict check_part(const CheckSpec& spec, const std::vector<RankView>& ranks, int chunk,
                   const Range& part) {
  return visit(spec.data.dtype, [&](auto type) {
    return TileChecker<typename decltype(type)::type>(spec, ranks).run(chunk, part);
  });
}

bool has_one_right_result(const CheckSpec& spec) {
  return spec.order != nullptr || !rounding_shows(spec);
}

}  // namespace arb
