#include "tests/lab/switch/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace arb::lab {
namespace {

constexpr Nanoseconds kAlpha = 50'000;

Law simple(int hosts) {
  Law law;
  law.hosts = hosts;
  law.alpha = kAlpha;
  law.rate = 1e6;  // 1 byte lasts 1000 ns
  law.header_bytes = 0;
  return law;
}

Bytes frame_to(Bytes address, size_t bytes, int mark = 0) {
  address.resize(bytes, static_cast<std::byte>(mark));
  return address;
}

Bytes everybody() { return Bytes(kAddressBytes, std::byte{0xff}); }

struct Seen {
  int to;
  Nanoseconds due;
  Bytes frame;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> take_all(Exchange& exchange, Nanoseconds now) {
  std::vector<Seen> all;
  while (auto delivery = exchange.take(now)) {
    all.push_back({delivery->to, delivery->due, *delivery->frame});
  }
  return all;
}

TEST(Exchange, a_frame_comes_whole_to_its_host_when_it_is_due) {
  Exchange exchange(simple(3));
  EXPECT_EQ(exchange.next(), Exchange::kNever);
  const Bytes frame = frame_to(ethernet_address(2), 100, 7);
  exchange.accept(0, frame, 5);
  const Nanoseconds due = 5 + 100'000 + kAlpha;
  EXPECT_EQ(exchange.next(), due);
  EXPECT_FALSE(exchange.take(due - 1));
  EXPECT_EQ(take_all(exchange, due), (std::vector<Seen>{{2, due, frame}}));
  EXPECT_EQ(exchange.next(), Exchange::kNever);
}

TEST(Exchange, a_broadcast_leaves_once_and_reaches_all_others) {
  Exchange exchange(simple(3));
  const Bytes frame = frame_to(everybody(), 100);
  exchange.accept(1, frame, 0);
  const Nanoseconds due = 100'000 + kAlpha;
  EXPECT_EQ(take_all(exchange, due), (std::vector<Seen>{{0, due, frame}, {2, due, frame}}));
}

TEST(Exchange, what_is_for_nobody_here_goes_nowhere) {
  Exchange exchange(simple(2));
  Bytes foreign = ethernet_address(1);
  foreign[1] = std::byte{9};
  exchange.accept(0, frame_to(foreign, 100), 0);
  exchange.accept(0, frame_to(ethernet_address(2), 100), 0);   // one host too many
  exchange.accept(0, frame_to(ethernet_address(-1), 100), 0);  // number 0
  exchange.accept(0, frame_to(ethernet_address(0), 100), 0);   // itself
  exchange.accept(0, Bytes(3), 0);                             // too short
  EXPECT_EQ(exchange.next(), Exchange::kNever);
}

TEST(Exchange, three_to_one_take_three_times_as_long) {
  Exchange exchange(simple(4));
  for (int sender = 1; sender <= 3; ++sender) {
    for (int k = 0; k < 10; ++k) exchange.accept(sender, frame_to(ethernet_address(0), 100), 0);
  }
  const std::vector<Seen> seen = take_all(exchange, 1'000'000'000);
  ASSERT_EQ(seen.size(), 30u);
  for (size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].due, static_cast<Nanoseconds>(k + 1) * 100'000 + kAlpha);
  }
}

TEST(Exchange, an_acknowledgement_does_not_push_back_a_frame_that_is_half_through) {
  Law law = simple(3);
  law.header_bytes = 66;
  Exchange exchange(law);
  const Bytes data = frame_to(ethernet_address(0), 166), bare = frame_to(ethernet_address(0), 66);
  exchange.accept(1, data, 0);
  exchange.accept(2, bare, 50'000);
  exchange.accept(1, data, 60'000);
  const std::vector<Seen> seen = take_all(exchange, 1'000'000'000);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0], (Seen{0, 100'000 + kAlpha, data}));
  EXPECT_EQ(seen[1], (Seen{0, 100'000 + kAlpha, bare})) << "behind what is half through";
  EXPECT_EQ(seen[2], (Seen{0, 200'000 + kAlpha, data}));
}

TEST(Exchange, it_wakes_when_a_frame_may_be_due_and_not_before) {
  Exchange exchange(simple(3));
  exchange.accept(0, frame_to(ethernet_address(2), 100), 0);
  exchange.accept(1, frame_to(ethernet_address(2), 100), 10'000);
  EXPECT_EQ(exchange.next(), 100'000 + kAlpha);
  EXPECT_TRUE(exchange.take(100'000 + kAlpha));
  EXPECT_FALSE(exchange.take(100'000 + kAlpha));
  EXPECT_GT(exchange.next(), 100'000 + kAlpha);
  EXPECT_LE(exchange.next(), 200'000 + kAlpha);
  EXPECT_FALSE(exchange.take(150'000 + kAlpha));
  EXPECT_EQ(exchange.next(), 200'000 + kAlpha) << "its port is busy until then";
  EXPECT_TRUE(exchange.take(200'000 + kAlpha));
}

TEST(Exchange, frames_of_a_pair_stay_in_order_even_if_they_take_no_time) {
  Law law = simple(2);
  law.rate = kUnlimited;
  Exchange exchange(law);
  for (int k = 0; k < 50; ++k) exchange.accept(0, frame_to(ethernet_address(1), 100, k), 0);
  const std::vector<Seen> seen = take_all(exchange, kAlpha);
  ASSERT_EQ(seen.size(), 50u);
  for (int k = 0; k < 50; ++k) {
    EXPECT_EQ(seen[static_cast<size_t>(k)].frame.back(), static_cast<std::byte>(k));
  }
}

TEST(Exchange, a_near_sender_passes_a_far_one_that_began_before) {
  Law law = simple(3);
  law.pairs.push_back({.a = 0, .b = 2, .alpha = 1'000'000});
  Exchange exchange(law);
  const Bytes far = frame_to(ethernet_address(2), 100, 1), near = frame_to(ethernet_address(2), 10);
  exchange.accept(0, far, 0);
  exchange.accept(1, near, 1000);
  EXPECT_EQ(take_all(exchange, 10'000'000),
            (std::vector<Seen>{{2, 1000 + 10'000 + kAlpha, near}, {2, 1'100'000, far}}));
}

TEST(Exchange, being_called_late_does_not_move_what_is_due) {
  Exchange exchange(simple(3));
  exchange.accept(0, frame_to(ethernet_address(2), 100), 0);
  exchange.accept(1, frame_to(ethernet_address(2), 100), 0);
  const std::vector<Seen> seen = take_all(exchange, 5'000'000);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].due, 100'000 + kAlpha);
  EXPECT_EQ(seen[1].due, 200'000 + kAlpha);
}

}  // namespace
}  // namespace arb::lab
