#include "tests/program/made_report.hpp"

#include <gtest/gtest.h>

#include "tests/program/process.hpp"

namespace arb {

using Json = nlohmann::json;

namespace {

const Json& measured() {
  static const Json kReport = [] {
    const Folder folder;
    const Finished run = run_program({"--sizes", "1K,4K,64K,1M", "--ranks", "2", "-n", "10", "-w",
                                      "1", "--algorithms", "ring,one-shot", "--no-progress", "-J",
                                      folder.path("r.json")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_report(folder.path("r.json"));
  }();
  return kReport;
}

}  // namespace

void set_time(Json& record, double seconds) {
  record["time_s"] = {{"n", 100},
                      {"batch", 1},
                      {"min", 0.99 * seconds},
                      {"median", seconds},
                      {"ci95", {0.999 * seconds, 1.001 * seconds}},
                      {"mean", seconds},
                      {"p95", 1.01 * seconds},
                      {"p99", 1.02 * seconds},
                      {"max", 1.03 * seconds},
                      {"samples", nullptr}};
  record["algbw_gbps"] = record["bytes"].get<double>() / seconds / 1e9;
  record["busbw_gbps"] = record["algbw_gbps"];  // of 2 ranks
  record["flags"] = Json::array();
  record["handoff_s"] = nullptr;
}

Json report(double factor, const Edit& edit) {
  Json made = measured();
  double seconds = 1e-5;
  for (Json& record : made["records"]) {
    set_time(record, seconds * factor);
    seconds *= 1.5;
  }
  if (edit) edit(made);
  return made;
}

}  // namespace arb
