#include "collectives/schedule/tiling.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "collectives/error.hpp"

namespace arb {
namespace {

/// Every element is in exactly one chunk of one tile, and neighbouring chunks make one range.
void expect_exact_cover(const Tiling& tiling) {
  std::vector<int> seen(tiling.count(), 0);
  for (size_t tile = 0; tile < tiling.tiles(); ++tile) {
    for (int chunk = 0; chunk < tiling.chunks(); ++chunk) {
      const Range range = tiling.range(tile, chunk);
      ASSERT_LE(range.begin + range.size, tiling.count());
      for (size_t i = 0; i < range.size; ++i) ++seen[range.begin + i];
    }
    if (tiling.blocked()) continue;
    const Range all = tiling.range(tile, 0, tiling.chunks());
    size_t sum = 0;
    for (int chunk = 0; chunk < tiling.chunks(); ++chunk) {
      const Range range = tiling.range(tile, chunk);
      EXPECT_EQ(range.begin, all.begin + sum);
      sum += range.size;
    }
    EXPECT_EQ(sum, all.size);
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
}

TEST(Tiling, CoversEveryElementOnce) {
  for (const size_t count : {0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 100, 255, 256, 257, 1001}) {
    for (const int chunks : {1, 2, 3, 7, 8}) {
      for (const size_t tile : {1, 2, 7, 64, 100, 5000}) {
        for (const size_t grain : {1, 4, 16}) {
          expect_exact_cover(Tiling(count, chunks, false, tile, grain));
        }
      }
    }
  }
}

TEST(Tiling, BlockedCoversEveryElementOnce) {
  for (const size_t per_block : {0, 1, 2, 7, 64, 100}) {
    for (const int chunks : {1, 2, 3, 8}) {
      for (const size_t tile : {1, 2, 7, 64, 100, 5000}) {
        expect_exact_cover(Tiling(per_block * static_cast<size_t>(chunks), chunks, true, tile, 1));
      }
    }
  }
}

TEST(Tiling, BlockedChunksStayInTheirBlock) {
  const Tiling tiling(4 * 10, 4, true, 4 * 3, 1);
  EXPECT_EQ(tiling.tiles(), 4U);
  EXPECT_EQ(tiling.tile(), 12U);
  EXPECT_EQ(tiling.range(0, 2), (Range{20, 3}));
  EXPECT_EQ(tiling.range(1, 2), (Range{23, 3}));
  EXPECT_EQ(tiling.range(3, 2), (Range{29, 1}));
  EXPECT_THROW(tiling.range(0, 0, 2), Error);
  EXPECT_EQ(Tiling(40, 4, true, 10, 1).tile(), 12U);  // rounded up to a multiple of the chunks
}

TEST(Tiling, LastTileIsShortAndItsChunksEven) {
  const Tiling tiling(22, 4, false, 8, 1);
  EXPECT_EQ(tiling.tiles(), 3U);
  EXPECT_EQ(tiling.range(0, 3), (Range{6, 2}));
  EXPECT_EQ(tiling.range(2, 0), (Range{16, 2}));
  EXPECT_EQ(tiling.range(2, 2), (Range{20, 2}));
  EXPECT_EQ(tiling.range(2, 3), (Range{22, 0}));
}

TEST(Tiling, FewerElementsThanChunks) {
  const Tiling tiling(3, 8, false, 64, 16);
  EXPECT_EQ(tiling.tiles(), 1U);
  EXPECT_EQ(tiling.range(0, 0), (Range{0, 1}));
  EXPECT_EQ(tiling.range(0, 2), (Range{2, 1}));
  EXPECT_EQ(tiling.range(0, 7), (Range{3, 0}));
}

TEST(Tiling, NothingIsOneEmptyTile) {
  for (const bool blocked : {false, true}) {
    const Tiling tiling(0, 4, blocked, 16, 4);
    EXPECT_EQ(tiling.tiles(), 1U);
    for (int chunk = 0; chunk < 4; ++chunk) EXPECT_EQ(tiling.range(0, chunk).size, 0U);
  }
}

TEST(Tiling, ChunksAreWholeGrainsOnceTheyHoldOne) {
  const Tiling tiling(100, 3, false, 100, 16);
  EXPECT_EQ(tiling.range(0, 0), (Range{0, 48}));  // 34 rounded up
  EXPECT_EQ(tiling.range(0, 1), (Range{48, 48}));
  EXPECT_EQ(tiling.range(0, 2), (Range{96, 4}));
  EXPECT_EQ(Tiling(30, 3, false, 30, 16).range(0, 1), (Range{10, 10}));  // less than a grain each
}

TEST(Tiling, HugeMessagesDoNotOverflow) {
  const size_t huge = size_t{1} << 62;
  const Tiling tiling(huge, 4, false, ~size_t{0}, 16);
  EXPECT_EQ(tiling.tiles(), 1U);
  EXPECT_EQ(tiling.range(0, 3), (Range{huge / 4 * 3, huge / 4}));
  EXPECT_EQ(Tiling(huge, 4, true, ~size_t{0}, 1).range(0, 3), (Range{huge / 4 * 3, huge / 4}));
}

TEST(Tiling, RefusesWhatCannotBeCut) {
  EXPECT_THROW(Tiling(10, 4, true, 4, 1), Error);
  EXPECT_THROW(Tiling(10, 0, false, 4, 1), Error);
  EXPECT_THROW(Tiling(10, 4, false, 0, 1), Error);
  EXPECT_THROW(Tiling(10, 4, false, 4, 0), Error);
}

}  // namespace
}  // namespace arb
