// Starts the program, waits for it, and keeps all that it said.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace arb {

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  double seconds = 0;
  std::string out, err;
};

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  /// Kills it after `limit_seconds`: then signal is SIGKILL.
  Finished wait(double limit_seconds = 120);

 private:
  pid_t pid_ = -1;
  double started_ = 0;
  std::filesystem::path out_, err_;
};

Finished run_program(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment = {});

/// A folder of this test's own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::string& path);
/// Strict: throws on anything that is not one JSON document.
nlohmann::json read_report(const std::string& path);

/// Options that make a run short: one small size, few samples.
std::vector<std::string> quick(const std::vector<std::string>& more);

}  // namespace arb
