// Two processes with a GPU each: memory goes through CUDA IPC, or shared host memory.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "collectives/error.hpp"
#include "tests/cuda/runner/harness.hpp"

namespace arb {
namespace {

/// Two processes at the ends of a pair of sockets.
class SocketPeers final : public Peers {
 public:
  SocketPeers(int index, int socket) : index_(index), socket_(socket) {}
  int count() const override { return 2; }
  int index() const override { return index_; }
  void barrier() override { exchange(""); }
  std::vector<std::string> exchange(const std::string& own) override {
    const uint64_t length = own.size();
    put(&length, sizeof length);
    put(own.data(), own.size());
    uint64_t other_length = 0;
    get(&other_length, sizeof other_length);
    std::string other(other_length, '\0');
    get(other.data(), other.size());
    return index_ == 0 ? std::vector<std::string>{own, other}
                       : std::vector<std::string>{other, own};
  }

 private:
  void put(const void* from, size_t bytes) const {
    const auto* at = static_cast<const char*>(from);
    while (bytes > 0) step(at, bytes, write(socket_, at, bytes));
  }
  void get(void* to, size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) step(at, bytes, read(socket_, at, bytes));
  }
  template <class Pointer>
  static void step(Pointer& at, size_t& bytes, ssize_t moved) {
    if (moved <= 0) throw Error(ErrorKind::kEnvironment, "the other process is gone");
    at += moved;
    bytes -= static_cast<size_t>(moved);
  }

  int index_;
  int socket_;
};

/// job(peers) in two processes; it returns "" or what is wrong.
using Job = std::string (*)(Peers& peers);

std::string run_one(const Job& job, int index, int socket, const emulated::Settings& machine) {
  emulated::configure(machine);
  SocketPeers peers(index, socket);
  try {
    return job(peers);
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
}

void in_two_processes(const emulated::Settings& machine, const Job& job) {
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(sockets[0]);
    const std::string wrong = run_one(job, 1, sockets[1], machine);
    if (!wrong.empty()) std::fprintf(stderr, "process 1: %s\n", wrong.c_str());
    _exit(wrong.empty() ? 0 : 1);
  }
  close(sockets[1]);
  EXPECT_EQ(run_one(job, 0, sockets[0], machine), "");
  close(sockets[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "process 1 has failed";
}

GroupOptions two_a_gpu(Peers& peers) {
  GroupOptions options;
  options.ranks = 4;
  options.ranks_per_gpu = 2;
  options.peers = &peers;
  options.deadline_seconds = 30;
  return options;
}

std::string run_all(GpuGroup& group, const std::vector<std::string>& algorithms) {
  for (const std::string& algorithm : algorithms) {
    for (const bool lines : {false, true}) {
      RunOptions run;
      run.config = small_slots(lines, 2, 128);
      run.in_place = lines;
      const Shape shape{Collective::kAllReduce, 4, 0, 501, Dtype::kFloat32, Op::kAvg};
      const Outcome outcome = run_checked(group, algorithm, shape, run);
      if (!outcome.verdict.ok()) return outcome.context;
    }
  }
  return "";
}

TEST(Processes, ReachEachOtherThroughIpc) {
  in_two_processes({}, [](Peers& peers) -> std::string {
    const auto group = make_group(two_a_gpu(peers));
    if (group->transport() != "direct") return "is not direct";
    if (group->runner().locality().near.size() != 4) return "does not see all ranks";
    if (group->runner().locality().driven.size() != 2) return "drives other ranks";
    return run_all(*group, {"ring", "tree", "one-shot", "two-shot"});
  });
}

TEST(Processes, WithoutPeerAccessShareHostMemory) {
  emulated::Settings machine;
  machine.faults.broken_peer = {{0, 1}};
  in_two_processes(machine, [](Peers& peers) -> std::string {
    const auto group = make_group(two_a_gpu(peers));
    if (group->transport() != "host memory") return "is direct";
    if (group->runner().locality().near.size() != 2) return "sees other ranks";
    return run_all(*group, {"ring", "tree", "one-shot"});
  });
}

TEST(Processes, OnOneGpuAreRefused) {
  emulated::Settings machine;
  machine.devices = 1;
  in_two_processes(machine, [](Peers& peers) -> std::string {
    try {
      make_group(two_a_gpu(peers));
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.find("process 1 finds no GPU") != std::string::npos ? "" : text;
    }
    return "was accepted";
  });
}

TEST(Processes, AFailureOfOneIsTheFailureOfBoth) {
  in_two_processes({}, [](Peers& peers) -> std::string {
    if (peers.index() == 1) {
      emulated::Settings machine;
      machine.faults.fail_allocation = 1;
      emulated::configure(machine);
    }
    try {
      make_group(two_a_gpu(peers));
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.find("cannot allocate") != std::string::npos ? "" : text;
    }
    return "was accepted";
  });
}

TEST(Processes, AHangIsNamedByBoth) {
  in_two_processes({}, [](Peers& peers) -> std::string {
    GroupOptions options = two_a_gpu(peers);
    options.fault.stall_rank = 3;
    options.deadline_seconds = 0.5;
    const auto group = make_group(options);
    RunOptions run;
    run.config = small_slots(false, 1, 128);
    const Shape shape{Collective::kAllReduce, 4, 0, 501, Dtype::kFloat32, Op::kSum};
    try {
      run_checked(*group, "ring", shape, run);
    } catch (const Error& error) {
      const std::string text = error.what();
      for (const char* part : {"rank 3: takes no part", "rank 0: rank 0, lane 0",
                               "waits for data from rank 3", "rank 2: rank 2, lane 0"}) {
        if (text.find(part) == std::string::npos) return text;
      }
      return "";
    }
    return "did not hang";
  });
}

}  // namespace
}  // namespace arb
