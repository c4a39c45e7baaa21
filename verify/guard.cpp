#include <cstring>

#include "verify/check.hpp"
#include "verify/hash.hpp"
#include "verify/poison.hpp"

namespace arb {
namespace {

unsigned char guard_byte(size_t offset, unsigned salt) {
  return static_cast<unsigned char>(mix64((static_cast<uint64_t>(salt) << 32) + offset));
}

}  // namespace

void poison(void* buffer, size_t bytes) {
  auto* const to = static_cast<unsigned char*>(buffer);
  for (size_t i = 0; i < bytes; ++i) to[i] = poison_byte(i);
}

void set_guard(void* guard, size_t bytes, unsigned salt) {
  auto* const to = static_cast<unsigned char*>(guard);
  for (size_t i = 0; i < bytes; ++i) to[i] = guard_byte(i, salt);
}

long changed_guard(const void* guard, size_t bytes, unsigned salt) {
  const auto* const from = static_cast<const unsigned char*>(guard);
  for (size_t i = 0; i < bytes; ++i) {
    if (from[i] != guard_byte(i, salt)) return static_cast<long>(i);
  }
  return -1;
}

}  // namespace arb
