// The value patterns behind generate(): each maps random bits of one element to a value, without
// branches.
#pragma once

#include <cstdint>
#include <type_traits>

#include "collectives/ops/operators.hpp"
#include "verify/hash.hpp"

namespace arb {

/// The random bits of one element; `common` are the same at every rank.
struct Draws {
  SegmentKey low, high, shared;

  ARB_HD uint32_t bits(uint32_t offset) const { return low.bits(offset); }
  ARB_HD uint64_t bits64(uint32_t offset) const {
    return (static_cast<uint64_t>(high.bits(offset)) << 32) | low.bits(offset);
  }
  ARB_HD uint32_t common(uint32_t offset) const { return shared.bits(offset); }
};

/// What a value is computed in before it is stored as T: float32 also for the 16-bit types.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
ARB_HD T narrow(Wide<T> value) {
  if constexpr (kIsHalf<T>) {
    return from_float<T>(value);
  } else {
    return value;
  }
}

/// [0, bound), from 32 random bits.
ARB_HD inline uint32_t below(uint32_t bits, uint32_t bound) {
  return static_cast<uint32_t>((static_cast<uint64_t>(bits) * bound) >> 32);
}

/// In (-1, 1), with all the bits the type has; never 0.
template <class T>
ARB_HD Wide<T> uniform(const Draws& draws, uint32_t offset) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>((static_cast<int64_t>(draws.bits64(offset)) >> 11) | 1) * 0x1p-52;
  } else {
    return static_cast<float>((static_cast<int32_t>(draws.bits(offset)) >> 8) | 1) * 0x1p-23F;
  }
}

/// The largest magnitude of an integer of which `ranks` can be added in any order without rounding.
template <class T>
ARB_HD Wide<T> exact_budget(int ranks) {
  constexpr int64_t kLargest = (int64_t{1} << (FloatBits<T>::kMantissa + 1)) - 1;
  const int64_t share = kLargest / (ranks > 1 ? ranks : 1);
  return static_cast<Wide<T>>(share);
}

/// Integers of magnitude <= budget, in units of 1/8, so that fractions are tried too.
template <class T>
struct SmallIntegers {
  Wide<T> budget;

  ARB_HD explicit SmallIntegers(int ranks) : budget(exact_budget<T>(ranks)) {}

  template <class U>
  ARB_HD U make(const Draws& draws, uint32_t offset) const {
    using Integer = std::conditional_t<std::is_same_v<T, double>, int64_t, int32_t>;
    const auto integer = static_cast<Integer>(uniform<T>(draws, offset) * budget);
    // + 0: compilers that may not see traps make a truncation of the two conversions, which keeps
    // the sign of what becomes 0 (GCC 12). Every compiler must make the same zero.
    return narrow<U>(static_cast<Wide<T>>(integer) * Wide<T>{0.125} + Wide<T>{0});
  }
};

/// More ranks than the significand can count: at each index only every `groups`-th rank has +-1/8.
struct SparseOnes {
  uint32_t groups;
  uint32_t group;

  template <class T>
  ARB_HD static SparseOnes of(int ranks, int rank) {
    constexpr int kBits = FloatBits<T>::kMantissa + 1;
    constexpr uint32_t kLargest = (1U << (kBits < 30 ? kBits : 30)) - 1;
    const uint32_t groups = (static_cast<uint32_t>(ranks) + kLargest - 1) / kLargest;
    return {groups, static_cast<uint32_t>(rank) % groups};
  }

  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    const bool active = below(draws.common(offset), groups) == group;
    const float one = (draws.bits(offset) & 1U) != 0 ? -0.125F : 0.125F;
    return narrow<T>(static_cast<Wide<T>>(active ? one : 0.0F));
  }
};

/// Powers of two with a sign. At each index at most 4 ranks have exponents other than 0, in -3..3,
/// and one of them a factor 1, 3, 5 or 7: every partial product is within 2^-12 .. 7*2^12, normal
/// and exact even in float16.
struct PowersOfTwo {
  uint32_t ranks;
  uint32_t rank;

  ARB_HD PowersOfTwo(int rank_count, int own)
      : ranks(static_cast<uint32_t>(rank_count > 1 ? rank_count : 1)),
        rank(static_cast<uint32_t>(own)) {}

  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    const uint32_t start = below(draws.common(offset), ranks);
    const uint32_t distance = rank - start + (rank < start ? ranks : 0U);
    const uint32_t bits = draws.bits(offset);
    const uint32_t exponent = distance < 4 ? below(bits << 8, 7) + 124 : 127;
    const uint32_t factor = distance == 0 ? (bits >> 29) | 1U : 1U;
    const float power = bits_to<float>((exponent << 23) | ((bits & 1U) << 31));
    return narrow<T>(static_cast<Wide<T>>(power * static_cast<float>(static_cast<int>(factor))));
  }
};

/// In (-1, 1), over 8 binades, so that additions round.
struct Varied {
  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    const uint32_t exponent = 127U - (draws.bits(offset) & 7U);
    return narrow<T>(uniform<T>(draws, offset) *
                     static_cast<Wide<T>>(bits_to<float>(exponent << 23)));
  }
};

/// +-(1 + t), |t| < 1/8, less from 64 ranks on: the product of all stays within 2^-13 .. 2^13,
/// normal in float16.
struct NearOne {
  float spread;

  ARB_HD explicit NearOne(int ranks)
      : spread(ranks <= 64 ? 0.125F : 8.0F / static_cast<float>(ranks)) {}

  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    const Wide<T> value = Wide<T>{1} + uniform<T>(draws, offset) * static_cast<Wide<T>>(spread);
    return narrow<T>((draws.bits(offset) & 1U) != 0 ? -value : value);
  }
};

/// Half of the values in [1, 2), half in the topmost binade, the largest finite value among them.
struct Extreme {
  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    using Bits = FloatBits<T>;
    using Unsigned = typename Bits::Unsigned;
    constexpr auto kOne = static_cast<Unsigned>((Bits::kInfinity >> 1) & Bits::kInfinity);
    constexpr auto kTop = static_cast<Unsigned>(Bits::kInfinity - (Unsigned{1} << Bits::kMantissa));
    constexpr auto kFraction = static_cast<Unsigned>(~Bits::kInfinity & Bits::kMagnitude);
    const uint64_t bits = draws.bits64(offset);
    const auto sign = static_cast<Unsigned>((bits & 1U) << (8 * sizeof(T) - 1));
    const bool full = (bits & 0x1cU) == 0;  // 1 in 8 is +-max or just below +-2
    const auto fraction = static_cast<Unsigned>(full ? kFraction : (bits >> 8) & kFraction);
    const Unsigned exponent = (bits & 2U) != 0 ? kTop : kOne;
    return bits_to<T>(static_cast<Unsigned>(sign | exponent | fraction));
  }
};

/// Any finite bits but zeros: libraries may return either zero as the smaller one.
struct AnyFinite {
  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    using Bits = FloatBits<T>;
    using Unsigned = typename Bits::Unsigned;
    Unsigned bits{};
    if constexpr (sizeof(T) == 8) {
      bits = draws.bits64(offset) | 1U;
    } else {
      bits = static_cast<Unsigned>(draws.bits(offset) | 1U);
    }
    constexpr auto kExponentLow = static_cast<Unsigned>(Unsigned{1} << Bits::kMantissa);
    const bool special = (bits & Bits::kInfinity) == Bits::kInfinity;
    return bits_to<T>(static_cast<Unsigned>(bits ^ (special ? kExponentLow : Unsigned{0})));
  }
};

struct AnyInteger {
  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    if constexpr (sizeof(T) == 8) {
      return static_cast<T>(draws.bits64(offset));
    } else {
      return static_cast<T>(draws.bits(offset));
    }
  }
};

/// Odd: a product of odd numbers keeps all its bits when it wraps.
struct OddInteger {
  template <class T>
  ARB_HD T make(const Draws& draws, uint32_t offset) const {
    return static_cast<T>(AnyInteger{}.make<T>(draws, offset) | T{1});
  }
};

}  // namespace arb
