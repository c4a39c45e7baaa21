// The last resort of --timeout: ends the process when nothing else did, at start-up and closing
// down too.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace arb {

class Watchdog {
 public:
  /// After `seconds` and a grace in which the program may end by itself: a message, then _exit(4).
  explicit Watchdog(double seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Says in the message where the program stands, from the watchdog's own thread. Empty: nothing
  /// to say.
  void ask(std::function<std::string()> where);

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::function<std::string()> where_;
  std::thread thread_;
};

}  // namespace arb
