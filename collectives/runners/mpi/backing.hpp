// How much shared memory there is. It has a roof of its own (/dev/shm: 64 MB in a container, half
// of the memory elsewhere), and who goes beyond is not told: Open MPI's processes wait for the one
// that could not make the file, and pages that do not fit are a signal when they are touched.
#pragma once

#include <cstddef>
#include <string>

namespace arb {

/// The folder of the file that is mapped at `address`; "" if there is none.
std::string folder_behind(const void* address);

/// Free bytes of the file system of `folder`; SIZE_MAX if unknown.
size_t free_bytes(const std::string& folder);

}  // namespace arb
