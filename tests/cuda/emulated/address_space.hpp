// Where everything that kernels may touch lies: an area of addresses for each device, one for
// pinned host memory, one for memory of other processes; and host memory registered wherever it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace arb::emulated {

inline constexpr int kHost = -1;  // owner of host memory

struct Allocation {
  enum class Kind { kDevice, kPinned, kRegistered, kImported };
  uintptr_t base = 0;
  size_t bytes = 0;
  Kind kind = Kind::kDevice;
  int owner = kHost;
  int device = 0;  // current one when it was made
  unsigned flags = 0;
  bool live = false;
  bool exported = false;
  int opened = 0;  // imported: how often
  uint64_t import_key = 0;

  uintptr_t end() const { return base + bytes; }
};

/// What an IPC handle says.
struct ExportedMemory {
  static constexpr uint64_t kMagic = 0x617262656d755f31;
  uint64_t magic = 0;
  int32_t pid = 0;
  int32_t fd = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  int32_t physical_device = 0;

  bool valid() const { return magic == kMagic && bytes != 0; }
};

class AddressSpace {
 public:
  AddressSpace(int devices, uint64_t memory_bytes, uint64_t seed);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Filled with garbage, as the memory of a GPU. Null: no memory.
  Allocation* allocate_device(int device, size_t bytes);
  Allocation* allocate_pinned(size_t bytes, unsigned flags);
  Allocation* register_host(uintptr_t base, size_t bytes, unsigned flags);
  void release(Allocation& allocation);
  void release_all(int device);

  /// The one that holds `address`; freed ones are found until their addresses are used again.
  const Allocation* find(uintptr_t address) const {
    const uintptr_t offset = address - base_;
    if (offset < reserved_) {
      const uint32_t id = pages_[offset >> kPageBits];
      return id == 0 ? nullptr : &records_[id];
    }
    return registered_.empty() ? nullptr : find_registered(address);
  }
  /// A live one that holds all of [address, address + bytes), or null.
  const Allocation* holds(uintptr_t address, size_t bytes) const {
    const Allocation* found = find(address);
    return found != nullptr && found->live && address >= found->base &&
                   bytes <= found->end() - address && address < found->end() + (bytes == 0)
               ? found
               : nullptr;
  }
  /// Whether `address` is one that this class hands out.
  bool reserves(uintptr_t address) const { return address - base_ < reserved_; }
  Allocation* starts_at(const void* memory);

  ExportedMemory export_memory(Allocation& allocation);
  /// Maps it; a second time: counts. Null: that process or memory is gone.
  Allocation* import_memory(const ExportedMemory& memory);
  /// Whether another process may read or write memory of this one, or the reverse.
  bool shared() const { return shared_; }

  uint64_t free_bytes(int device) const { return memory_bytes_ - used_[device]; }
  uint64_t live() const { return live_; }
  void hide_device_memory(bool hidden);

 private:
  static constexpr int kPageBits = 12;
  static constexpr uintptr_t kPage = uintptr_t{1} << kPageBits;
  struct Area {
    uintptr_t begin = 0, end = 0;
    uintptr_t cursor = 0, used_end = 0;
    int fd = -1;
    std::map<uintptr_t, uint32_t> live;  // base -> record
  };

  const Allocation* find_registered(uintptr_t address) const;
  /// Pages for `bytes` with an unused page behind them.
  std::optional<uintptr_t> place(Area& area, size_t bytes);
  Allocation* record(Area& area, const Allocation& allocation);
  void fill_with_garbage(const Allocation& allocation);

  uintptr_t base_ = 0;
  uintptr_t reserved_ = 0;
  uint32_t* pages_ = nullptr;  // [page of the reserved addresses]: its record
  std::vector<Area> areas_;    // devices, pinned, imported
  std::vector<Allocation> records_;
  std::vector<uint32_t> spare_records_;
  std::map<uintptr_t, Allocation> registered_;
  std::vector<uint64_t> used_;
  uint64_t memory_bytes_ = 0;
  uint64_t live_ = 0;
  std::mt19937_64 garbage_;
  bool shared_ = false;
  bool hidden_ = false;
};

}  // namespace arb::emulated
