// Calls of MPI that SimGrid makes dear, by others that do the same; an MPI program may define any
// of them (profiling interface). Simulated time is the same.
#include "collectives/runners/mpi/mpi.hpp"

extern "C" {

// Those that do not block send a message for each pair of ranks. The program waits at once anyway.

int MPI_Iallgather(const void* own, int count, MPI_Datatype type, void* all, int counts,
                   MPI_Datatype types, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allgather(own, count, type, all, counts, types, comm);
}

int MPI_Iallgatherv(const void* own, int count, MPI_Datatype type, void* all, const int* counts,
                    const int* starts, MPI_Datatype types, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allgatherv(own, count, type, all, counts, starts, types, comm);
}

int MPI_Iallreduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allreduce(own, all, count, type, op, comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Barrier(comm);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

// At least one: the others are not asked one by one.
int MPI_Waitsome(int count, MPI_Request* requests, int* ended, int* which, MPI_Status* statuses) {
  MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses;
  const int code = PMPI_Waitany(count, requests, which, status);
  *ended = which[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  return code;
}

}  // extern "C"
