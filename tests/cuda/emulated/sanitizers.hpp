// Which sanitizer this is compiled with.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ARB_EMULATED_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define ARB_EMULATED_TSAN
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARB_EMULATED_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define ARB_EMULATED_TSAN
#endif
#endif
