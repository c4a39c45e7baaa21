#include "collectives/runners/cuda/nccl.hpp"

#include "collectives/error.hpp"
#include "collectives/runners/cuda/nccl_list.hpp"

namespace arb {

Nccl::Nccl(const std::string& path) : library_(path, "ARB_NCCL_LIBRARY", "libnccl.so.2") {
  off_ = start();
}

std::string Nccl::start() {
  if (!library_.is_open()) return library_.error();
  const char* missing = nullptr;
  const auto need = [&](auto*& function, const char* symbol) {
    if (!library_.find(function, symbol) && missing == nullptr) missing = symbol;
  };
  need(get_version_, "ncclGetVersion");
  need(get_error_string_, "ncclGetErrorString");
  need(get_unique_id, "ncclGetUniqueId");
  need(comm_init_rank, "ncclCommInitRank");
  need(comm_destroy, "ncclCommDestroy");
  need(all_reduce, "ncclAllReduce");
  need(reduce_scatter, "ncclReduceScatter");
  need(all_gather, "ncclAllGather");
  need(broadcast, "ncclBroadcast");
  need(reduce, "ncclReduce");
  need(group_start, "ncclGroupStart");
  need(group_end, "ncclGroupEnd");
  if (missing != nullptr) return library_.name() + " has no " + missing;
  library_.find(get_last_error_, "ncclGetLastError");
  if (get_version_(&version_) != 0) return library_.name() + " does not say its version";
  if (version_ >= 2000 && version_ < 30000) return "";
  return library_.name() + " is NCCL " + version_text() + "; this program knows 2.x";
}

std::string Nccl::version_text() const { return nccl_version_text(version_); }

void Nccl::require(int result, const char* call) const {
  if (result == 0) return;
  std::string text = std::string(call) + " of NCCL " + version_text() + ": ";
  text += get_error_string_(result);
  const char* last = get_last_error_ != nullptr ? get_last_error_(nullptr) : nullptr;
  if (last != nullptr && *last != '\0') text += std::string(" (") + last + ")";
  throw Error(ErrorKind::kEnvironment, text + "; NCCL_DEBUG=WARN tells more");
}

const Nccl& nccl_here() {
  static const Nccl* const library = new Nccl;  // NOLINT(cppcoreguidelines-owning-memory)
  return *library;
}

}  // namespace arb
