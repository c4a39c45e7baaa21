#include "bench/watchdog.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace arb {
namespace {

constexpr double kGraceSeconds = 1.5;
constexpr int kExitTimeLimit = 4;

}  // namespace

Watchdog::Watchdog(double seconds)
    : thread_([this, seconds] {
        std::unique_lock lock(mutex_);
        const auto limit = std::chrono::duration<double>(seconds + kGraceSeconds);
        if (wake_.wait_for(lock, limit, [this] { return done_; })) return;
        std::fputs(
            "allreduce-bench: time limit reached and the program did not end by itself; reports on "
            "disk hold all finished cases\n",
            stderr);
        _exit(kExitTimeLimit);
      }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

}  // namespace arb
