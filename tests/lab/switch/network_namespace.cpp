#include "tests/lab/switch/network_namespace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/error.hpp"

namespace arb::lab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOwn = "/proc/thread-self/ns/net";

FileDescriptor open_own() {
  FileDescriptor own(::open(kOwn, O_RDONLY | O_CLOEXEC));
  if (own.get() < 0) fail(kOwn);
  return own;
}

bool same(const std::string& path, const struct stat& other) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_ino == other.st_ino &&
         status.st_dev == other.st_dev;
}

std::vector<pid_t> processes_in(const struct stat& space) {
  std::vector<pid_t> all;
  std::error_code ignored;  // processes come and go meanwhile
  for (fs::directory_iterator entry("/proc", ignored), end_of_all; entry != end_of_all;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || *end != '\0') continue;
    if (same(entry->path() / "ns/net", space)) all.push_back(pid);
  }
  return all;
}

/// Ends the processes of a namespace that is not ours.
void empty(const std::string& path) {
  struct stat space {};
  if (::stat(path.c_str(), &space) != 0 || same(kOwn, space)) return;
  for (int tries = 0; tries < 100; ++tries) {
    const std::vector<pid_t> left = processes_in(space);
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Another instance may remove the empty folder at any moment, so more than one try.
FileDescriptor open_new(const std::string& path) {
  constexpr int kTries = 10;
  for (int k = 0; k < kTries; ++k) {
    ::mkdir(NetworkNamespace::kFolder, 0755);
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR));
    if (file.get() >= 0) return file;
    if (errno != ENOENT) break;
  }
  fail(path.c_str());
}

}  // namespace

void fail(const char* what) {
  const std::error_code error(errno, std::generic_category());
  throw Error(ErrorKind::kEnvironment, fmt::format("{}: {}", what, error.message()));
}

std::string NetworkNamespace::path_of(const std::string& name) {
  return std::string(kFolder) + "/" + name;
}

void NetworkNamespace::remove(const std::string& name) {
  const std::string path = path_of(name);
  empty(path);
  ::umount2(path.c_str(), MNT_DETACH);
  ::unlink(path.c_str());
  ::rmdir(kFolder);  // only if nobody else uses it
}

NetworkNamespace::NetworkNamespace(std::string name) : name_(std::move(name)) {
  remove(name_);
  const FileDescriptor place = open_new(path());
  const FileDescriptor home = open_own();
  if (::unshare(CLONE_NEWNET) != 0) {
    ::unlink(path().c_str());
    fail("making a network namespace (are you root?)");
  }
  const bool mounted = ::mount(kOwn, path().c_str(), "none", MS_BIND, nullptr) == 0;
  const int why = errno;
  fd_ = open_own();
  if (::setns(home.get(), CLONE_NEWNET) != 0) fail("returning from a new network namespace");
  if (!mounted) {
    ::unlink(path().c_str());
    errno = why;
    fail(path().c_str());
  }
}

NetworkNamespace::~NetworkNamespace() {
  if (fd_.get() >= 0) remove(name_);
}

NetworkNamespace::Visit::Visit(const NetworkNamespace& space) : home_(open_own()) {
  if (::setns(space.fd_.get(), CLONE_NEWNET) != 0) fail("entering a network namespace");
}

NetworkNamespace::Visit::~Visit() {
  // Going on in the wrong network would be worse than ending.
  if (::setns(home_.get(), CLONE_NEWNET) != 0) std::abort();
}

}  // namespace arb::lab
