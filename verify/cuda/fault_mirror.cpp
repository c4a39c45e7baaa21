#include "verify/cuda/fault_mirror.hpp"

#include <algorithm>

#include "verify/fault_sites.hpp"

namespace arb {
namespace {

/// A copy of one buffer from its first real element to the guard behind its last.
class MirroredBuffer {
 public:
  MirroredBuffer(int rank, std::byte* message, const std::vector<Range>& parts, size_t element,
                 const DeviceCopies& copies)
      : rank_(rank), copies_(copies) {
    if (message == nullptr || parts.empty()) return;
    size_t begin = parts.front().begin;
    size_t end = 0;
    for (const Range& part : parts) {
      begin = std::min(begin, part.begin);
      end = std::max(end, part.begin + part.size);
    }
    original_ = message + begin * element;
    copy_.resize((end - begin) * element + kGuardBytes);
    copies_.read(rank_, original_, copy_.size(), copy_.data());
    start_ = start_of_message(copy_.data(), begin * element);
  }

  std::byte* start() const { return start_; }
  void write_back() const {
    if (original_ != nullptr) copies_.write(rank_, copy_.data(), copy_.size(), original_);
  }

 private:
  int rank_;
  const DeviceCopies& copies_;
  std::vector<std::byte> copy_;
  std::byte* original_ = nullptr;
  std::byte* start_ = nullptr;
};

}  // namespace

void apply_on_gpus(const Fault& fault, const CheckSpec& spec, const std::vector<MutableRank>& ranks,
                   const DeviceCopies& copies) {
  const FaultKind kind = fault.kind;
  if (kind == FaultKind::kNothing || is_of_run_time(kind)) return;
  const FaultSites sites(spec, ranks);
  std::vector<MirroredBuffer> mirrors;
  std::vector<MutableRank> mirrored;
  mirrors.reserve(2 * ranks.size());
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    const MutableRank& buffers = ranks[static_cast<size_t>(rank)];
    std::vector<Range> outputs = sites.parts(has_output, rank);
    const std::vector<Range> inputs = sites.parts(has_input, rank);
    if (spec.in_place) outputs.insert(outputs.end(), inputs.begin(), inputs.end());
    mirrors.emplace_back(rank, buffers.output, outputs, sites.size(), copies);
    std::byte* const output = mirrors.back().start();
    if (spec.in_place) {
      mirrored.push_back({output, output});
      continue;
    }
    mirrors.emplace_back(rank, buffers.input, inputs, sites.size(), copies);
    mirrored.push_back({mirrors.back().start(), output});
  }
  apply(fault, spec, mirrored);
  for (const MirroredBuffer& mirror : mirrors) mirror.write_back();
}

}  // namespace arb
