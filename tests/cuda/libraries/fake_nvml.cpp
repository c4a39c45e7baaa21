// A management library with two GPUs. Compiled a second time as one that lacks all it can lack, and
// a third time as one that does not start.
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

int devices[2];

[[maybe_unused]] bool is_first(void* device) { return device == &devices[0]; }

}  // namespace

EXPORT int nvmlInit_v2() {
#ifdef FAKE_BROKEN
  return 9;
#else
  return kSuccess;
#endif
}
EXPORT int nvmlShutdown() { return kSuccess; }

EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (std::strcmp(uuid, "GPU-0") != 0) return kNotFound;
  *device = &devices[0];
  return kSuccess;
}

#ifndef FAKE_BARE
EXPORT const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "other"; }

EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  std::strncpy(text, "580.65.06", bytes);
  return kSuccess;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
  if (std::strcmp(pci, "0000:2a:00.0") != 0) return kNotFound;
  *device = &devices[1];
  return kSuccess;
}

EXPORT int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  if (type != 1 && type != 2) return kNotSupported;
  *mhz = type == 2 ? 2619 : is_first(device) ? 1980 : 1755;
  return kSuccess;
}

EXPORT int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = is_first(device) ? 350500 : 400000;
  return kSuccess;
}

EXPORT int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  if (sensor != 0 || !is_first(device)) return kNotSupported;
  *celsius = 61;
  return kSuccess;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*device*/, unsigned long long* bits) {
  const char* told = std::getenv("FAKE_NVML_REASONS");
  *bits = told != nullptr ? std::strtoull(told, nullptr, 16) : 1;
  return kSuccess;
}

EXPORT int nvmlDeviceGetTotalEccErrors(void* device, int kind, int counter,
                                       unsigned long long* errors) {
  if (counter != 0 || !is_first(device)) return kNotSupported;
  const char* told = std::getenv("FAKE_NVML_ECC");
  *errors = kind == 0 ? 7 : told != nullptr ? std::strtoull(told, nullptr, 10) : 0;
  return kSuccess;
}

EXPORT int nvmlDeviceGetNvLinkState(void* device, unsigned link, int* active) {
  if (!is_first(device) || link >= 4) return kNotSupported;
  *active = link != 3 ? 1 : 0;
  return kSuccess;
}

EXPORT int nvmlDeviceGetNvLinkErrorCounter(void* /*device*/, unsigned link, int kind,
                                           unsigned long long* errors) {
  if (kind > 1) return kNotSupported;
  *errors = link == 3 ? 1000 : link;
  return kSuccess;
}

EXPORT int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* pending) {
  if (!is_first(device)) return kNotSupported;
  *now = 0;
  *pending = 1;
  return kSuccess;
}

EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(void* /*device*/, unsigned* generation) {
  *generation = 5;
  return kSuccess;
}

EXPORT int nvmlDeviceGetCurrPcieLinkWidth(void* /*device*/, unsigned* width) {
  *width = 16;
  return kSuccess;
}
#endif
