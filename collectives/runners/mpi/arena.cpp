#include "collectives/runners/mpi/arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/backing.hpp"

namespace arb {
namespace {

constexpr int kTries = 16;                       // addresses
constexpr size_t kFirstStep = size_t{1} << 20;   // between the first two, then twice as far
constexpr size_t kKeptBytes = size_t{16} << 20;  // a larger free block is released, not kept
constexpr size_t kMostWaste = 4;  // a free block is used again for at least a quarter of its size
constexpr size_t kMargin = size_t{1} << 20;  // MPI's own part of a window, with room to spare

size_t round_to_page(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Addresses without memory. MAP_FAILED: not to be had.
void* reserve(void* at, size_t bytes, int flags) {
  return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

[[noreturn]] void no_memory(size_t bytes, const std::string& why) {
  throw Error(ErrorKind::kEnvironment,
              "no " + std::to_string(bytes) +
                  " bytes of memory that the processes of this node could share: " + why +
                  "; try smaller sizes, --path messages, or in a container --shm-size");
}

}  // namespace

Arena::Arena(const Communicator& node, const Waiting& waiting)
    : node_(node.get()), waiting_(waiting), processes_(node.size()), first_(node.rank() == 0) {
  if (processes_ == 1) return;
  Block& block = grow(sizeof(SpinBarrier));
  block.used = true;
  barrier_ = reinterpret_cast<SpinBarrier*>(block.data);
  if (first_) {
    new (block.data) SpinBarrier(processes_);
    folder_ = folder_behind(block.data);
    room_ = free_bytes(folder_);
  }
  check_mpi(MPI_Barrier(node_), "MPI_Barrier");
}

Arena::~Arena() {
  if (std::uncaught_exceptions() > 0) return;
  for (const auto& block : blocks_) release(*block);
}

void Arena::release(Block& block) {
  munmap(block.data, block.bytes);
  MPI_Win_free(&block.window);
}

/// What is free is the same in all processes, so all release the same blocks.
void Arena::release_large() {
  std::erase_if(blocks_, [](const std::unique_ptr<Block>& block) {
    if (block->used || block->bytes < kKeptBytes) return false;
    release(*block);
    return true;
  });
}

bool Arena::meet() {
  if (barrier_ == nullptr) return true;
  return barrier_->arrive_and_wait_while(
      [this](Patience& patience) { return waiting_.pause(patience); }, waiting_.spins());
}

Arena::Block* Arena::find(size_t bytes) {
  for (const auto& block : blocks_) {
    if (!block->used && block->bytes >= bytes && block->bytes / kMostWaste <= bytes) {
      return block.get();
    }
  }
  return nullptr;
}

std::shared_ptr<std::byte> Arena::allocate(size_t bytes) {
  if (bytes == 0) return nullptr;
  bytes = round_to_page(bytes);
  if (processes_ == 1) return private_memory(bytes);
  Block* block = find(bytes);
  if (block == nullptr) {
    release_large();
    block = &grow(bytes);
  } else {
    // Everybody has given it back before anybody writes to it, and sees zeros afterwards.
    const bool met = meet();
    if (first_) std::memset(block->data, 0, bytes);
    if (!met || !meet()) throw Error(ErrorKind::kTimeLimit, "waited for another process's memory");
  }
  block->used = true;
  return {block->data, [block](std::byte*) { block->used = false; }};
}

bool Arena::fits(size_t bytes) const {
  bytes += kMargin;
  return bytes <= free_bytes(folder_) && bytes <= room_ - std::min(taken_, room_);
}

bool Arena::all_agree(bool mine) const {
  int all = mine ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, node_), "MPI_Allreduce");
  return all != 0;
}

/// Reserves an address range that is free in all processes; the kernel's choice for the first of
/// them usually is, because all run the same program. What is in the way may be large (libraries,
/// the memory of a sanitizer), so the first reserves ever more, and the next try is that far away.
std::byte* Arena::common_address(size_t bytes) {
  std::vector<std::pair<void*, size_t>> refused;
  std::byte* found = nullptr;
  for (int attempt = 0; attempt < kTries && found == nullptr; ++attempt) {
    const size_t span = !first_ || attempt == 0 ? bytes : bytes + (kFirstStep << attempt);
    void* mine = MAP_FAILED;
    if (first_) mine = reserve(nullptr, span, 0);
    auto wanted = reinterpret_cast<uint64_t>(mine);
    check_mpi(MPI_Bcast(&wanted, 1, MPI_UINT64_T, 0, node_), "MPI_Bcast");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that another process has told
    auto* const address = reinterpret_cast<std::byte*>(wanted);
    if (!first_ && address != MAP_FAILED) mine = reserve(address, span, MAP_FIXED_NOREPLACE);
    const bool got = mine != MAP_FAILED && mine == address;
    if (all_agree(got)) {
      found = address;
      if (span > bytes) munmap(address + bytes, span - bytes);
    } else if (mine != MAP_FAILED) {
      refused.emplace_back(mine, span);  // kept until the end: the kernel offers another one
    }
  }
  for (const auto& [at, size] : refused) munmap(at, size);
  return found;
}

void Arena::map_again(Block& block, size_t bytes) {
  MPI_Aint size = 0;
  int unit = 0;
  std::byte* own = nullptr;
  check_mpi(MPI_Win_shared_query(block.window, 0, &size, &unit, &own), "MPI_Win_shared_query");
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t offset = reinterpret_cast<uintptr_t>(own) % page;
  block.bytes = bytes;
  block.data = common_address(bytes);
  if (block.data == nullptr) no_memory(bytes, "no address is free in all of them");
  // An old size of 0 makes a second mapping of the same pages: mremap(2).
  void* const second = mremap(own + (offset == 0 ? 0 : page - offset), 0, bytes,
                              MREMAP_MAYMOVE | MREMAP_FIXED, block.data);
  if (!all_agree(second == block.data)) no_memory(bytes, "the window cannot be mapped twice");
}

Arena::Block& Arena::grow(size_t bytes) {
  bytes = round_to_page(bytes);
  auto block = std::make_unique<Block>();
  void* base = nullptr;
  if (!all_agree(fits(bytes))) no_memory(bytes, "the file system of shared memory is too small");
  taken_ += bytes;
  // A page more: MPI may put the window anywhere in a page.
  const size_t whole = bytes + static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const int code =
      MPI_Win_allocate_shared(first_ ? static_cast<MPI_Aint>(whole) : 0, 1, MPI_INFO_NULL, node_,
                              static_cast<void*>(&base), &block->window);
  if (!all_agree(code == MPI_SUCCESS)) no_memory(bytes, "MPI_Win_allocate_shared failed");
  map_again(*block, bytes);
  blocks_.push_back(std::move(block));
  return *blocks_.back();
}

}  // namespace arb
