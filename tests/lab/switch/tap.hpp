// The network interface of a host: a TAP device whose other end this process holds.
#pragma once

#include <cstdint>
#include <string>

#include "tests/lab/switch/file_descriptor.hpp"
#include "tests/lab/switch/network_namespace.hpp"

namespace arb::lab {

/// 10.77.hi.lo of host + 1; all hosts are in 10.77.0.0/16.
std::string ip_address(int host);

/// Makes eth0 in the namespace of `host`, up, with its addresses and `mtu`; lo is up too. The
/// descriptor reads and writes whole Ethernet frames and does not block. Throws
/// Error{kEnvironment}.
FileDescriptor open_tap(const NetworkNamespace& space, int host, int mtu);

/// Frames that the kernel dropped on the way from the host's TCP to this process.
std::uint64_t dropped_frames(const NetworkNamespace& space);

}  // namespace arb::lab
