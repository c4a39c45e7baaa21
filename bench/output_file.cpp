#include "bench/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "collectives/error.hpp"
#include "reports/suggest.hpp"

namespace arb {

namespace fs = std::filesystem;

namespace {

constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;

std::string reason(int error) { return std::generic_category().message(error); }

int create(const fs::path& path) {
  // A leftover of a killed run that had the same process id is ours to replace.
  ::unlink(path.c_str());
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

fs::path behind_links(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path : target;
}

}  // namespace

std::vector<std::string> file_endings() {
  std::vector<std::string> endings;
  for (const Writer& writer : writers()) {
    if (!writer.ending.empty()) endings.emplace_back(writer.ending);
  }
  return endings;
}

const Writer& output_writer(const Argument& argument) {
  if (const Writer* writer = writer_for_file(argument.value)) return *writer;
  const std::string ending = fs::path(argument.value).extension().string();
  const std::vector<std::string> endings = file_endings();
  reject(argument,
         fmt::format("{}{}; it chooses the format: {}",
                     ending.empty() ? "the file has no ending" : "unknown ending '" + ending + "'",
                     did_you_mean(ending, endings), fmt::join(endings, " or ")));
}

WholeFile::WholeFile(const Argument& argument)
    : path_(argument.value), target_(behind_links(path_)) {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    reject(argument, fmt::format("there is no folder '{}'; create it first", folder.string()));
  }
  const fs::file_status status = fs::status(target_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    reject(argument, "exists and is not a regular file; choose another name");
  }
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) {
    reject(argument, fmt::format("cannot be written: {}; choose another name", reason(errno)));
  }
  temporary_ = folder / fmt::format(".{}.{}.tmp", target_.filename().string(),
                                    static_cast<long>(::getpid()));
  const int file = create(temporary_);
  if (file < 0) {
    reject(argument, fmt::format("cannot create files in '{}': {}; choose another folder",
                                 folder.string(), reason(errno)));
  }
  ::close(file);
  ::unlink(temporary_.c_str());
}

void WholeFile::replace(std::string_view text) const {
  const int file = create(temporary_);
  bool good = file >= 0;
  if (good) {
    struct stat old {};
    if (::stat(target_.c_str(), &old) == 0) {
      // Keeps who may read it; where the file system has no modes, there is nothing to keep.
      (void)::fchmod(file, old.st_mode & 07777);
    }
    good = write_all(file, text);
    good = ::close(file) == 0 && good;
  }
  good = good && ::rename(temporary_.c_str(), target_.c_str()) == 0;
  if (good) return;
  const int error = errno;
  ::unlink(temporary_.c_str());
  throw Error(ErrorKind::kEnvironment,
              fmt::format("cannot write '{}': {}", path_.string(), reason(error)));
}

AppendedFile::AppendedFile(const Argument& argument) : path_(argument.value) {
  std::error_code error;
  const bool is_new = !fs::exists(path_, error);
  const int file = ::open(path_.c_str(), kAppend, 0666);
  if (file < 0) {
    reject(argument, fmt::format("cannot be written: {}; choose another name", reason(errno)));
  }
  ::close(file);
  if (is_new) ::unlink(path_.c_str());
}

void AppendedFile::append(std::string_view text) const {
  const int file = ::open(path_.c_str(), kAppend, 0666);
  struct stat old {};
  bool good = file >= 0 && ::fstat(file, &old) == 0;
  good = good && write_all(file, old.st_size > 0 ? "\n" + std::string(text) : std::string(text));
  int error = good ? 0 : errno;
  if (!good && file >= 0 && S_ISREG(old.st_mode)) (void)!::ftruncate(file, old.st_size);
  if (file >= 0 && ::close(file) != 0 && good) error = errno;
  if (error == 0) return;
  throw Error(ErrorKind::kEnvironment,
              fmt::format("cannot write '{}': {}", path_.string(), reason(error)));
}

}  // namespace arb
