#include "collectives/runners/mpi/clock.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "collectives/error.hpp"

namespace arb {
namespace {

constexpr size_t kFewest = 8;      // round trips
constexpr int kInVain = 100;       // round trips since the shortest one: more seldom helps
constexpr double kLongest = 0.05;  // seconds for one node
constexpr size_t kKept = 8;        // estimates: a drift that changes within minutes is followed
constexpr auto kNap = std::chrono::microseconds(100);

enum Tag { kTurn, kAsk, kTime, kLine };

}  // namespace

ClockSync::ClockSync(MPI_Comm comm, std::vector<int> node_of, std::function<void()> on_wait,
                     Now now)
    : on_wait_(std::move(on_wait)), now_(std::move(now)) {
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  if (node_of.size() != static_cast<size_t>(ranks)) {
    throw Error(ErrorKind::kInternal, "clocks: a node is needed for each rank");
  }
  for (int node : node_of) {
    leader_of_.push_back(
        static_cast<int>(std::find(node_of.begin(), node_of.end(), node) - node_of.begin()));
    common_ = common_ && leader_of_.back() == 0;
  }
  if (common_) return;
  residual_ = bound_ = std::numeric_limits<double>::infinity();
  comm_ = Communicator::duplicate(comm);
}

void ClockSync::measure() {
  if (common_) return;
  if (rank_ == 0) return serve();
  if (leads()) {
    receive(0, kTurn, Wait::kSleep);
    if (estimates_.size() == kKept) estimates_.erase(estimates_.begin());
    estimates_.push_back(estimate_offset(probe()));
    Message line;
    line.line = fit_clock(estimates_);
    send(0, kAsk, line);
  }
  const Message result = receive(0, kLine, Wait::kSleep);
  line_ = result.line;
  residual_ = result.residual;
  bound_ = result.bound;
}

// One node at a time, so that no other message delays a round trip; then every rank gets its line.
void ClockSync::serve() {
  const int ranks = static_cast<int>(leader_of_.size());
  std::vector<Message> of_leader(leader_of_.size());  // rank 0's own: the identity
  residual_ = bound_ = 0;
  for (int rank = 1; rank < ranks; ++rank) {
    if (leader_of_[rank] != rank) continue;
    send(rank, kTurn, {});
    Message& message = of_leader[rank];
    message = receive(rank, kAsk, Wait::kSleep);  // it may come late
    while (message.more != 0) {
      message.time = now_();
      send(rank, kTime, message);
      message = receive(rank, kAsk, Wait::kSpin);
    }
    residual_ = std::max(residual_, message.line.error);
    bound_ = std::max(bound_, message.line.bound);
  }
  for (int rank = 1; rank < ranks; ++rank) {
    Message& message = of_leader[leader_of_[rank]];
    message.residual = residual_;
    message.bound = bound_;
    send(rank, kLine, message);
  }
}

std::vector<Probe> ClockSync::probe() {
  std::vector<Probe> probes;
  double shortest = std::numeric_limits<double>::infinity();
  double spent = 0;
  int in_vain = 0;
  Message ask;
  ask.more = 1;
  while (probes.size() < kFewest || (spent < kLongest && in_vain < kInVain)) {
    Probe probe;
    probe.local_send = now_();
    send(0, kAsk, ask);
    probe.remote_time = receive(0, kTime, Wait::kSpin).time;
    probe.local_receive = now_();
    probes.push_back(probe);
    const double round_trip = probe.local_receive - probe.local_send;
    in_vain = round_trip < shortest ? 0 : in_vain + 1;
    shortest = std::min(shortest, round_trip);
    spent = probe.local_receive - probes.front().local_send;
  }
  return probes;
}

void ClockSync::pause(Wait wait) const {
  if (on_wait_) on_wait_();
  if (wait == Wait::kSpin) {
    sched_yield();  // ranks may share a core
  } else {
    std::this_thread::sleep_for(kNap);
  }
}

void ClockSync::send(int to, int tag, const Message& message) {
  outgoing_ = message;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(&outgoing_, sizeof outgoing_, MPI_BYTE, to, tag, comm_.get(), &request),
            "MPI_Isend");
  for (;;) {
    int done = 0;
    check_mpi(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
    if (done != 0) break;
    pause(Wait::kSpin);
  }
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

// Probes before it receives, so that no receive is left behind when the wait is ended.
ClockSync::Message ClockSync::receive(int from, int tag, Wait wait) const {
  for (;;) {
    int there = 0;
    check_mpi(MPI_Iprobe(from, tag, comm_.get(), &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
    if (there != 0) break;
    pause(wait);
  }
  Message message;
  check_mpi(MPI_Recv(&message, sizeof message, MPI_BYTE, from, tag, comm_.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
  return message;
}

}  // namespace arb
