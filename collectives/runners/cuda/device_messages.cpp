// May MPI send from the memory of GPUs and receive into it? Libraries say yes that then fail, or
// say yes for one kind of path only: it is believed when data have arrived.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/runners/cuda/cuda_call.hpp"
#include "collectives/runners/cuda/gpu_world.hpp"
#include "collectives/runners/cuda/resources.hpp"

namespace arb {
namespace {

constexpr size_t kSmallest = 8;
constexpr size_t kLargest = size_t{1} << 20;  // libraries take another way for large messages

/// A kernel that runs while a network card writes into its GPU sees the data behind a counter only
/// where the GPU keeps them in order: others need a flush that no message waits for. Without
/// GPUDirect RDMA the library copies, and copies are complete.
bool orders_writes(int device) {
  int direct = 0;
  int ordering = 0;
  check_cuda(cudaDeviceGetAttribute(&direct, cudaDevAttrGPUDirectRDMASupported, device),
             "read the properties of a GPU");
  check_cuda(cudaDeviceGetAttribute(&ordering, cudaDevAttrGPUDirectRDMAWritesOrdering, device),
             "read the properties of a GPU");
  return direct == 0 || ordering >= cudaGPUDirectRDMAWritesOrderingOwner;
}

std::vector<unsigned char> pattern(int process, size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<unsigned char>(i * 31 + i / 251 + static_cast<size_t>(process) * 17 + 7);
  }
  return data;
}

bool all_say_yes(Peers& peers, bool own) {
  const std::vector<std::string> all = peers.exchange(own ? "yes" : "no");
  return std::all_of(all.begin(), all.end(), [](const std::string& said) { return said == "yes"; });
}

struct Trial {  // from each process to the next one
  explicit Trial(int device)
      : own(owned_device_memory(device, kLargest, "trying messages")),
        received(owned_device_memory(device, kLargest, "trying messages")) {}

  bool arrives(Peers& peers, size_t bytes) const {
    const auto sent = pattern(peers.index(), bytes);
    upload(own.get(), sent.data(), bytes, "write what is to be sent");
    peers.pass_on(own.get(), received.get(), bytes);
    std::vector<unsigned char> found(bytes);
    check_cuda(cudaMemcpy(found.data(), received.get(), bytes, cudaMemcpyDeviceToHost),
               "read what was received");
    return found == pattern((peers.index() + peers.count() - 1) % peers.count(), bytes);
  }

  std::shared_ptr<std::byte> own, received;
};

}  // namespace

bool device_messages_work(const GroupMap& map, Peers& peers) {
  std::optional<Trial> trial;
  try {
    const int gpu = map.first_own_gpu();
    const int device = gpu != kNone ? map.at(gpu).device : kNone;
    if (device != kNone && peers.claims_device_messages() && orders_writes(device)) {
      trial.emplace(device);
    }
  } catch (const Error&) {  // then it is not tried
  }
  if (!all_say_yes(peers, trial.has_value())) return false;
  bool right = true;
  for (const size_t bytes : {kSmallest, kLargest}) right = trial->arrives(peers, bytes) && right;
  return all_say_yes(peers, right);
}

}  // namespace arb
