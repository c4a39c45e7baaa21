#include "collectives/runners/mpi/mpi.hpp"

#include <exception>
#include <string>

#include "collectives/error.hpp"

namespace arb {

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::kInternal,
              std::string(what) + ": " + std::string(text, static_cast<size_t>(length)));
}

Communicator Communicator::duplicate(MPI_Comm of) {
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(of, &comm), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return Communicator(comm);
}

int Communicator::rank() const {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  return rank;
}

int Communicator::size() const {
  int size = 0;
  check_mpi(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
  return size;
}

void Communicator::reset() {
  if (comm_ == MPI_COMM_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  // While the stack is unwound the others may be anywhere: the process is about to end.
  if (finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
  comm_ = MPI_COMM_NULL;
}

}  // namespace arb
