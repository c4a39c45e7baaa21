#include "tests/program/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace arb {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::filesystem::path fresh(const std::string& what) {
  std::string text =
      (std::filesystem::temp_directory_path() / ("arb-" + what + "-XXXXXX")).string();
  const int file = mkstemp(text.data());
  if (file < 0) throw std::runtime_error("mkstemp failed");
  close(file);
  return text;
}

/// Open MPI keeps memory to the end of the process, which LeakSanitizer would report as ours.
bool enters_mpi(const std::vector<std::string>& arguments,
                const std::map<std::string, std::string>& environment) {
  return environment.contains("OMPI_COMM_WORLD_SIZE") ||
         std::find(arguments.begin(), arguments.end(), "mpi") != arguments.end();
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment)
    : started_(now()), out_(fresh("out")), err_(fresh("err")) {
  std::vector<char*> argv{const_cast<char*>(ARB_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  dup2(open(out_.c_str(), O_WRONLY | O_TRUNC), STDOUT_FILENO);
  dup2(open(err_.c_str(), O_WRONLY | O_TRUNC), STDERR_FILENO);
  if (enters_mpi(arguments, environment)) setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execv(ARB_PROGRAM, argv.data());
  _exit(127);
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove(out_);
  std::filesystem::remove(err_);
}

void Process::send(int signal) const { kill(pid_, signal); }

Finished Process::wait(double limit_seconds) {
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (now() - started_ > limit_seconds) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pid_ = -1;
  Finished finished;
  finished.seconds = now() - started_;
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  finished.out = read_text(out_.string());
  finished.err = read_text(err_.string());
  return finished;
}

Finished run_program(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment) {
  return Process(arguments, environment).wait();
}

Folder::Folder() {
  std::string text = (std::filesystem::temp_directory_path() / "arb-folder-XXXXXX").string();
  if (mkdtemp(text.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = text;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string read_text(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

nlohmann::json read_report(const std::string& path) {
  return nlohmann::json::parse(read_text(path));
}

std::vector<std::string> quick(const std::vector<std::string>& more) {
  std::vector<std::string> all{"--sizes", "1K", "--ranks",      "2", "-n", "10",
                               "-w",      "2",  "--no-progress"};
  for (const std::string& word : more) all.push_back(word);
  return all;
}

}  // namespace arb
