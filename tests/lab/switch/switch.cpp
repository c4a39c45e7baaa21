#include "tests/lab/switch/switch.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace arb::lab {

namespace {

constexpr int kPriority = 50;
constexpr int kFramesPerTurn = 16;  // of one host, before others and deliveries have their turn
constexpr size_t kLargestFrame = 65535;
constexpr Nanoseconds kLongestWait = 200'000'000;  // a signal may come just before it

volatile std::sig_atomic_t stopping = 0;

Nanoseconds now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * Nanoseconds{1'000'000'000} + t.tv_nsec;
}

/// From now on the process is ahead of all ordinary ones, and its timers are exact.
void become_punctual() {
  sched_param parameters{};
  parameters.sched_priority = kPriority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    fail("real-time priority (SCHED_FIFO), without which the switch would be late");
  }
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  ::prctl(PR_SET_TIMERSLACK, 1UL);
}

void note_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stopping = 1; };
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads our output may be gone: the more to clean up
}

}  // namespace

Switch::Switch(const Options& options)
    : until_eof_(options.until_eof),
      exchange_(options.law),
      folder_(::getpid()),
      buffer_(kLargestFrame) {
  note_signals();
  for (int host = 0; host < options.law.hosts; ++host) {
    spaces_.emplace_back(namespace_name(::getpid(), host));
    taps_.push_back(open_tap(spaces_.back(), host, options.mtu));
  }
  become_punctual();
}

void Switch::run() {
  do {
    deliver();
    read_frames();
  } while (wait());
}

void Switch::deliver() {
  while (const auto delivery = exchange_.take(now())) {
    statistics_.lateness.add(now() - delivery->due);
    const Bytes& frame = *delivery->frame;
    const int tap = taps_[static_cast<size_t>(delivery->to)].get();
    if (::write(tap, frame.data(), frame.size()) < 0) ++statistics_.drops;
  }
}

void Switch::read_frames() {
  for (int host = 0; host < hosts(); ++host) {
    for (int k = 0; k < kFramesPerTurn; ++k) {
      const ssize_t bytes =
          ::read(taps_[static_cast<size_t>(host)].get(), buffer_.data(), buffer_.size());
      if (bytes <= 0) break;
      ++statistics_.frames;
      statistics_.bytes += static_cast<std::uint64_t>(bytes);
      exchange_.accept(host, std::span(buffer_).first(static_cast<size_t>(bytes)), now());
    }
  }
}

bool Switch::wait() {
  std::vector<pollfd> polled;
  for (const FileDescriptor& tap : taps_) polled.push_back({tap.get(), POLLIN, 0});
  if (until_eof_) polled.push_back({STDIN_FILENO, POLLIN, 0});
  const Nanoseconds left = std::clamp<Nanoseconds>(exchange_.next() - now(), 0, kLongestWait);
  const timespec timeout{0, left};
  const int ready = ::ppoll(polled.data(), polled.size(), &timeout, nullptr);
  if (ready < 0 && errno != EINTR) fail("ppoll");
  if (ready > 0 && until_eof_ && polled.back().revents != 0) {
    char ignored[256];
    if (::read(STDIN_FILENO, ignored, sizeof ignored) <= 0) return false;
  }
  return stopping == 0;
}

Switch::Statistics Switch::statistics() const {
  Statistics all = statistics_;
  for (const NetworkNamespace& space : spaces_) all.drops += dropped_frames(space);
  return all;
}

}  // namespace arb::lab
