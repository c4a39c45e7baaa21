// lab-switch: hosts that are network namespaces, joined by a network whose law is known.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "collectives/error.hpp"
#include "tests/lab/switch/switch.hpp"

namespace {

void say_ready(const arb::lab::Switch& lab) {
  std::string hosts;
  for (int host = 0; host < lab.hosts(); ++host) {
    hosts +=
        fmt::format(R"({}{{"name": "h{}", "netns": "{}", "address": "{}"}})", host == 0 ? "" : ", ",
                    host + 1, lab.space(host).path(), arb::lab::ip_address(host));
  }
  fmt::print("{{\"event\": \"ready\", \"folder\": \"{}\", \"hosts\": [{}]}}\n", lab.folder(),
             hosts);
  std::fflush(stdout);
}

void say_done(const arb::lab::Switch::Statistics& all) {
  fmt::print(R"({{"event": "done", "frames": {}, "bytes": {}, "drops": {}, "delivered": {}, )"
             R"("late_mean_s": {:.9f}, "late_p99_s": {:.9f}, "late_max_s": {:.9f}}})"
             "\n",
             all.frames, all.bytes, all.drops, all.lateness.count(), all.lateness.mean() * 1e-9,
             static_cast<double>(all.lateness.quantile(0.99)) * 1e-9,
             static_cast<double>(all.lateness.max()) * 1e-9);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const arb::lab::Options options =
        arb::lab::read_options(std::vector<std::string>(argv + 1, argv + argc));
    if (options.help) {
      std::fputs(arb::lab::kUsage, stdout);
      return 0;
    }
    if (options.cleanup) {
      for (const std::string& name : arb::lab::remove_abandoned()) {
        fmt::print("removed {}\n", name);
      }
      return 0;
    }
    arb::lab::Switch lab(options);
    say_ready(lab);
    lab.run();
    say_done(lab.statistics());
    return 0;
  } catch (const arb::Error& error) {
    std::fprintf(stderr, "lab-switch: %s\n", error.what());
    return error.kind() == arb::ErrorKind::kUsage ? 2 : 5;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab-switch: %s\n", error.what());
    return 1;
  }
}
