#include "bench/watchdog.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

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
        const std::string where = where_ ? where_() : "";
        std::fprintf(stderr,
                     "allreduce-bench: time limit reached and the program did not end by itself%s%s"
                     "; reports on disk hold all finished cases\n",
                     where.empty() ? "" : ": ", where.c_str());
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

void Watchdog::ask(std::function<std::string()> where) {
  const std::lock_guard lock(mutex_);
  where_ = std::move(where);
}

}  // namespace arb
