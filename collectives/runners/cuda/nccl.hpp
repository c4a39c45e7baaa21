// NCCL, found at run time: any 2.x will do. What is used of its interface is declared here, so that
// neither NCCL nor CUDA is needed to build.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "collectives/runners/cuda/shared_library.hpp"

namespace arb {

struct NcclUniqueId {
  char bytes[128];
};

using NcclComm = void*;
using NcclStream = void*;  // cudaStream_t

/// The functions, by the names of nccl.h without their prefix. They return 0 for success.
class Nccl {
 public:
  /// path: of the library; empty: what ARB_NCCL_LIBRARY names, or libnccl.so.2. Never throws.
  explicit Nccl(const std::string& path = "");

  /// Why it cannot be used; empty: it can.
  const std::string& off() const { return off_; }
  int version() const { return version_; }  // 22809
  std::string version_text() const;         // "2.28.9"

  /// Throws Error{kEnvironment} with what was called and NCCL's own words.
  void require(int result, const char* call) const;

  int (*get_unique_id)(NcclUniqueId*) = nullptr;
  int (*comm_init_rank)(NcclComm*, int ranks, NcclUniqueId id, int rank) = nullptr;
  int (*comm_destroy)(NcclComm) = nullptr;
  int (*all_reduce)(const void* send, void* receive, size_t count, int dtype, int op, NcclComm comm,
                    NcclStream stream) = nullptr;
  int (*reduce_scatter)(const void* send, void* receive, size_t receive_count, int dtype, int op,
                        NcclComm comm, NcclStream stream) = nullptr;
  int (*all_gather)(const void* send, void* receive, size_t send_count, int dtype, NcclComm comm,
                    NcclStream stream) = nullptr;
  int (*broadcast)(const void* send, void* receive, size_t count, int dtype, int root,
                   NcclComm comm, NcclStream stream) = nullptr;
  int (*reduce)(const void* send, void* receive, size_t count, int dtype, int op, int root,
                NcclComm comm, NcclStream stream) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;

 private:
  std::string start();

  SharedLibrary library_;
  int (*get_version_)(int*) = nullptr;
  const char* (*get_error_string_)(int) = nullptr;
  const char* (*get_last_error_)(NcclComm) = nullptr;  // since 2.13
  int version_ = 0;
  std::string off_;
};

/// The library of this process, opened when first asked for and never closed: NCCL's threads may
/// outlive its communicators.
const Nccl& nccl_here();

}  // namespace arb
