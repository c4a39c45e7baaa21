#include "collectives/runners/cuda/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace arb {
namespace {

std::string name_of(const std::string& path, const char* variable, const char* usual) {
  if (!path.empty()) return path;
  const char* wanted = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return wanted != nullptr && *wanted != '\0' ? wanted : usual;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& path, const char* variable, const char* usual)
    : name_(name_of(path, variable, usual)), handle_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* why = dlerror();
  error_ = why != nullptr ? why : name_ + ": cannot be opened";
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::address(const char* symbol) const {
  return handle_ != nullptr ? dlsym(handle_, symbol) : nullptr;
}

}  // namespace arb
