// What the program needs of MPI, asked of the simulation itself: if a newer SimGrid loses one of
// these, this says which. Prints one line per check; what counts is the last line (smpirun exits 0
// after an abort and after a deadlock).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "collectives/runners/mpi/mpi.hpp"

namespace probe {

// Ranks are modules of one process: these two would be one for all of them without -fno-gnu-unique.
struct Shared {
  static inline std::vector<int> ranks;
};
inline int count_calls() {
  static int calls = 0;
  return ++calls;
}

}  // namespace probe

namespace {

struct World {
  MPI_Comm comm;
  int rank, size;
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
};

bool on_all(const World& world, bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, world.comm);
  return all == 1;
}

bool statics_are_private(const World& world) {
  probe::Shared::ranks.push_back(world.rank);
  const int calls = probe::count_calls();
  MPI_Barrier(world.comm);
  return probe::Shared::ranks == std::vector<int>{world.rank} && calls == 1;
}

bool communicators(const World& world) {
  arb::Communicator twin = arb::Communicator::duplicate(world.comm);
  MPI_Comm half = MPI_COMM_NULL, node = MPI_COMM_NULL, few = MPI_COMM_NULL;
  MPI_Comm_split(twin.get(), world.rank % 2, -world.rank, &half);
  MPI_Comm_split(twin.get(), world.rank == 0 ? 0 : MPI_UNDEFINED, 0, &few);
  MPI_Comm_split_type(twin.get(), MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &node);
  const arb::Communicator a(half), b(few), c(node);
  const int last = (world.size - 1 - world.rank) / 2;  // keys are reversed
  return twin.rank() == world.rank && twin.size() == world.size && a.rank() == last &&
         static_cast<bool>(b) == (world.rank == 0) && c.size() == 1;
}

bool errors_are_returned(const World& world) {
  const arb::Communicator twin = arb::Communicator::duplicate(world.comm);
  int value = 0;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  const int code = MPI_Send(&value, 1, MPI_INT, world.size + 1, 0, twin.get());
  return code != MPI_SUCCESS && MPI_Error_string(code, text, &length) == MPI_SUCCESS && length > 0;
}

bool names_and_clock(const World& world) {
  char name[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, known = 0;
  void* value = nullptr;
  MPI_Comm_get_attr(world.comm, MPI_WTIME_IS_GLOBAL, &value, &known);
  const bool global = known != 0 && *static_cast<int*>(value) == 1;
  const bool named = MPI_Get_processor_name(name, &length) == MPI_SUCCESS && length > 0;
  MPI_Get_library_version(library, &length);
  return named && global && std::strstr(library, "SMPI") != nullptr;
}

bool computing_takes_no_time(const World&) {
  const double start = MPI_Wtime();
  volatile double sum = 0;
  for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  return MPI_Wtime() == start;
}

bool collectives(const World& world) {
  const auto size = static_cast<size_t>(world.size);
  std::vector<int> all(size), counts(size), starts(size);
  MPI_Allgather(&world.rank, 1, MPI_INT, all.data(), 1, MPI_INT, world.comm);
  bool ok = true;
  int total = 0;
  for (int i = 0; i < world.size; ++i) {
    ok = ok && all[i] == i;
    counts[i] = i;
    starts[i] = total;
    total += i;
  }
  const std::string mine(static_cast<size_t>(world.rank), static_cast<char>('a' + world.rank % 26));
  std::string text(static_cast<size_t>(total), '?'), wanted;
  MPI_Allgatherv(mine.data(), world.rank, MPI_CHAR, text.data(), counts.data(), starts.data(),
                 MPI_CHAR, world.comm);
  for (int i = 0; i < world.size; ++i)
    wanted.append(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
  double value = world.rank == 0 ? 2.5 : 0;
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, world.comm);
  return ok && text == wanted && value == 2.5;
}

bool collectives_that_do_not_block(const World& world) {
  const auto size = static_cast<size_t>(world.size);
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<int> all(size), counts(size, 1), starts(size), again(size);
  std::iota(starts.begin(), starts.end(), 0);
  MPI_Iallgather(&world.rank, 1, MPI_INT, all.data(), 1, MPI_INT, world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallgatherv(&world.rank, 1, MPI_INT, again.data(), counts.data(), starts.data(), MPI_INT,
                  world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double value = world.rank == 0 ? 2.5 : 0, most = world.rank;
  MPI_Ibcast(&value, 1, MPI_DOUBLE, 0, world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return all == starts && again == starts && value == 2.5 && most == world.size - 1;
}

bool requests_can_be_freed(const World& world) {
  const arb::Communicator twin = arb::Communicator::duplicate(world.comm);
  MPI_Request never = MPI_REQUEST_NULL;
  char nothing = 0;
  MPI_Irecv(&nothing, 1, MPI_BYTE, world.left(), 7, twin.get(), &never);
  bool ok = true;
  for (const int bytes : {8, 65'536, 300'000}) {
    const std::vector<char> out(static_cast<size_t>(bytes), static_cast<char>(world.rank));
    std::vector<char> in(out.size(), '?');
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), bytes, MPI_BYTE, world.right(), 0, twin.get(), &send);
    MPI_Recv(in.data(), bytes, MPI_BYTE, world.left(), 0, twin.get(), MPI_STATUS_IGNORE);
    ok = ok && std::count(in.begin(), in.end(), static_cast<char>(world.left())) == bytes;
    MPI_Barrier(twin.get());
    MPI_Request_free(&send);  // before it has left, a long one would never leave
  }
  MPI_Cancel(&never);
  return MPI_Request_free(&never) == MPI_SUCCESS && ok;
}

bool testsome(const World& world) {
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int none = 0, pending = 0, sent = 0, received = 0, which[3] = {}, from = -1;
  MPI_Testsome(3, requests, &none, which, MPI_STATUSES_IGNORE);
  MPI_Irecv(&from, 1, MPI_INT, world.left(), 0, world.comm, &requests[1]);
  MPI_Testsome(3, requests, &pending, which, MPI_STATUSES_IGNORE);
  MPI_Barrier(world.comm);
  MPI_Isend(&world.rank, 1, MPI_INT, world.right(), 0, world.comm, &requests[2]);
  MPI_Waitsome(3, requests, &sent, which, MPI_STATUSES_IGNORE);
  MPI_Barrier(world.comm);
  MPI_Barrier(world.comm);
  MPI_Testsome(3, requests, &received, which, MPI_STATUSES_IGNORE);
  return none == MPI_UNDEFINED && pending == 0 && sent == 1 && received == 1 && which[0] == 1 &&
         from == world.left() && requests[1] == MPI_REQUEST_NULL;
}

bool posted_receives_can_be_cancelled(const World& world) {
  const arb::Communicator twin = arb::Communicator::duplicate(world.comm);
  constexpr int kReceives = 8;
  std::vector<std::vector<char>> buffers(kReceives, std::vector<char>(100'000));
  std::vector<MPI_Request> requests(kReceives);
  for (int i = 0; i < kReceives; ++i) {
    const int bytes = i % 2 == 0 ? 100 : 100'000;  // short and long ones wait in different queues
    MPI_Irecv(buffers[i].data(), bytes, MPI_BYTE, world.left(), i / 4, twin.get(), &requests[i]);
  }
  MPI_Barrier(world.comm);
  int cancelled = 0;
  for (MPI_Request& request : requests) {
    MPI_Status status;
    int flag = 0;
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    cancelled += flag;
  }
  MPI_Barrier(world.comm);
  int received = -1;  // a later message must not meet one of them
  MPI_Sendrecv(&world.rank, 1, MPI_INT, world.right(), 0, &received, 1, MPI_INT, world.left(), 0,
               twin.get(), MPI_STATUS_IGNORE);
  return cancelled == kReceives && received == world.left();
}

/// Messages of several lanes (tags) with several slots each, in both directions, in one array of
/// requests that is waited for as a whole: each arrives once, and in the order of its lane.
bool pump(const World& world, int bytes, bool some) {
  constexpr int kLanes = 3, kSlots = 4, kMessages = 16, kReceives = kLanes * kSlots;
  const size_t words = static_cast<size_t>(bytes) / sizeof(int);
  std::vector<MPI_Request> requests(2 * kReceives, MPI_REQUEST_NULL);
  std::vector<std::vector<int>> buffers(2 * kReceives, std::vector<int>(words));
  std::vector<int> message(2 * kReceives);
  int sent[kLanes] = {}, posted[kLanes] = {};
  const auto start = [&](int i) {
    const int lane = i / kSlots % kLanes;
    const bool receives = i < kReceives;
    message[i] = receives ? posted[lane]++ : sent[lane]++;
    std::vector<int>& buffer = buffers[i];
    if (receives) {
      MPI_Irecv(buffer.data(), bytes, MPI_BYTE, world.left(), lane, world.comm, &requests[i]);
    } else {
      std::fill(buffer.begin(), buffer.end(), world.rank * 1000 + lane * 100 + message[i]);
      MPI_Isend(buffer.data(), bytes, MPI_BYTE, world.right(), lane, world.comm, &requests[i]);
    }
  };
  for (int i = 0; i < 2 * kReceives; ++i) start(i);
  bool ok = true;
  for (int done = 0; done < 2 * kLanes * kMessages;) {
    int ended = 1, which[2 * kReceives];
    if (some) {
      MPI_Waitsome(2 * kReceives, requests.data(), &ended, which, MPI_STATUSES_IGNORE);
    } else {
      MPI_Waitany(2 * kReceives, requests.data(), which, MPI_STATUS_IGNORE);
    }
    if (ended == MPI_UNDEFINED || which[0] == MPI_UNDEFINED) return false;
    for (int j = 0; j < ended; ++j) {
      const int i = which[j], lane = i / kSlots % kLanes;
      const int wanted = world.left() * 1000 + lane * 100 + message[i];
      ok = ok && requests[i] == MPI_REQUEST_NULL;
      if (i < kReceives)
        ok = ok &&
             std::count(buffers[i].begin(), buffers[i].end(), wanted) == std::ssize(buffers[i]);
      if ((i < kReceives ? posted : sent)[lane] < kMessages) start(i);
    }
    done += ended;
  }
  int none = 0, which[2 * kReceives];
  MPI_Waitsome(2 * kReceives, requests.data(), &none, which, MPI_STATUSES_IGNORE);
  return ok && none == MPI_UNDEFINED;
}

/// Seconds of one ring all-reduce of `bytes`, without its arithmetic: latest end - latest start.
double ring(const World& world, int bytes) {
  const int chunk = (bytes + world.size - 1) / world.size;
  std::vector<char> in(static_cast<size_t>(chunk)), out(in);
  MPI_Barrier(world.comm);
  double start = MPI_Wtime();
  for (int step = 0; step < 2 * (world.size - 1); ++step) {
    MPI_Request requests[2];
    MPI_Irecv(in.data(), chunk, MPI_BYTE, world.left(), 0, world.comm, &requests[0]);
    MPI_Isend(out.data(), chunk, MPI_BYTE, world.right(), 0, world.comm, &requests[1]);
    for (int done = 0, ended = 0, which[2]; done < 2; done += ended) {
      MPI_Waitsome(2, requests, &ended, which, MPI_STATUSES_IGNORE);
    }
  }
  double end = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, world.comm);
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, world.comm);
  return end - start;
}

bool ring_obeys_the_platform(const World& world, int bytes, double alpha, double beta) {
  const double steps = 2 * (world.size - 1);
  const double chunk = (bytes + world.size - 1) / world.size;
  const double law = steps * (alpha + chunk / beta), seconds = ring(world, bytes);
  if (world.rank == 0) std::printf("ring, %d bytes: %.9f s, law %.9f s\n", bytes, seconds, law);
  return std::abs(seconds / law - 1) < 0.001;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world{MPI_COMM_WORLD, 0, 0};
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.size);
  const double alpha = argc == 3 ? std::stod(argv[1]) : 0,
               beta = argc == 3 ? std::stod(argv[2]) : 0;

  std::vector<std::pair<std::string, std::function<bool()>>> checks = {
      {"statics are private", [&] { return statics_are_private(world); }},
      {"communicators", [&] { return communicators(world); }},
      {"errors are returned", [&] { return errors_are_returned(world); }},
      {"names and clock", [&] { return names_and_clock(world); }},
      {"computing takes no time", [&] { return computing_takes_no_time(world); }},
      {"collectives", [&] { return collectives(world); }},
      {"collectives that do not block", [&] { return collectives_that_do_not_block(world); }},
      {"freed requests", [&] { return requests_can_be_freed(world); }},
      {"testsome", [&] { return testsome(world); }},
      {"cancelled receives", [&] { return posted_receives_can_be_cancelled(world); }}};
  for (const int bytes : {8, 65'536, 65'540, 300'000}) {
    for (const bool some : {false, true}) {
      checks.emplace_back(std::string(some ? "waitsome " : "waitany ") + std::to_string(bytes),
                          [&world, bytes, some] { return pump(world, bytes, some); });
    }
  }
  for (const int bytes : {8, 65'536, 1 << 20, 1 << 24}) {
    checks.emplace_back("ring " + std::to_string(bytes),
                        [&, bytes] { return ring_obeys_the_platform(world, bytes, alpha, beta); });
  }
  size_t passed = 0;
  for (const auto& [name, check] : checks) {
    const bool ok = on_all(world, check());
    if (ok) ++passed;
    if (world.rank == 0) std::printf("%s: %s\n", name.c_str(), ok ? "ok" : "FAILED");
  }
  if (world.rank == 0) std::printf("%zu of %zu checks passed\n", passed, checks.size());
  MPI_Finalize();
  return passed == checks.size() ? 0 : 1;
}
