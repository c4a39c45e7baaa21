// Declarations of the memory operations for device code on a CPU. Only tests define them.
#pragma once

#include <cstdint>

namespace arb {

// Flags. T: uint32_t or uint64_t, aligned.
template <Scope kScope, class T>
T load_acquire(const T* from);
template <Scope kScope, class T>
T load_relaxed(const T* from);
template <Scope kScope, class T>
void store_release(T* to, T value);
template <Scope kScope, class T>
void store_relaxed(T* to, T value);

// Lines: two aligned 8-byte pairs, relaxed at system scope, in any order.
Line load_line(const Line* from);
void store_line(Line* to, const Line& line);

// Payload: weak. T: 1, 2, 4, 8 or 16 bytes (Vector16), aligned.
template <class T>
T load(const T* from);
template <class T>
void store(T* to, T value);

/// Between two polls of the same flag: every loop that waits calls it.
void pause();

}  // namespace arb
