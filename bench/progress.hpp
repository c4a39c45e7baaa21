// One line on stderr that says how far the sweep is; only ever on a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace arb {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// What it draws on, replaced in tests.
  struct Screen {
    std::ostream& out;
    bool on = false;  // false: nothing is ever written
    std::function<int()> columns;
    std::function<Clock::time_point()> now = Clock::now;
  };

  /// `total`: weight of all work, in any unit (expected seconds are best).
  Progress(Screen screen, double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total is behind us and `label` is in work. Redraws at most 10 times a second.
  void update(double done, const std::string& label);
  /// Takes the bar away, so that a line of results can be printed; the next update() redraws it.
  void clear();

 private:
  std::string text(double done, const std::string& label, int columns) const;

  Screen screen_;
  double total_;
  Clock::time_point start_;
  Clock::time_point drawn_;
  bool visible_ = false;
  bool ever_ = false;
};

/// stderr, if it is a terminal that can redraw a line and `wanted`.
Progress::Screen stderr_screen(bool wanted);

/// "7 s", "2 min 05 s", "1 h 03 min"
std::string format_duration(double seconds);

}  // namespace arb
