#include "tests/program/mpi_job.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>
#include <thread>

namespace arb {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceSeconds = 120;

bool wait_until(const std::function<bool()>& done, double seconds = kPatienceSeconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return done();
}

/// Words that a zero byte ends each, as the kernel shows arguments and variables.
Words zero_ended(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, '\0');) words.push_back(word);
  return words;
}

Words mpirun() {
  std::istringstream stream(ARB_MPIRUN);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Words under_mpirun(int processes, const Words& arguments) {
  return mpirun() + Words{"-np", std::to_string(processes), ARB_BENCH} + arguments;
}

Words under_mpirun(int processes, const Words& arguments, int others, const Words& of_others) {
  return under_mpirun(processes, arguments) + Words{":", "-np", std::to_string(others), ARB_BENCH} +
         of_others;
}

Words alone(const Words& arguments, const Variables& variables) {
  Words words;
  for (const auto& [name, value] : variables) {
    words.push_back(name);
    words.back() += "=" + value;
  }
  return words + Words{ARB_BENCH} + arguments;
}

Finished run_words(const Words& words) { return Process(words).wait(300); }

Finished run_job(int processes, const Words& arguments) {
  return run_words(under_mpirun(processes, arguments));
}

Words brief(const Words& more) { return Words{"-n", "8", "-w", "1", "--no-progress"} + more; }

std::map<int, pid_t> ranks_with(const std::string& marker) {
  std::map<int, pid_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return isdigit(c) != 0; }))
      continue;
    const Words arguments = zero_ended(read_text((entry.path() / "cmdline").string()));
    if (arguments.empty() || arguments[0] != ARB_BENCH) continue;
    const bool ours = std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
      return word.find(marker) != std::string::npos;
    });
    if (!ours) continue;
    const std::string variable = "OMPI_COMM_WORLD_RANK=";
    for (const std::string& word : zero_ended(read_text((entry.path() / "environ").string()))) {
      if (word.rfind(variable, 0) == 0) {
        found[std::stoi(word.substr(variable.size()))] = std::stoi(name);
      }
    }
  }
  return found;
}

std::map<int, pid_t> wait_for_ranks(const std::string& marker, size_t count) {
  std::map<int, pid_t> found;
  EXPECT_TRUE(wait_until([&] {
    found = ranks_with(marker);
    return found.size() == count;
  })) << found.size()
      << " processes";
  return found;
}

bool all_ended(const std::string& marker) {
  return wait_until([&] { return ranks_with(marker).empty(); });
}

double work_seconds(pid_t process) {
  const std::string text = read_text("/proc/" + std::to_string(process) + "/stat");
  std::istringstream stream(text.substr(text.rfind(')') + 1));
  std::string word;
  for (int i = 0; i < 11; ++i) stream >> word;  // state .. cmajflt
  double user = 0;
  double system = 0;
  stream >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool has_records(const std::string& path, size_t records, double seconds) {
  return wait_until(
      [&] {
        if (!fs::exists(path) || fs::is_empty(path)) return false;
        return read_report(path)["records"].size() >= records;
      },
      seconds);
}

void wait_for_records(const std::string& path, size_t records) {
  ASSERT_TRUE(has_records(path, records, kPatienceSeconds)) << "fewer than " << records;
}

size_t times_said(const std::string& text, const std::string& words) {
  size_t times = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++times;
  }
  return times;
}

}  // namespace arb
