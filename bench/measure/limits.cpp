#include "bench/measure/limits.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <vector>

#include "bench/measure/statistics.hpp"
#include "collectives/ops/kernels.hpp"
#include "collectives/runners/host/memory.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPasses = 9;
constexpr size_t kBlockBytes = kStreamBlockBytes;

/// Median GB/s of `pass(worker)` over all workers, which move `bytes` in all. Not the best: on
/// shared machines a pass now and then finds the neighbours idle.
template <typename Pass>
double median_rate(Crew& crew, double bytes, const Pass& pass) {
  const auto workers = static_cast<size_t>(crew.workers());
  std::barrier together(crew.workers());
  std::vector<Clock::time_point> starts(workers), ends(workers);
  std::vector<double> rates;
  for (int k = 0; k < kPasses; ++k) {
    crew.on_all([&](int worker) {
      together.arrive_and_wait();
      starts[static_cast<size_t>(worker)] = Clock::now();
      pass(worker);
      ends[static_cast<size_t>(worker)] = Clock::now();
    });
    const auto span = *std::max_element(ends.begin(), ends.end()) -
                      *std::max_element(starts.begin(), starts.end());
    const double seconds = std::chrono::duration<double>(span).count();
    if (seconds > 0) rates.push_back(bytes / seconds / 1e9);
  }
  return rates.empty() ? 0 : median(rates);
}

}  // namespace

MemoryLimits measure_memory_limits(Crew& crew, size_t array_bytes) {
  const auto workers = static_cast<size_t>(crew.workers());
  std::vector<Pages> a, b, c;
  for (size_t w = 0; w < workers; ++w) {
    a.emplace_back(array_bytes);
    b.emplace_back(array_bytes);
    c.emplace_back(array_bytes);
  }
  const Kernels add = kernels(Dtype::kFloat32, Op::kSum);
  crew.on_all([&](int worker) {  // pages are touched by who uses them
    const auto w = static_cast<size_t>(worker);
    for (const Pages* array : {&a[w], &b[w], &c[w]})
      std::fill_n(array->data(), array_bytes, std::byte{0});
  });
  const auto each_block = [&](const auto& visit) {
    for (size_t at = 0; at < array_bytes; at += kBlockBytes)
      visit(at, std::min(kBlockBytes, array_bytes - at));
  };
  const auto total = static_cast<double>(workers * array_bytes);
  MemoryLimits limits;
  limits.copy_gbps = median_rate(crew, 2 * total, [&](int worker) {
    const auto w = static_cast<size_t>(worker);
    each_block([&](size_t at, size_t bytes) {
      stream_copy(c[w].data() + at, a[w].data() + at, bytes, {a[w].data() + at + bytes, nullptr});
    });
    stream_fence();
  });
  limits.add_gbps = median_rate(crew, 3 * total, [&](int worker) {
    const auto w = static_cast<size_t>(worker);
    alignas(kCacheLine) std::byte block[kBlockBytes];
    each_block([&](size_t at, size_t bytes) {
      add.reduce(block, a[w].data() + at, b[w].data() + at, bytes / sizeof(float));
      stream_copy(c[w].data() + at, block, bytes,
                  {a[w].data() + at + bytes, b[w].data() + at + bytes});
    });
    stream_fence();
  });
  return limits;
}

size_t limit_array_bytes(size_t last_level_bytes, size_t usable_memory_bytes, int workers) {
  constexpr size_t kLeast = size_t{32} << 20;
  const auto parts = static_cast<size_t>(workers);
  const size_t wanted = std::max(2 * last_level_bytes / parts, kLeast);
  return std::max<size_t>(std::min(wanted, usable_memory_bytes / 8 / parts), kBlockBytes);
}

std::optional<Prepared> prepare_copy_limit(Runner& runner, const Shape& shape, bool in_place) {
  std::optional<Made> made = runner.make_copy_limit(shape, in_place);
  if (!made) return std::nullopt;
  Prepared prepared;
  prepared.algorithm = "memory copy";
  prepared.kind = kReference;
  prepared.protocol = std::move(made->protocol);
  prepared.operation = std::move(made->operation);
  return prepared;
}

}  // namespace arb
