// Files that are proved writable before anything is measured. Mostly ones that are valid at every
// moment: each write replaces the whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/values.hpp"
#include "reports/writer.hpp"

namespace arb {

/// By the ending, in any case; throws Error{kUsage} for one that no writer has.
const Writer& output_writer(const Argument& argument);

std::vector<std::string> file_endings();  // ".csv", ".json", ...

class WholeFile {
 public:
  /// Proves that the file can be written, before anything is measured, by creating a file beside
  /// it. A file that is already there stays as it is until the first replace(). Throws
  /// Error{kUsage}.
  explicit WholeFile(const Argument& argument);

  const std::filesystem::path& path() const { return path_; }

  /// Puts `text` in place of the whole file: readers see the old or the new one, never a part.
  /// Throws Error{kEnvironment}, for a full disk for example; the old file is then untouched.
  void replace(std::string_view text) const;

 private:
  std::filesystem::path path_;       // as it was given
  std::filesystem::path target_;     // behind symbolic links
  std::filesystem::path temporary_;  // in the same folder, so that rename() can replace
};

/// A report: its ending chooses the writer.
class OutputFile : public WholeFile {
 public:
  explicit OutputFile(const Argument& argument)
      : WholeFile(argument), writer_(output_writer(argument)) {}

  const Writer& writer() const { return writer_; }

 private:
  const Writer& writer_;
};

/// A file that belongs to others too, like $GITHUB_STEP_SUMMARY: texts are put behind what is
/// there.
class AppendedFile {
 public:
  /// Proves that the file can be written; leaves none that was not there. Throws Error{kUsage}.
  explicit AppendedFile(const Argument& argument);

  /// A blank line stands between an old text and the new one. Throws Error{kEnvironment}; the old
  /// text is then all that there is.
  void append(std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace arb
