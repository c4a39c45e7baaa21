#include "collectives/runners/cuda/group_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/gather.hpp"
#include "collectives/runners/cuda/hex.hpp"
#include "collectives/runners/cuda/resources.hpp"

namespace arb {
namespace {

constexpr const char* kContainers =
    "; in containers, all processes need the same --pid and --ipc namespace";

}  // namespace

GroupMemory::~GroupMemory() {
  if (peers_ == nullptr || gpus_lost() || std::uncaught_exceptions() > 0) return;
  try {
    free_retired();
  } catch (...) {  // the processes have lost each other: the end of this one frees everything
  }
}

void GroupMemory::free_retired() {
  if (!books_->pending) return;
  peers_->barrier();
  for (const auto& [device, memory] : books_->retired) free_device_memory(device, memory);
  books_->retired.clear();
  books_->pending = false;
}

std::shared_ptr<std::byte> GroupMemory::own(int device, size_t bytes, const char* purpose) {
  if (peers_ == nullptr) return owned_device_memory(device, bytes, purpose);
  return {device_memory(device, bytes, purpose),
          [books = books_, device](std::byte* at) { books->retired.emplace_back(device, at); }};
}

/// Into the one GPU of this process.
void GroupMemory::open(int gpu, const std::string& handle, GroupBlock& block,
                       Strictness strictness) {
  const auto index = static_cast<size_t>(gpu);
  const int reader = map_.first_own_gpu();
  if (reader == kNone || !map_.same_node(reader, gpu)) return;
  if (strictness == Strictness::kAll && !map_.linked(reader, gpu)) return;
  use_device(map_.at(reader).device);
  cudaIpcMemHandle_t shared{};
  from_hex(handle, shared.reserved);
  void* data = nullptr;
  const cudaError_t code = cudaIpcOpenMemHandle(&data, shared, cudaIpcMemLazyEnablePeerAccess);
  if (code != cudaSuccess) {
    cudaGetLastError();
    block.refused[index] = describe(code);
    if (strictness == Strictness::kWhatCanBe) return;
    throw Error(ErrorKind::kEnvironment, "cannot open the memory of " + map_.name_of(gpu) + ": " +
                                             describe(code) + kContainers);
  }
  block.on[index] = static_cast<std::byte*>(data);
  block.parts.push_back({block.on[index], [](std::byte* at) {
                           if (!gpus_lost()) cudaIpcCloseMemHandle(at);
                         }});
}

void GroupMemory::map_host(const std::string& name, size_t bytes, bool create, GroupBlock& block) {
  const auto check = [&](bool ok, const char* what) {
    if (!ok) {
      throw Error(ErrorKind::kEnvironment,
                  std::string("cannot ") + what + " " + in_binary_units(bytes) +
                      " of memory that the processes share: " + std::strerror(errno) +
                      "; in a container: --shm-size");
    }
  };
  const int file = shm_open(name.c_str(), create ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
  check(file >= 0, "open");
  const bool sized = !create || posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
  void* const data =
      sized ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  check(data != MAP_FAILED, "map");
  std::shared_ptr<std::byte> pages{static_cast<std::byte*>(data),
                                   [bytes](std::byte* at) { munmap(at, bytes); }};
  check_cuda(cudaHostRegister(data, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped),
             "pin memory that the processes share");
  block.parts.push_back({pages.get(), [pages](std::byte* at) {
                           if (!gpus_lost()) cudaHostUnregister(at);
                         }});
  void* mapped = nullptr;
  check_cuda(cudaHostGetDevicePointer(&mapped, data, 0), "map pinned host memory");
  block.host = static_cast<std::byte*>(mapped);
  block.host_view = static_cast<std::byte*>(data);
}

/// The process that makes the host memory of this one's node: the first there.
int GroupMemory::host_owner() const {
  const std::vector<int> nodes = peers_->nodes();
  const int node = nodes[static_cast<size_t>(peers_->index())];
  return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
}

/// Returns the name under which others find it.
std::string GroupMemory::host_memory(size_t bytes, const char* purpose, GroupBlock& block) {
  if (peers_ == nullptr) {
    PinnedMemory pinned(bytes, purpose);
    block.host = pinned.device();
    block.host_view = pinned.host();
    block.parts.push_back({pinned.host(), [pinned](std::byte*) {}});
    return "";
  }
  if (peers_->index() != host_owner()) return "";
  std::string name =
      "/allreduce-bench-" + std::to_string(getpid()) + "-" + std::to_string(host_blocks_++);
  map_host(name, bytes, true, block);
  return name;
}

std::shared_ptr<const GroupBlock> GroupMemory::allocate(const std::vector<size_t>& bytes,
                                                        size_t host_bytes, const char* purpose,
                                                        Strictness strictness) {
  if (peers_ != nullptr) free_retired();
  std::shared_ptr<GroupBlock> block{new GroupBlock, [books = books_](GroupBlock* released) {
                                      delete released;
                                      books->pending = true;
                                    }};
  block->on.resize(bytes.size());
  block->refused.resize(bytes.size());
  // What was planned, then the host memory's name, then a handle for each GPU in turn.
  std::string plan = std::to_string(host_bytes);
  for (const size_t each : bytes) plan += "," + std::to_string(each);
  std::string host_name;
  const auto unlink = [&] {
    if (!host_name.empty()) shm_unlink(host_name.c_str());
  };
  try {
    const std::vector<std::string> all = gather(peers_, [&] {
      if (host_bytes > 0) host_name = host_memory(host_bytes, purpose, *block);
      return plan + ";" + host_name + own_parts(bytes, purpose, *block);
    });
    if (peers_ == nullptr) return block;
    gather(peers_, [&] {
      open_all(all, plan, bytes, host_bytes, *block, strictness);
      return std::string();
    });
  } catch (...) {
    unlink();
    throw;
  }
  unlink();
  return block;
}

/// Of the GPUs of this process; returns what others open them by.
std::string GroupMemory::own_parts(const std::vector<size_t>& bytes, const char* purpose,
                                   GroupBlock& block) {
  std::string handles;
  for (int gpu = 0; gpu < map_.gpu_count(); ++gpu) {
    const auto index = static_cast<size_t>(gpu);
    if (!map_.mine(gpu) || bytes[index] == 0) continue;
    block.parts.push_back(own(map_.at(gpu).device, bytes[index], purpose));
    block.on[index] = block.parts.back().get();
    if (peers_ == nullptr) continue;
    cudaIpcMemHandle_t handle;
    check_cuda(cudaIpcGetMemHandle(&handle, block.on[index]),
               "share memory of a GPU with another process");
    handles += ";" + to_hex(handle.reserved);
  }
  return handles;
}

/// said: [process] what allocate() made it say.
void GroupMemory::open_all(const std::vector<std::string>& said, const std::string& plan,
                           const std::vector<size_t>& bytes, size_t host_bytes, GroupBlock& block,
                           Strictness strictness) {
  std::vector<size_t> at(said.size());  // [process] of its next word
  const auto next_word = [&](size_t process) {
    const std::string& text = said[process];
    const size_t begin = at[process];
    const size_t end = std::min(text.find(';', begin), text.size());
    at[process] = std::min(end + 1, text.size());
    return text.substr(begin, end - begin);
  };
  for (size_t process = 0; process < said.size(); ++process) {
    if (next_word(process) != plan) {
      throw Error(ErrorKind::kEnvironment,
                  "the processes have planned different memory: are their GPUs and options the "
                  "same?");
    }
    const std::string name = next_word(process);
    const int owner = host_owner();
    if (host_bytes > 0 && peers_->index() != owner && static_cast<int>(process) == owner) {
      map_host(name, host_bytes, false, block);
    }
  }
  for (int gpu = 0; gpu < map_.gpu_count(); ++gpu) {
    if (bytes[static_cast<size_t>(gpu)] == 0) continue;
    const std::string handle = next_word(static_cast<size_t>(map_.at(gpu).process));
    if (!map_.mine(gpu)) open(gpu, handle, block, strictness);
  }
}

}  // namespace arb
