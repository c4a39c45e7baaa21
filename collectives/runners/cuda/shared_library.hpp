// A library that may or may not be on the machine, opened at run time.
#pragma once

#include <string>

namespace arb {

class SharedLibrary {
 public:
  SharedLibrary() = default;
  /// Opens `path`, or else what the environment variable names, or else `usual`. Never throws:
  /// error() says why it is not there.
  SharedLibrary(const std::string& path, const char* variable, const char* usual);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }
  const std::string& name() const { return name_; }

  /// Sets `function` to the symbol, or to null where the library lacks it.
  template <typename Function>
  bool find(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address(symbol));
    return function != nullptr;
  }

 private:
  void* address(const char* symbol) const;

  std::string name_;
  std::string error_;
  void* handle_ = nullptr;
};

}  // namespace arb
