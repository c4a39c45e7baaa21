// A library of collectives for the tests, with NCCL's interface. The ranks of a communicator are in
// one process; a collective is a loop of the host over memory that the host can read, which
// emulated GPU memory is, run by the last of the streams that gets there. It notes NCCL_ALGO
// whenever a communicator is made, as NCCL does.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

// cudaLaunchHostFunc(), of a program that has it.
extern "C" __attribute__((weak)) int fake_nccl_host_function(void* stream, void (*function)(void*),
                                                             void* data);

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;

struct Id {
  char bytes[128];
};

struct Comm {
  std::string id;
  int ranks = 0, rank = 0;
  std::string algo;
};

enum class What { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce };

struct Call {
  What what;
  const char* send;
  char* receive;
  size_t count;
  int dtype, op, root;
  Comm* comm;
  void* stream;
};

int ids = 0;
int open = 0;
int depth = 0;
std::map<std::string, std::vector<int>> joined;  // ranks of every identifier
std::vector<Call> calls;
std::string last_algo;

size_t size_of(int dtype) {
  constexpr size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return kBytes[dtype];
}

template <typename T>
void fold(T& into, T value, int op) {
  if (op == 1) {
    into = static_cast<T>(into * value);
  } else if (op == 2) {
    into = std::max(into, value);
  } else if (op == 3) {
    into = std::min(into, value);
  } else {
    into = static_cast<T>(into + value);
  }
}

template <typename T>
void reduce_as(const std::vector<Call>& group, size_t first, size_t count, char* to) {
  const Call& any = group.front();
  std::vector<T> result(count);
  for (size_t r = 0; r < group.size(); ++r) {
    for (size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, group[r].send + (first + i) * sizeof(T), sizeof(T));
      if (r == 0) {
        result[i] = value;
      } else {
        fold(result[i], value, any.op);
      }
    }
  }
  if (any.op == 4) {
    for (T& value : result) value = static_cast<T>(value / static_cast<T>(group.size()));
  }
  std::memcpy(to, result.data(), count * sizeof(T));
}

int reduce_range(const std::vector<Call>& group, size_t first, size_t count, char* to) {
  switch (group.front().dtype) {
    case 2:
      reduce_as<int>(group, first, count, to);
      return kSuccess;
    case 7:
      reduce_as<float>(group, first, count, to);
      return kSuccess;
    case 8:
      reduce_as<double>(group, first, count, to);
      return kSuccess;
    default:
      return kInvalidArgument;
  }
}

int run(std::vector<Call> group) {
  std::sort(group.begin(), group.end(),
            [](const Call& a, const Call& b) { return a.comm->rank < b.comm->rank; });
  const Call& any = group.front();
  const size_t bytes = any.count * size_of(any.dtype);
  int result = kSuccess;
  if (any.what == What::kAllReduce) {
    std::vector<char> sum(bytes);
    result = reduce_range(group, 0, any.count, sum.data());
    for (const Call& call : group) std::memcpy(call.receive, sum.data(), bytes);
  } else if (any.what == What::kReduceScatter) {
    std::vector<std::vector<char>> blocks(group.size(), std::vector<char>(bytes));
    for (size_t r = 0; r < group.size(); ++r) {
      result = reduce_range(group, r * any.count, any.count, blocks[r].data());
    }
    for (size_t r = 0; r < group.size(); ++r) {
      std::memcpy(group[r].receive, blocks[r].data(), bytes);
    }
  } else if (any.what == What::kAllGather) {
    for (const Call& to : group) {
      for (size_t r = 0; r < group.size(); ++r) {
        std::memmove(to.receive + r * bytes, group[r].send, bytes);
      }
    }
  } else if (any.what == What::kBroadcast) {
    const char* from = group[static_cast<size_t>(any.root)].send;
    for (const Call& call : group) std::memmove(call.receive, from, bytes);
  } else {
    std::vector<char> sum(bytes);
    result = reduce_range(group, 0, any.count, sum.data());
    std::memcpy(group[static_cast<size_t>(any.root)].receive, sum.data(), bytes);
  }
  return result;
}

/// One collective on its streams: captured in graphs it may be passed many times.
struct Pending {
  std::vector<Call> group;
  std::vector<int> passed;  // [call]
  int done = 0;

  void pass(size_t i) {
    ++passed[i];
    while (*std::min_element(passed.begin(), passed.end()) > done) {
      run(group);
      ++done;
    }
  }
};

struct Arrival {
  Pending* pending;
  size_t call;
};

std::deque<Pending> pending;  // for as long as the library: graphs may still name them
std::deque<Arrival> arrivals;

int start(const std::vector<Call>& group) {
  if (static_cast<int>(group.size()) != group.front().comm->ranks) return kInvalidUsage;
  if (fake_nccl_host_function == nullptr) return run(group);
  Pending& one = pending.emplace_back(Pending{group, std::vector<int>(group.size()), 0});
  for (size_t i = 0; i < group.size(); ++i) {
    Arrival& arrival = arrivals.emplace_back(Arrival{&one, i});
    const auto pass = [](void* data) {
      const auto* at = static_cast<const Arrival*>(data);
      at->pending->pass(at->call);
    };
    if (fake_nccl_host_function(group[i].stream, pass, &arrival) != 0) return kInvalidUsage;
  }
  return kSuccess;
}

/// All calls of one communicator identifier are one collective.
int run_calls() {
  std::map<std::string, std::vector<Call>> groups;
  for (const Call& call : calls) groups[call.comm->id].push_back(call);
  calls.clear();
  for (const auto& [id, group] : groups) {
    if (const int result = start(group); result != kSuccess) return result;
  }
  return kSuccess;
}

int add(const Call& call) {
  if (call.comm == nullptr || call.receive == nullptr) return kInvalidArgument;
  calls.push_back(call);
  return depth > 0 ? kSuccess : run_calls();
}

}  // namespace

EXPORT int ncclGetVersion(int* version) {
  const char* told = std::getenv("FAKE_NCCL_VERSION");
  *version = told != nullptr ? std::atoi(told) : 22809;
  return kSuccess;
}

EXPORT const char* ncclGetErrorString(int code) {
  return code == kInvalidArgument ? "invalid argument" : "invalid usage";
}

EXPORT int ncclGetUniqueId(Id* id) {
  if (std::getenv("FAKE_NCCL_NO_ID") != nullptr) return kInvalidUsage;
  std::memset(id->bytes, 0x80, sizeof id->bytes);  // bytes that are no text
  id->bytes[0] = static_cast<char>(++ids);
  id->bytes[1] = 0;
  return kSuccess;
}

EXPORT int ncclCommInitRank(void** comm, int ranks, Id id, int rank) {
  const char* algo = std::getenv("NCCL_ALGO");
  last_algo = algo != nullptr ? algo : "";
  const std::string name(id.bytes, sizeof id.bytes);
  std::vector<int>& there = joined[name];
  if (rank < 0 || rank >= ranks) return kInvalidArgument;
  if (std::find(there.begin(), there.end(), rank) != there.end()) return kInvalidUsage;
  there.push_back(rank);
  *comm = new Comm{name, ranks, rank, last_algo};
  ++open;
  return kSuccess;
}

EXPORT int ncclCommDestroy(void* comm) {
  delete static_cast<Comm*>(comm);
  --open;
  return kSuccess;
}

EXPORT int ncclGroupStart() {
  ++depth;
  return kSuccess;
}

EXPORT int ncclGroupEnd() { return --depth > 0 ? kSuccess : run_calls(); }

EXPORT int ncclAllReduce(const void* send, void* receive, size_t count, int dtype, int op,
                         void* comm, void* stream) {
  return add({What::kAllReduce, static_cast<const char*>(send), static_cast<char*>(receive), count,
              dtype, op, 0, static_cast<Comm*>(comm), stream});
}

EXPORT int ncclReduceScatter(const void* send, void* receive, size_t count, int dtype, int op,
                             void* comm, void* stream) {
  return add({What::kReduceScatter, static_cast<const char*>(send), static_cast<char*>(receive),
              count, dtype, op, 0, static_cast<Comm*>(comm), stream});
}

EXPORT int ncclAllGather(const void* send, void* receive, size_t count, int dtype, void* comm,
                         void* stream) {
  return add({What::kAllGather, static_cast<const char*>(send), static_cast<char*>(receive), count,
              dtype, 0, 0, static_cast<Comm*>(comm), stream});
}

EXPORT int ncclReduce(const void* send, void* receive, size_t count, int dtype, int op, int root,
                      void* comm, void* stream) {
  return add({What::kReduce, static_cast<const char*>(send), static_cast<char*>(receive), count,
              dtype, op, root, static_cast<Comm*>(comm), stream});
}

#ifndef FAKE_BARE
EXPORT int ncclBroadcast(const void* send, void* receive, size_t count, int dtype, int root,
                         void* comm, void* stream) {
  return add({What::kBroadcast, static_cast<const char*>(send), static_cast<char*>(receive), count,
              dtype, 0, root, static_cast<Comm*>(comm), stream});
}
#endif

// For tests: what happened.
EXPORT const char* fake_nccl_last_algo() { return last_algo.c_str(); }
EXPORT int fake_nccl_open() { return open; }
