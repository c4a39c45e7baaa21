#include "bench/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kGrace = std::chrono::milliseconds(1500);
constexpr auto kGraceOfOthers = std::chrono::milliseconds(1700);
constexpr auto kEnd = std::chrono::milliseconds(2000);  // of all, so that each is heard
constexpr int kExitTimeLimit = 4;

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Watchdog::Watchdog(double seconds, int rank)
    : deadline_(Clock::now() + duration(seconds)),
      rank_(rank),
      end_(deadline_ + (rank == 0 ? kGrace : kGraceOfOthers)),
      thread_([this] { watch(); }) {}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!done_ && Clock::now() < end_) {
    const auto end = end_;
    wake_.wait_until(lock, end);
  }
  if (done_) return;
  const std::string where = where_ ? where_() : "";
  if (rank_ == 0 || !where.empty()) {
    std::fprintf(stderr,
                 "allreduce-bench: time limit reached and the program did not end by itself%s%s"
                 "; reports on disk hold all finished cases\n",
                 where.empty() ? "" : ": ", where.c_str());
  }
  std::this_thread::sleep_until(deadline_ + kEnd);
  _exit(kExitTimeLimit);
}

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

void Watchdog::postpone(double seconds) {
  const std::lock_guard lock(mutex_);
  end_ = std::max(end_, Clock::now() + duration(seconds));
}

}  // namespace arb
