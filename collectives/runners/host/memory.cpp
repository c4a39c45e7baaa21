#include "collectives/runners/host/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "collectives/error.hpp"

namespace arb {

Pages::Pages(size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::kEnvironment, "cannot map " + std::to_string(bytes) +
                                             " bytes of memory: " + std::strerror(errno) +
                                             "; try smaller --sizes or fewer --ranks");
  }
  constexpr size_t kHugePage = size_t{2} << 20;
  if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace arb
