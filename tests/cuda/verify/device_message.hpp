// A finished collective on GPUs: a Message whose buffers were copied there, guards included.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/verify/message.hpp"
#include "verify/buffer_tools.hpp"

namespace arb::test {

class DeviceMessage {
 public:
  /// Rank r lies on GPU r % gpus.
  DeviceMessage(const MessageSpec& spec, const ReductionOrder& order, int gpus = 2);

  Message& host() { return host_; }
  const BufferTools& tools() const { return *tools_; }
  std::vector<RankView> views() const;
  std::vector<MutableRank> mutable_views() const;

  /// All tiles by one call. `workers`: by as many, each with its share, merged.
  Verdict check(bool knows_order = true, size_t workers = 1) const;
  /// Injects the fault here and there.
  void inject(const Fault& fault, bool knows_order = true);
  /// Are all bytes, guards included, those of host()?
  bool equals_host();
  /// Changes a byte on the GPU alone.
  void flip(int rank, bool of_output, size_t byte);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  std::byte* message(const Memory& memory) const { return memory.get() + kGuardBytes; }
  const std::byte* on_host(int rank, bool of_output);

  MessageSpec spec_;
  Message host_;
  std::unique_ptr<BufferTools> tools_;
  size_t bytes_;                 // of a buffer with its guards
  std::vector<Memory> inputs_;   // [rank]
  std::vector<Memory> outputs_;  // [rank]; empty in place
};

/// Is the one verdict the other, in all words? (Errors in bounds are of samples on GPUs.)
bool same_words(const Verdict& a, const Verdict& b);
std::string words(const Verdict& verdict);

}  // namespace arb::test
