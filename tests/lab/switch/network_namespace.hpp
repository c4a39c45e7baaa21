// A named network namespace, as `ip netns` makes them: /run/netns/NAME. Gone with its owner, and so
// are the processes in it.
#pragma once

#include <string>

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

  static constexpr const char* kFolder = "/run/netns";
  static std::string path_of(const std::string& name);

  /// Ends the processes in it and removes it, if it is there.
  static void remove(const std::string& name);

 private:
  std::string name_;  // empty: moved from
  FileDescriptor fd_;
};

}  // namespace arb::lab
