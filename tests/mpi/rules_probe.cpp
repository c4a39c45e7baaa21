// What MPI_Allreduce answers on communicators of 2 ranks up to all: rank 0 prints a line
// "RANKS BYTES ERROR_CLASS" for each of the sizes given. With "order BYTES": "RANKS BYTES RIGHT"
// for an operation that does not commute, RIGHT 0 or 1.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collectives/runners/mpi/mpi.hpp"

namespace {

constexpr int kPrime = 10007;

struct Map {  // x -> a x + b modulo kPrime
  int a, b;
};

Map then(const Map& first, const Map& second) {
  return {second.a * first.a % kPrime, (second.a * first.b + second.b) % kPrime};
}

void compose(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const Map*>(in);
  auto* right = static_cast<Map*>(in_out);
  for (int i = 0; i < *count; ++i) right[i] = then(left[i], right[i]);
}

Map input(int rank, int index) { return {rank + 2, 7 * rank + index + 1}; }

int answer(MPI_Comm comm, int bytes) {
  const std::vector<char> in(static_cast<size_t>(bytes) + 1);
  std::vector<char> out(in.size());
  const int code = MPI_Allreduce(in.data(), out.data(), bytes, MPI_CHAR, MPI_BOR, comm);
  int kind = 0;
  MPI_Error_class(code, &kind);
  return kind;
}

int right_order(MPI_Comm comm, int bytes) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Datatype map = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &map);
  MPI_Type_commit(&map);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(compose, 0, &op);
  const int count = bytes / static_cast<int>(sizeof(Map));
  std::vector<Map> in(static_cast<size_t>(count));
  std::vector<Map> out(in.size());
  for (int i = 0; i < count; ++i) in[static_cast<size_t>(i)] = input(rank, i);
  MPI_Allreduce(in.data(), out.data(), count, map, op, comm);
  int right = 1;
  for (int i = 0; i < count; ++i) {
    Map wanted = input(0, i);
    for (int r = 1; r < ranks; ++r) wanted = then(wanted, input(r, i));
    const Map& got = out[static_cast<size_t>(i)];
    if (got.a != wanted.a || got.b != wanted.b) right = 0;
  }
  int all = 0;
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, comm);
  MPI_Op_free(&op);
  MPI_Type_free(&map);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool order = argc > 1 && std::string(argv[1]) == "order";
  for (int size = std::min(2, ranks); size <= ranks; ++size) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) {
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      for (int i = order ? 2 : 1; i < argc; ++i) {
        const int bytes = std::atoi(argv[i]);
        const int said = order ? right_order(comm, bytes) : answer(comm, bytes);
        if (rank == 0) std::printf("%d %d %d\n", size, bytes, said);
      }
      MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
