// A named network namespace, as `ip netns` makes them: /run/netns/NAME. Gone with its owner, and so
// are the processes in it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/lab/switch/file_descriptor.hpp"

namespace arb::lab {

class NetworkNamespace {
 public:
  /// Makes it; one of that name that a crashed process left is removed first. Throws
  /// Error{kEnvironment}.
  explicit NetworkNamespace(std::string name);
  ~NetworkNamespace();
  NetworkNamespace(NetworkNamespace&& other) noexcept = default;
  NetworkNamespace& operator=(NetworkNamespace&&) = delete;

  const std::string& name() const { return name_; }
  std::string path() const { return path_of(name_); }

  /// The calling thread is in the namespace as long as this lives.
  class Visit {
   public:
    explicit Visit(const NetworkNamespace& space);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    FileDescriptor home_;
  };

  static std::string path_of(const std::string& name);

 private:
  std::string name_;  // empty: moved from
  FileDescriptor fd_;
};

/// Namespaces of instance `owner` (a process id) are called arb-lab-OWNER-hK.
std::string namespace_name(pid_t owner, int host);

/// Removes those whose owner is no lab-switch any more; their names.
std::vector<std::string> remove_abandoned_namespaces();

}  // namespace arb::lab
