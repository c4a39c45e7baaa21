#include "bench/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "collectives/error.hpp"

namespace arb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptBytes = 65536;
constexpr std::chrono::seconds kPatience{5};  // between SIGTERM and SIGKILL

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(ErrorKind::kEnvironment, what + ": " + std::generic_category().message(error));
}

std::vector<std::string> variables(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    if (more.find(text.substr(0, text.find('='))) == more.end()) all.push_back(text);
  }
  for (const auto& [name, value] : more) {
    if (!value.empty()) all.push_back(fmt::format("{}={}", name, value));
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// Starts it with stdout and stderr in the pipe, and nothing to read.
pid_t start(std::vector<std::string> argv, const std::map<std::string, std::string>& environment,
            int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;  // this program ignores SIGPIPE, its child need not
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> environ_texts = variables(environment);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, argv.front().c_str(), &files, &attributes,
                                   pointers(argv).data(), pointers(environ_texts).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -error;
}

constexpr std::chrono::milliseconds kLook{100};  // how often for an interrupt

/// A program that runs, and the pipe it talks into.
class Child {
 public:
  Child(pid_t pid, int pipe) : pid_(pid), pipe_(pipe) {
    ::fcntl(pipe_, F_SETFL, ::fcntl(pipe_, F_GETFL) | O_NONBLOCK);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { ::close(pipe_); }

  /// Listens until it ends: closing its output is no end, and others that hold the pipe do not
  /// count. False if the time is up or `interrupted` is raised before.
  bool follow(Clock::time_point until, const std::atomic<bool>* interrupted) {
    while (!ended(WNOHANG)) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      if (left.count() <= 0 || (interrupted != nullptr && interrupted->load())) return false;
      if (silent_) {
        std::this_thread::sleep_for(std::min(left, pause_));
        pause_ = std::min(2 * pause_, kLook);
        continue;
      }
      pollfd wait{pipe_, POLLIN, 0};
      ::poll(&wait, 1, static_cast<int>(std::min(left, kLook).count()));
      listen();
    }
    listen();
    return true;
  }

  void signal(int number) const { ::kill(pid_, number); }

  void wait() { ended(0); }

  int exit_code() const {
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

  const std::string& output() const { return output_; }

 private:
  bool ended(int flags) {
    if (ended_) return true;
    pid_t found = -1;
    do {
      found = ::waitpid(pid_, &status_, flags);
    } while (found < 0 && errno == EINTR);
    ended_ = found != 0;
    return ended_;
  }

  /// Takes what lies in the pipe, without waiting.
  void listen() {
    std::array<char, 4096> part{};
    for (size_t taken = 0; !silent_ && taken < kKeptBytes;) {  // somebody may never stop
      const ssize_t count = ::read(pipe_, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      silent_ = count <= 0;
      if (silent_) break;
      taken += static_cast<size_t>(count);
      output_.append(part.data(), static_cast<size_t>(count));
      if (output_.size() > 2 * kKeptBytes) output_.erase(0, output_.size() - kKeptBytes);
    }
  }

  pid_t pid_;
  int pipe_;
  int status_ = 0;
  bool ended_ = false;
  bool silent_ = false;                 // nobody can write any more
  std::chrono::milliseconds pause_{1};  // most are about to end then
  std::string output_;
};

}  // namespace

ChildResult run_child(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, double limit_seconds,
                      const std::atomic<bool>* interrupted) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  const pid_t pid = start(argv, environment, ends[1]);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    fail(fmt::format("cannot start '{}'", argv.front()), -pid);
  }
  Child child(pid, ends[0]);
  ChildResult result;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  if (!child.follow(Clock::now() + limit, interrupted)) {
    result.interrupted = interrupted != nullptr && interrupted->load();
    result.timed_out = !result.interrupted;
    child.signal(SIGTERM);
    if (!child.follow(Clock::now() + kPatience, nullptr)) child.signal(SIGKILL);
    child.wait();
  }
  result.exit_code = child.exit_code();
  result.output = child.output();
  if (result.output.size() > kKeptBytes) {
    result.output.erase(0, result.output.size() - kKeptBytes);
  }
  return result;
}

}  // namespace arb
