// What the lab is tested with: the simplest things to measure, with nothing of allreduce-bench in
// them, so that a wrong lab and a wrong program are told apart.
//   pingpong  between the first and the last rank: half the round trip is alpha + K/beta
//   incast    all send K bytes to rank 0 at once: alpha + (N-1) K/beta
//   ring      a textbook AllReduce: 2(N-1) alpha + 2(N-1)/N K/beta
// usage: mpirun ... lab-pingpong SAMPLES BYTES...     BYTES: multiples of 4
// Prints one line of JSON; exits 3 if a sum is wrong.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kWarmups = 2;

int rank = 0, ranks = 1;

/// One clock for all hosts, since they are one machine.
double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// All ranks return at one moment of the common clock. After a barrier alone the first is up to
/// alpha ahead of the last, which would be time for free: its data are under way already.
double start_together() {
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = now();
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now() + 2 * (now() - before) + 1e-3;  // a broadcast is through by then
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double nap = start - now() - 2e-4;
  if (nap > 0) std::this_thread::sleep_for(std::chrono::duration<double>(nap));
  while (now() < start) sched_yield();
  return start;
}

double half_round_trip(std::vector<float>& data) {
  const int count = static_cast<int>(data.size()), last = ranks - 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now();
  if (rank == 0) {
    MPI_Send(data.data(), count, MPI_FLOAT, last, 0, MPI_COMM_WORLD);
    MPI_Recv(data.data(), count, MPI_FLOAT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == last) {
    MPI_Recv(data.data(), count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data.data(), count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  }
  return (now() - start) / 2;
}

/// Rank 0 alone measures.
double incast_time(std::vector<float>& data, std::vector<float>& incoming) {
  const int count = static_cast<int>(data.size());
  std::vector<MPI_Request> requests;
  if (rank == 0) {
    incoming.resize(data.size() * static_cast<size_t>(ranks));
    for (int from = 1; from < ranks; ++from) {
      float* place = incoming.data() + data.size() * static_cast<size_t>(from);
      MPI_Irecv(place, count, MPI_FLOAT, from, 2, MPI_COMM_WORLD, &requests.emplace_back());
    }
  }
  const double start = start_together();
  if (rank != 0) {
    MPI_Isend(data.data(), count, MPI_FLOAT, 0, 2, MPI_COMM_WORLD, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return now() - start;
}

/// Chunk c of the message, c modulo the number of ranks.
struct Chunk {
  size_t begin, end;
  Chunk(int c, size_t count) {
    const auto n = static_cast<size_t>(ranks), k = static_cast<size_t>((c + 2 * ranks) % ranks);
    begin = count * k / n;
    end = count * (k + 1) / n;
  }
  int size() const { return static_cast<int>(end - begin); }
};

void ring(std::vector<float>& data, std::vector<float>& incoming) {
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    const bool reduces = step < ranks - 1;
    const Chunk out(rank - step, data.size()), in(rank - step - 1, data.size());
    float* target = reduces ? incoming.data() : data.data() + in.begin;
    MPI_Sendrecv(data.data() + out.begin, out.size(), MPI_FLOAT, right, 1, target, in.size(),
                 MPI_FLOAT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (size_t i = in.begin; reduces && i < in.end; ++i) data[i] += incoming[i - in.begin];
  }
}

double ring_time(std::vector<float>& data, std::vector<float>& incoming) {
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>(rank + static_cast<int>(i % 7));
  const double start = start_together();
  ring(data, incoming);
  double end = now();
  for (size_t i = 0; i < data.size(); ++i) {
    const int right = ranks * (ranks - 1) / 2 + ranks * static_cast<int>(i % 7);
    if (data[i] == static_cast<float>(right)) continue;
    std::fprintf(stderr, "rank %d: element %zu is %g, not %d\n", rank, i, data[i], right);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return end - start;
}

template <typename Once>
std::string row(int samples, size_t bytes, Once once) {
  std::vector<double> times;
  for (int k = -kWarmups; k < samples; ++k) {
    const double seconds = once();
    if (k >= 0) times.push_back(seconds);
  }
  std::sort(times.begin(), times.end());
  char text[128];
  std::snprintf(text, sizeof text, R"({"bytes": %zu, "min_s": %.9f, "median_s": %.9f})", bytes,
                times.front(), times[times.size() / 2]);
  return text;
}

std::string host_names() {
  std::vector<char> all(static_cast<size_t>(ranks) * MPI_MAX_PROCESSOR_NAME);
  char own[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(own, &length);
  MPI_Gather(own, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0,
             MPI_COMM_WORLD);
  std::string text;
  for (int r = 0; r < ranks; ++r) {
    text += std::string(r == 0 ? "\"" : ", \"") +
            &all[static_cast<size_t>(r) * MPI_MAX_PROCESSOR_NAME] + "\"";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int samples = argc > 2 ? std::atoi(argv[1]) : 0;
  if (samples < 1 || ranks < 2) {
    if (rank == 0) {
      std::fprintf(stderr,
                   "usage: mpirun -np 2 lab-pingpong SAMPLES BYTES... (two ranks or more)\n");
    }
    MPI_Finalize();
    return 2;
  }
  std::string pingpongs, incasts, rings;
  for (int k = 2; k < argc; ++k) {
    const size_t bytes = std::strtoull(argv[k], nullptr, 10) / sizeof(float) * sizeof(float);
    std::vector<float> data(bytes / sizeof(float)), incoming(data.size());
    const std::string comma = k == 2 ? "" : ", ";
    pingpongs += comma + row(samples, bytes, [&] { return half_round_trip(data); });
    incasts += comma + row(samples, bytes, [&] { return incast_time(data, incoming); });
    rings += comma + row(samples, bytes, [&] { return ring_time(data, incoming); });
  }
  const std::string hosts = host_names();
  if (rank == 0) {
    std::printf(
        "{\"ranks\": %d, \"hosts\": [%s], \"pingpong\": [%s], \"incast\": [%s], \"ring\": [%s]}\n",
        ranks, hosts.c_str(), pingpongs.c_str(), incasts.c_str(), rings.c_str());
  }
  MPI_Finalize();
  return 0;
}
