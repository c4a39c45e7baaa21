// Stores on their way to memory, and payload that was read before: what weak memory is made of. All
// in aligned 8-byte pieces, which are never torn.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace arb::emulated {

/// Bytes of one aligned 8-byte piece; mask: 0xff where a byte was stored.
struct Piece {
  uintptr_t at = 0;
  uint64_t value = 0;
  uint64_t mask = 0;
  int owner = 0;
};

/// Leaves in any order, but for pieces at the same place, which are merged.
class StoreQueue {
 public:
  bool empty() const { return pieces_.empty(); }
  size_t size() const { return pieces_.size(); }

  void put(const Piece& piece) {
    const auto [entry, fresh] = index_.try_emplace(piece.at, static_cast<uint32_t>(pieces_.size()));
    if (fresh) {
      pieces_.push_back(piece);
      return;
    }
    Piece& known = pieces_[entry->second];
    known.value = (known.value & ~piece.mask) | (piece.value & piece.mask);
    known.mask |= piece.mask;
  }

  /// Puts what is pending at `at` over `value`.
  void overlay(uintptr_t at, uint64_t& value) const {
    if (pieces_.empty()) return;
    const auto entry = index_.find(at);
    if (entry == index_.end()) return;
    const Piece& known = pieces_[entry->second];
    value = (value & ~known.mask) | (known.value & known.mask);
  }

  bool holds(uintptr_t at) const { return !pieces_.empty() && index_.count(at) != 0; }

  Piece take(size_t position) {
    const Piece taken = pieces_[position];
    index_.erase(taken.at);
    if (position + 1 != pieces_.size()) {
      pieces_[position] = pieces_.back();
      index_[pieces_[position].at] = static_cast<uint32_t>(position);
    }
    pieces_.pop_back();
    return taken;
  }
  Piece take_at(uintptr_t at) { return take(index_.at(at)); }

 private:
  std::vector<Piece> pieces_;
  std::unordered_map<uintptr_t, uint32_t> index_;
};

/// The first-level cache of a block: what was read stays, until an acquire.
class ReadCache {
 public:
  void clear() {
    if (!values_.empty()) values_.clear();
  }
  const uint64_t* find(uintptr_t at) const {
    const auto entry = values_.find(at);
    return entry == values_.end() ? nullptr : &entry->second;
  }
  void put(uintptr_t at, uint64_t value) {
    if (values_.size() >= kMost) values_.clear();
    values_[at] = value;
  }
  void forget(uintptr_t at) { values_.erase(at); }

 private:
  static constexpr size_t kMost = 16384;
  std::unordered_map<uintptr_t, uint64_t> values_;
};

}  // namespace arb::emulated
