// The GPUs of this folder's tests: the host may not touch their memory, they may not touch what is
// not theirs, and of a kernel only one block runs at a time.
#include <gtest/gtest.h>

#include "tests/cuda/emulated/emulator.hpp"

namespace arb {
namespace {

class EmulatedGpus : public testing::Environment {
 public:
  void SetUp() override {
    emulated::Settings settings = emulated::settings_from_environment();
    settings.hide_device_memory = true;
    settings.concurrency = emulated::Concurrency::kMean;
    settings.payload_switch = 0.001;  // no block waits for another
    settings.delays = false;
    settings.store_buffer = true;
    emulated::configure(settings);
  }
  void TearDown() override {
    for (const std::string& error : emulated::errors()) ADD_FAILURE() << error;
    EXPECT_EQ(emulated::counters().live_allocations, 0U);
    EXPECT_EQ(emulated::counters().live_streams, 0U);
  }
};

const testing::Environment* const kEmulatedGpus =
    testing::AddGlobalTestEnvironment(new EmulatedGpus);

}  // namespace
}  // namespace arb
