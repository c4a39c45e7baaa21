// The only header that includes <mpi.h>: for the files of this folder and their tests.
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <utility>

namespace arb {

/// Throws Error{kInternal} with MPI's own words unless `code` is MPI_SUCCESS. `what`: the call.
void check_mpi(int code, const char* what);

/// Owns a communicator whose errors are returned, not fatal.
class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm comm) : comm_(comm) {}
  ~Communicator() { reset(); }
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Collective over `of`.
  static Communicator duplicate(MPI_Comm of);

  MPI_Comm get() const { return comm_; }
  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
  int rank() const;
  int size() const;
  void reset();  // collective; nothing after MPI_Finalize

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace arb
