// Joins the TAP devices of the hosts by the law of the network, in real time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/lab/switch/exchange.hpp"
#include "tests/lab/switch/instance.hpp"
#include "tests/lab/switch/lateness.hpp"
#include "tests/lab/switch/options.hpp"
#include "tests/lab/switch/tap.hpp"

namespace arb::lab {

class Switch {
 public:
  /// Makes the namespaces and their devices. Throws Error{kEnvironment}.
  explicit Switch(const Options& options);

  int hosts() const { return static_cast<int>(spaces_.size()); }
  const std::string& folder() const { return folder_.path(); }
  const NetworkNamespace& space(int host) const { return spaces_[static_cast<size_t>(host)]; }

  /// Carries frames until SIGINT, SIGTERM or, if asked for, the end of standard input.
  void run();

  struct Statistics {
    std::uint64_t frames = 0, bytes = 0;  // read from hosts
    std::uint64_t drops = 0;              // by the kernel, either way
    Lateness lateness;                    // of deliveries
  };
  Statistics statistics() const;

 private:
  void deliver();
  bool wait();  // false: standard input ended, or a signal came
  void read_frames();

  bool until_eof_;
  Exchange exchange_;
  Folder folder_;  // outlives the processes in the namespaces
  std::vector<NetworkNamespace> spaces_;
  std::vector<FileDescriptor> taps_;
  Bytes buffer_;
  Statistics statistics_;
};

}  // namespace arb::lab
