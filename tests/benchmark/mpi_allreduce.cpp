// MPI_Allreduce as a peer: completion time (latest end - latest start on the node's common clock),
// median over single operations, for the sizes given. Not part of the build: compare_with_mpi
// compiles it with mpicxx. usage: mpirun -np P mpi_allreduce SECONDS BYTES...      prints: BYTES
// MEDIAN_SECONDS SAMPLES
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double budget = std::atof(argv[1]);
  for (int a = 2; a < argc; ++a) {
    const size_t bytes = std::strtoull(argv[a], nullptr, 10);
    const int count = static_cast<int>(bytes / sizeof(float));
    std::vector<float> input(static_cast<size_t>(count), 1.0f), output(static_cast<size_t>(count));
    std::vector<double> samples;
    const double begin = now();
    int more = 1;
    for (int k = 0; more != 0; ++k) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = now();
      MPI_Allreduce(input.data(), output.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      const double end = now();
      double mine[2] = {start, end}, latest[2];
      MPI_Allreduce(mine, latest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (k >= 5) samples.push_back(latest[1] - latest[0]);
      more = (samples.size() < 7 || now() - begin < budget) && samples.size() < 20000 ? 1 : 0;
      MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    std::nth_element(samples.begin(), samples.begin() + static_cast<long>(samples.size() / 2),
                     samples.end());
    if (rank == 0) {
      std::printf("%zu %.9g %zu\n", bytes, samples[samples.size() / 2], samples.size());
      std::fflush(stdout);
    }
  }
  MPI_Finalize();
}
