#include "tests/reports/sample_report.hpp"

#include <cmath>
#include <limits>

#include "tests/reports/plain_record.hpp"

namespace arb {
namespace {

Verification unchecked() {
  Verification verify;
  verify.verdict = "not checked";
  return verify;
}

Record measured(const char* algorithm, int64_t ranks, int64_t bytes, double median, double half) {
  Record r = plain_record(algorithm, ranks, bytes);
  r.backend = "host";
  r.kind = "scheduled";
  r.protocol = "slots";
  r.slots = 4;
  r.slot_bytes = 65536;
  r.time->n = 120;
  r.time->min = median * 0.9;
  r.time->median = median;
  r.time->mean = median * 1.05;
  r.time->max = median * 4;
  r.time->ci95 = {median * (1 - half), median * (1 + half)};
  r.time->p95 = median * 1.5;
  r.time->p99 = median * 2.5;
  r.algbw_gbps = static_cast<double>(bytes) / median / 1e9;
  if (ranks > 1) {
    const auto n = static_cast<double>(ranks);
    r.busbw_gbps = *r.algbw_gbps * 2 * (n - 1) / n;
  }
  r.traffic = Traffic{.max_sent_bytes = bytes * 3 / 2,
                      .max_received_bytes = bytes * 3 / 2,
                      .steps = 6,
                      .path_bytes = bytes * 3 / 2};
  r.verify.checks = 4;
  r.verify.timed_checks = 2;
  r.verify.max_error_ratio = 0.25;
  if (r.algorithm == "one-shot") {
    r.kind = "native";
    r.protocol = "direct";
    r.slots.reset();
    r.slot_bytes.reset();
    r.traffic.reset();
  }
  return r;
}

Record not_run(const char* algorithm, int64_t bytes, Status status, const char* reason) {
  Record r = measured(algorithm, 4, bytes, 1, 0);
  r.time.reset();
  r.algbw_gbps.reset();
  r.busbw_gbps.reset();
  r.verify = unchecked();
  r.status = status;
  r.reason = reason;
  return r;
}

std::vector<Record> records() {
  std::vector<Record> all;
  all.push_back(measured("ring", 4, 8, 812e-9, 0.012));
  all.push_back(measured("double-tree", 4, 8, 512e-9, 0.008));
  all.push_back(measured("one-shot", 4, 8, 515e-9, 0.02));  // not told apart from the winner
  all[2].requested_bytes = 10;
  all[2].time->batch = 16;

  all.push_back(measured("ring", 4, 65536, 12.345e-6, 0.015));
  all.push_back(measured("double-tree", 4, 65536, 14.4e-6, 0.35));
  all[4].flags = {"noisy", "time cap", "oversubscribed"};
  all[4].straggler = 1;
  all.push_back(measured("one-shot", 4, 65536, 9.9e-6, 0.01));  // the fastest, but wrong
  all[5].status = Status::kWrong;
  all[5].verify.wrong = 12345678;
  all[5].verify.verdict = "wrong";
  all[5].verify.check = "exact";
  all[5].verify.index = 42;
  all[5].verify.rank = 1;
  all[5].verify.wanted = "3";
  all[5].verify.got = "2.5";
  all[5].verify.ulps = 4194304;

  all.push_back(measured("ring", 4, 4294967296, 0.9996, 0.004));
  all[6].limit_share = 0.931;
  all[6].time->p99.reset();  // too few samples
  all[6].time->p95.reset();
  all[6].time->ci95.reset();
  all[6].time->n = 5;
  all.push_back(
      not_run("double-tree", 4294967296, Status::kSkipped,
              "needs 36 GiB, but \"only\" 14.9 GiB of memory are usable, of which\nsome is taken; "
              "use --ranks 2, or a smaller -e"));
  all.push_back(
      not_run("one-shot", 4294967296, Status::kTimeout, "rank 1 stopped at step 3, iteration 2"));

  all[0].completion = "global";
  all[0].handoff_s = {62.5e-9, 61e-9};
  Record in_place = measured("ring", 4, 65536, 11.1e-6, 0.01);
  in_place.in_place = true;
  in_place.verify = unchecked();
  in_place.nodes = 2;
  in_place.completion = "longest rank";
  in_place.clock_error_s = 2.5e-6;
  in_place.flags = {"longest rank"};
  in_place.time->samples = {11.1e-6, 1.11e-05, 0.0000112};
  all.push_back(in_place);

  Record alone = measured("ring", 1, 65536, 3.3e-6, 0.01);
  alone.traffic = Traffic{.path_bytes = 0};
  all.push_back(alone);

  Record on_gpus = measured("ring", 8, 65536, 9.5e-6, 0.01);
  on_gpus.backend = "cuda";
  on_gpus.protocol = "ll";
  on_gpus.transport = "host memory";
  on_gpus.launch = "graph";
  on_gpus.gpus = 2;
  on_gpus.channels = 4;
  on_gpus.gpu_state = GpuState{.sm_clock_mhz = 1755,
                               .memory_clock_mhz = 2619,
                               .power_w = 651.5,
                               .temperature_c = 71,
                               .throttle_reasons = {"software power cap", "hardware thermal"},
                               .ecc_errors = 0,
                               .nvlinks = {},
                               .nvlink_errors = {}};
  on_gpus.flags = {"throttled"};
  all.push_back(on_gpus);

  Record broken =
      measured("ring", 2, 27951912277, 2.5, 0.01);  // what must never be written as a number
  broken.time->mean = std::numeric_limits<double>::quiet_NaN();
  broken.time->max = std::numeric_limits<double>::infinity();
  broken.time->ci95 = {2.4, std::numeric_limits<double>::infinity()};
  broken.limit_share = -std::numeric_limits<double>::infinity();
  broken.unalign = 1;
  all.push_back(broken);
  return all;
}

Fit fit(const char* algorithm) {
  Fit result;
  result.backend = "host";
  result.collective = "all-reduce";
  result.algorithm = algorithm;
  result.ranks = 4;
  return result;
}

std::vector<Fit> fits() {
  Fit ring = fit("ring");
  ring.latency_steps = 6;
  ring.traffic_factor = 1.5;
  ring.segments.push_back(
      {8, 65536, 1.86e-6, {1.8e-6, 1.92e-6}, 1.2e-10, {1.1e-10, 1.3e-10}, 0.31e-6, 1.25e10, 0.042});
  ring.segments.push_back(
      {131072, 4294967296, 5e-6, {0, 1e-5}, 1.7857e-10, {-1e-12, 2e-10}, 0.83e-6, 8.4e9, 0.15});
  Fit one_shot = fit("one-shot");
  one_shot.segments.push_back(
      {8, 65536, 0.5e-6, {0.4e-6, 0.6e-6}, 2.5e-10, {2.4e-10, 2.6e-10}, {}, {}, 0.02});
  Fit refused = fit("recursive-doubling");
  refused.latency_steps = 4;
  refused.refused = "2 sizes measured, it takes at least 3";
  return {ring, one_shot, refused};
}

}  // namespace

Record sample_record() { return measured("ring", 4, 65536, 12.345e-6, 0.015); }

Report sample_report() {
  Report report;
  report.version = "0.1.0";
  report.revision = "abc1234";
  report.build = "Release, GCC 12.2";
  report.started = "2026-01-02T03:04:05Z";
  report.partial_reason = "time limit";
  report.command = {"allreduce-bench", "--sizes", "8B,64KB,4GB", "-o", "sum", "--max-time=2s"};
  report.config = {{"sizes", "8B,64KB,4GB"}, {"op", "sum"}, {"max-time", "2s"}};
  Environment& e = report.environment;
  e.host =
      "n\xC5\x93ud-\xE4\xB8\xAD \xFF\x1B[31m";  // UTF-8, a byte that is not, and an escape sequence
  e.cpu = "Model \"X\", 2.5 GHz";
  e.kernel = "Linux 6.1";
  e.cores_usable = 2;
  e.memory_bytes = 16045690982;
  e.copy_limit_gbps = 20.125;
  e.add_limit_gbps = 15.5;
  e.gpus = {"NVIDIA H100 80GB HBM3, GPU-00, 132 SMs, 80.0 GiB, driver 580.65.06"};
  e.mpi = "Open MPI 4.1.4";
  e.nccl = "2.28.9";
  e.placement = {"n1: 0,1", "n2: 2,3"};
  e.variables = {{"OMP_NUM_THREADS", "2"}};
  e.fingerprint = "0123456789abcdef";
  report.records = records();
  report.fits = fits();
  report.crossovers = {
      {"host",
       "all-reduce",
       4,
       false,
       "double-tree",
       "ring",
       "measured",
       62668.8,
       {{53350.4, 72089.6}},
       true},
      {"host", "all-reduce", 4, false, "one-shot", "ring", "fitted", {}, {{20000, 90000}}, false},
      {"host", "all-reduce", 4, false, "double-tree", "one-shot", "measured", 512.0, {}, false},
      {"host", "all-reduce", 2, false, "one-shot", "ring", "fitted", {}, {}, true},
  };
  report.best = {{"host", "all-reduce", 4, false, 8, 32768, "double-tree", false},
                 {"host", "all-reduce", 4, false, 65536, 4294967296, "ring", true}};
  return report;
}

}  // namespace arb
