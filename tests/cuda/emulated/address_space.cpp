#include "tests/cuda/emulated/address_space.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace arb::emulated {
namespace {

constexpr uintptr_t kAreaBytes = uintptr_t{32} << 30;
constexpr size_t kMostRecords = size_t{1} << 16;

void* map_fixed(uintptr_t at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return mmap(reinterpret_cast<void*>(at), bytes, protection, flags | MAP_FIXED | MAP_NORESERVE, fd,
              offset);
}

}  // namespace

AddressSpace::AddressSpace(int devices, uint64_t memory_bytes, uint64_t seed)
    : areas_(static_cast<size_t>(devices) + 2),
      used_(static_cast<size_t>(devices)),
      memory_bytes_(std::min<uint64_t>(memory_bytes, kAreaBytes / 2)),
      garbage_(seed) {
  reserved_ = kAreaBytes * areas_.size();
  const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* base = mmap(nullptr, reserved_, PROT_NONE, anonymous, -1, 0);
  void* pages = mmap(nullptr, (reserved_ >> kPageBits) * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                     anonymous, -1, 0);
  if (base == MAP_FAILED || pages == MAP_FAILED) {
    throw std::runtime_error("no addresses for the memory of emulated GPUs");
  }
  base_ = reinterpret_cast<uintptr_t>(base);
  pages_ = static_cast<uint32_t*>(pages);
  records_.reserve(kMostRecords);  // pointers to records stay valid
  records_.emplace_back();
  for (size_t i = 0; i < areas_.size(); ++i) {
    Area& area = areas_[i];
    area.begin = area.cursor = area.used_end = base_ + i * kAreaBytes;
    area.end = area.begin + kAreaBytes;
  }
  for (int device = 0; device < devices; ++device) {
    Area& area = areas_[static_cast<size_t>(device)];
    area.fd = memfd_create("emulated GPU", MFD_CLOEXEC);
    if (area.fd < 0 || ftruncate(area.fd, kAreaBytes) != 0 ||
        map_fixed(area.begin, kAreaBytes, PROT_READ | PROT_WRITE, MAP_SHARED, area.fd, 0) ==
            MAP_FAILED) {
      throw std::runtime_error("no memory for an emulated GPU");
    }
  }
}

AddressSpace::~AddressSpace() {
  munmap(reinterpret_cast<void*>(base_), reserved_);
  munmap(pages_, (reserved_ >> kPageBits) * sizeof(uint32_t));
  for (const Area& area : areas_) {
    if (area.fd >= 0) close(area.fd);
  }
}

std::optional<uintptr_t> AddressSpace::place(Area& area, size_t bytes) {
  const uintptr_t need = ((bytes + kPage - 1) & ~(kPage - 1)) + kPage;
  // Addresses are not used again before all others were, so that a stale pointer is found out.
  for (int round = 0; round < 2; ++round) {
    uintptr_t at = area.cursor;
    auto next = area.live.lower_bound(at);
    while (at + need <= area.end) {
      if (next == area.live.end() || at + need <= next->first) {
        area.cursor = at + need;
        area.used_end = std::max(area.used_end, area.cursor);
        return at;
      }
      at = ((records_[next->second].end() + kPage - 1) & ~(kPage - 1)) + kPage;
      ++next;
    }
    area.cursor = area.begin;
  }
  return std::nullopt;
}

Allocation* AddressSpace::record(Area& area, const Allocation& allocation) {
  uint32_t id = 0;
  if (!spare_records_.empty() && records_.size() + 1 >= kMostRecords / 2) {
    id = spare_records_.back();
    spare_records_.pop_back();
  } else if (records_.size() < kMostRecords) {
    id = static_cast<uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    return nullptr;
  }
  Allocation& made = records_[id];
  made = allocation;
  made.live = true;
  area.live[made.base] = id;
  const uintptr_t first = (made.base - base_) >> kPageBits;
  const uintptr_t last = (made.end() - base_) >> kPageBits;  // with the page behind
  for (uintptr_t page = first; page <= last; ++page) pages_[page] = id;
  ++live_;
  return &made;
}

void AddressSpace::fill_with_garbage(const Allocation& allocation) {
  uint64_t page[kPage / sizeof(uint64_t)];
  for (uint64_t& word : page) word = garbage_();
  auto* to = reinterpret_cast<char*>(allocation.base);
  for (size_t done = 0; done < allocation.bytes; done += kPage) {
    std::memcpy(to + done, page, std::min<size_t>(kPage, allocation.bytes - done));
  }
}

Allocation* AddressSpace::allocate_device(int device, size_t bytes) {
  const auto index = static_cast<size_t>(device);
  if (bytes > memory_bytes_ - used_[index]) return nullptr;
  Area& area = areas_[index];
  const auto at = place(area, bytes);
  if (!at) return nullptr;
  Allocation* made = record(area, {.base = *at,
                                   .bytes = bytes,
                                   .kind = Allocation::Kind::kDevice,
                                   .owner = device,
                                   .device = device});
  if (made == nullptr) return nullptr;
  used_[index] += bytes;
  if (hidden_) {
    hide_device_memory(false);
    fill_with_garbage(*made);
    hide_device_memory(true);
  } else {
    fill_with_garbage(*made);
  }
  return made;
}

Allocation* AddressSpace::allocate_pinned(size_t bytes, unsigned flags) {
  Area& area = areas_[used_.size()];
  const auto at = place(area, bytes);
  if (!at || map_fixed(*at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                 MAP_FAILED) {
    return nullptr;
  }
  Allocation* made = record(
      area, {.base = *at, .bytes = bytes, .kind = Allocation::Kind::kPinned, .flags = flags});
  if (made != nullptr) fill_with_garbage(*made);
  return made;
}

Allocation* AddressSpace::register_host(uintptr_t base, size_t bytes, unsigned flags) {
  const auto next = registered_.lower_bound(base);
  if (next != registered_.end() && next->first < base + bytes) return nullptr;
  if (next != registered_.begin() && std::prev(next)->second.end() > base) return nullptr;
  Allocation& made = registered_[base];
  made = {.base = base,
          .bytes = bytes,
          .kind = Allocation::Kind::kRegistered,
          .flags = flags,
          .live = true};
  ++live_;
  return &made;
}

void AddressSpace::release(Allocation& allocation) {
  --live_;
  if (allocation.kind == Allocation::Kind::kRegistered) {
    registered_.erase(allocation.base);
    return;
  }
  const auto index = (allocation.base - base_) / kAreaBytes;
  Area& area = areas_[index];
  const auto entry = area.live.find(allocation.base);
  spare_records_.push_back(entry->second);
  area.live.erase(entry);
  allocation.live = false;
  const size_t bytes = (allocation.bytes + kPage - 1) & ~(kPage - 1);
  if (allocation.kind == Allocation::Kind::kDevice) {
    used_[index] -= allocation.bytes;
    fallocate(area.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(allocation.base - area.begin), static_cast<off_t>(bytes));
  } else {
    map_fixed(allocation.base, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
}

void AddressSpace::release_all(int device) {
  Area& area = areas_[static_cast<size_t>(device)];
  while (!area.live.empty()) release(records_[area.live.begin()->second]);
}

const Allocation* AddressSpace::find_registered(uintptr_t address) const {
  auto next = registered_.upper_bound(address);
  if (next == registered_.begin()) return nullptr;
  const Allocation& found = std::prev(next)->second;
  return address < found.end() ? &found : nullptr;
}

Allocation* AddressSpace::starts_at(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const Allocation* found = find(address);
  if (found == nullptr || !found->live || found->base != address) return nullptr;
  return const_cast<Allocation*>(found);
}

ExportedMemory AddressSpace::export_memory(Allocation& allocation) {
  allocation.exported = true;
  shared_ = true;
  const Area& area = areas_[static_cast<size_t>(allocation.owner)];
  return {.magic = ExportedMemory::kMagic,
          .pid = getpid(),
          .fd = area.fd,
          .offset = allocation.base - area.begin,
          .bytes = allocation.bytes,
          .physical_device = allocation.owner};
}

Allocation* AddressSpace::import_memory(const ExportedMemory& memory) {
  const uint64_t key = (static_cast<uint64_t>(memory.pid) << 40) ^
                       (static_cast<uint64_t>(memory.fd) << 32) ^ memory.offset >> kPageBits;
  Area& area = areas_.back();
  for (const auto& [base, id] : area.live) {
    Allocation& known = records_[id];
    if (known.import_key == key) {
      ++known.opened;
      return &known;
    }
  }
  const std::string path =
      "/proc/" + std::to_string(memory.pid) + "/fd/" + std::to_string(memory.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  const auto at = place(area, memory.bytes);
  const bool mapped = at && map_fixed(*at, memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                                      static_cast<off_t>(memory.offset)) != MAP_FAILED;
  close(fd);
  if (!mapped) return nullptr;
  shared_ = true;
  return record(area, {.base = *at,
                       .bytes = memory.bytes,
                       .kind = Allocation::Kind::kImported,
                       .owner = memory.physical_device,
                       .opened = 1,
                       .import_key = key});
}

void AddressSpace::hide_device_memory(bool hidden) {
  hidden_ = hidden;
  for (const Area& area : areas_) {
    if (area.fd < 0 || area.used_end == area.begin) continue;
    mprotect(reinterpret_cast<void*>(area.begin), area.used_end - area.begin,
             hidden ? PROT_NONE : PROT_READ | PROT_WRITE);
  }
}

}  // namespace arb::emulated
