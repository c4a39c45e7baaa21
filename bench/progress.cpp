#include "bench/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

namespace arb {

namespace {

constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
constexpr int kBarColumns = 20;
constexpr const char* kEraseLine = "\r\x1b[K";

int terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool can_redraw() {
  const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

Progress::Progress(Screen screen, double total)
    : screen_(std::move(screen)), total_(total), start_(screen_.now()) {}

Progress::~Progress() {
  try {
    clear();
  } catch (
      ...) {  // NOLINT(bugprone-empty-catch): a terminal that is gone is no reason to end badly
  }
}

void Progress::update(double done, const std::string& label) {
  if (!screen_.on) return;
  const auto now = screen_.now();
  if (ever_ && now - drawn_ < kBetweenDraws) return;
  screen_.out << kEraseLine << text(done, label, screen_.columns()) << std::flush;
  drawn_ = now;
  visible_ = true;
  ever_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  screen_.out << kEraseLine << std::flush;
  visible_ = false;
}

std::string Progress::text(double done, const std::string& label, int columns) const {
  const double share = total_ > 0 ? std::clamp(done / total_, 0.0, 1.0) : 0.0;
  const std::chrono::duration<double> passed = screen_.now() - start_;
  // Below one percent the rest would be guessed from next to nothing.
  const std::string left =
      share < 0.01 ? "" : format_duration(passed.count() * (1 - share) / share) + " left  ";
  const auto full = static_cast<size_t>(share * kBarColumns);
  const std::string bar = std::string(full, '#') + std::string(kBarColumns - full, '.');
  std::string line = fmt::format("[{}] {:3.0f} %  {}{}", bar, std::floor(100 * share), left, label);
  // The last column stays free: some terminals wrap when it is filled.
  const size_t room = static_cast<size_t>(std::max(1, columns - 1));
  return line.size() > room ? line.substr(0, room) : line;
}

Progress::Screen stderr_screen(bool wanted) {
  return {std::cerr, wanted && can_redraw(), terminal_columns, Progress::Clock::now};
}

std::string format_duration(double seconds) {
  if (!(seconds < 1e9)) return "long";
  const auto whole = static_cast<int64_t>(std::ceil(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace arb
