// The port model against what pen and paper give, in nanoseconds.
#include "tests/lab/switch/fabric.hpp"

#include <gtest/gtest.h>

namespace arb::lab {
namespace {

constexpr double kBytesPerMicrosecond = 1e6;  // bytes/s: 1 byte lasts 1000 ns
constexpr Nanoseconds kAlpha = 50'000;

Law simple(int hosts) {
  Law law;
  law.hosts = hosts;
  law.alpha = kAlpha;
  law.rate = kBytesPerMicrosecond;
  law.header_bytes = 0;
  return law;
}

/// When the frame is whole at its receiver.
Nanoseconds carry(Fabric& fabric, int from, int to, size_t bytes, Nanoseconds now) {
  const Fabric::Span left = fabric.leave(from, bytes, now);
  return fabric.arrive(to, bytes, fabric.travel(from, to, bytes, left));
}

TEST(Fabric, a_lone_frame_takes_alpha_and_its_length_once) {
  Fabric fabric(simple(2));
  const Fabric::Span left = fabric.leave(0, 100, 7);
  EXPECT_EQ(left.first, 7);
  EXPECT_EQ(left.last, 7 + 100'000);
  const Fabric::Span reached = fabric.travel(0, 1, 100, left);
  EXPECT_EQ(reached.first, 7 + kAlpha);
  EXPECT_EQ(reached.last, 7 + 100'000 + kAlpha);
  EXPECT_EQ(fabric.arrive(1, 100, reached), 7 + 100'000 + kAlpha);
}

TEST(Fabric, frames_of_one_sender_leave_one_after_the_other) {
  Fabric fabric(simple(3));
  EXPECT_EQ(carry(fabric, 0, 1, 100, 0), 100'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 0, 2, 100, 0), 200'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 0, 1, 10, 150'000), 210'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 0, 1, 10, 300'000), 310'000 + kAlpha) << "the port was idle before";
}

TEST(Fabric, frames_to_one_receiver_share_its_port) {
  Fabric fabric(simple(4));
  for (int sender = 1; sender <= 3; ++sender) {
    EXPECT_EQ(carry(fabric, sender, 0, 100, 0), sender * 100'000 + kAlpha);
  }
}

TEST(Fabric, without_ingress_receiving_ports_are_infinitely_fast) {
  Law law = simple(4);
  law.ingress = false;
  Fabric fabric(law);
  for (int sender = 1; sender <= 3; ++sender) {
    EXPECT_EQ(carry(fabric, sender, 0, 100, 0), 100'000 + kAlpha);
  }
}

TEST(Fabric, ports_are_full_duplex) {
  Fabric fabric(simple(2));
  EXPECT_EQ(carry(fabric, 0, 1, 100, 0), 100'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 1, 0, 100, 0), 100'000 + kAlpha);
}

TEST(Fabric, header_bytes_are_not_charged) {
  Law law = simple(2);
  law.header_bytes = 66;
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 1, 166, 0), 100'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 0, 1, 66, 100'000), 100'000 + kAlpha) << "a bare acknowledgement is free";
  EXPECT_EQ(carry(fabric, 0, 1, 42, 100'000), 100'000 + kAlpha);
}

TEST(Fabric, unlimited_rate_leaves_alpha) {
  Law law = simple(2);
  law.rate = kUnlimited;
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 1, 1'000'000, 0), kAlpha);
  EXPECT_EQ(carry(fabric, 0, 1, 1'000'000, 0), kAlpha);
}

TEST(Fabric, a_slow_host_is_slow_both_ways_and_only_it) {
  Law law = simple(3);
  law.own.push_back({.host = 2, .rate = kBytesPerMicrosecond / 10});
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 2, 100, 0), 1'000'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 2, 0, 100, 0), 1'000'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 0, 1, 100, 1'000'000), 1'100'000 + kAlpha);
}

TEST(Fabric, a_slow_sender_does_not_block_the_port_of_its_receiver) {
  Law law = simple(3);
  law.own.push_back({.host = 1, .rate = kBytesPerMicrosecond / 10});
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 1, 0, 100, 0), 1'000'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 2, 0, 100, 0), 200'000 + kAlpha) << "takes its turn, no more";
  EXPECT_EQ(carry(fabric, 2, 0, 100, 0), 300'000 + kAlpha);
}

TEST(Fabric, the_larger_alpha_of_two_hosts_counts) {
  Law law = simple(3);
  law.own.push_back({.host = 0, .alpha = 70'000});
  law.own.push_back({.host = 1, .alpha = 60'000});
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 1, 0, 0), 70'000);
  EXPECT_EQ(carry(fabric, 1, 0, 0, 0), 70'000);
  EXPECT_EQ(carry(fabric, 1, 2, 0, 0), 60'000);
}

TEST(Fabric, a_host_may_be_nearer_than_others) {
  Law law = simple(3);
  law.own.push_back({.host = 0, .alpha = 0});
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 1, 0, 0), 0);
  EXPECT_EQ(carry(fabric, 2, 1, 0, 0), kAlpha);
}

TEST(Fabric, an_exception_of_a_pair_wins_and_is_for_both_directions) {
  Law law = simple(3);
  law.own.push_back({.host = 0, .alpha = 70'000});
  law.pairs.push_back({.a = 0, .b = 1, .alpha = 10'000});
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 1, 0, 0), 10'000);
  EXPECT_EQ(carry(fabric, 1, 0, 0, 0), 10'000);
  EXPECT_EQ(carry(fabric, 0, 2, 0, 0), 70'000);
}

TEST(Fabric, the_pipe_of_a_pair_is_a_queue_of_its_own) {
  Law law = simple(3);
  law.pairs.push_back({.a = 0, .b = 1, .rate = kBytesPerMicrosecond / 2});
  Fabric fabric(law);
  EXPECT_EQ(carry(fabric, 0, 1, 100, 0), 200'000 + kAlpha);
  EXPECT_EQ(carry(fabric, 0, 1, 100, 0), 400'000 + kAlpha) << "waits for the pipe";
  EXPECT_EQ(carry(fabric, 1, 0, 100, 0), 200'000 + kAlpha) << "the other direction is free";
  EXPECT_EQ(carry(fabric, 0, 2, 100, 0), 300'000 + kAlpha) << "third through its out port";
}

}  // namespace
}  // namespace arb::lab
