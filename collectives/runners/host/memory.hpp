// Page-aligned memory straight from the kernel: untouched pages cost nothing.
#pragma once

#include <cstddef>
#include <utility>

namespace arb {

class Pages {
 public:
  Pages() = default;
  /// Zeroed, huge pages advised. Throws Error{kEnvironment} when the kernel refuses.
  explicit Pages(size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace arb
