// The last resort of --timeout: ends the process when nothing else did, at start-up and closing
// down too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace arb {

class Watchdog {
 public:
  /// After `seconds` and a grace in which the program may end by itself: a message, then _exit(4).
  /// `rank`: of this process in a job, whose first speaks first; the others are silent if they have
  /// nothing to say. All of them linger, since a launcher ends a job with its first process.
  explicit Watchdog(double seconds, int rank = 0);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// The time limit itself, without the grace.
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }

  /// Says in the message where the program stands, from the watchdog's own thread. Empty: nothing
  /// to say.
  void ask(std::function<std::string()> where);

  /// For a program that is about to end and says why itself: the last resort comes `seconds` from
  /// now.
  void postpone(double seconds);

 private:
  void watch();

  std::chrono::steady_clock::time_point deadline_;
  int rank_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::chrono::steady_clock::time_point end_;
  bool done_ = false;
  std::function<std::string()> where_;
  std::thread thread_;
};

}  // namespace arb
