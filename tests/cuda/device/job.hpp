// A schedule as tables of the interpreter, in ordinary memory: all ranks on one GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/runners/cuda/tables.hpp"
#include "collectives/runners/host/scheduled.hpp"
#include "collectives/schedule/schedule.hpp"
#include "cpu_memory.hpp"

namespace arb {

struct JobConfig {
  Protocol protocol = Protocol::kSimple;
  int channels = 1;
  int slots = 2;
  size_t slot_bytes = 64;  // payload
  bool in_place = false;
  size_t unalign = 0;          // elements by which buffers are off their 16 bytes
  uint64_t first_message = 0;  // what all counters start from
  uint32_t threads = 3;
};

class Job {
 public:
  Job(const std::string& algorithm, const Shape& shape, const JobConfig& config);
  Job(const Schedule& schedule, const Shape& shape, const JobConfig& config);

  /// Fills the inputs with data of `seed`, runs the kernel, and compares all outputs, bit by bit,
  /// with what the host runner makes of the same schedule. Returns what is wrong, or nothing.
  std::string run_checked(uint64_t seed);

  /// Runs the kernel alone.
  void run(const DeviceControl& control = {});

  size_t blocks() const { return blocks_.size(); }
  std::vector<DeviceReport>& reports() { return reports_; }

 private:
  struct FifoMemory {
    std::vector<Line> slots;
    alignas(64) uint64_t tail = 0;
    alignas(64) uint64_t head = 0;
  };
  void compile(const Facts& facts);

  Schedule schedule_;
  Shape shape_;
  JobConfig config_;
  Facts facts_;
  ReductionOrder order_;
  SlotConfig slots_;
  Tiling tiling_;
  std::vector<DeviceSlice> full_, last_;
  std::vector<std::unique_ptr<FifoMemory>> fifos_;
  std::vector<std::unique_ptr<std::vector<DeviceStep>>> steps_;
  std::vector<std::unique_ptr<std::vector<DeviceFifoEnd>>> ends_;
  std::vector<std::unique_ptr<uint64_t>> words_;
  std::vector<std::unique_ptr<std::vector<uint64_t>>> events_;
  std::vector<std::vector<uint64_t>> scratch_;
  std::vector<DeviceBlock> blocks_;
  std::vector<DeviceReport> reports_;
  std::vector<std::vector<uint64_t>> memory_;  // [rank]: input, output
  std::vector<RankBuffers> buffers_;
};

}  // namespace arb
