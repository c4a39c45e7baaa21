#include "bench/measure/case_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "bench/measure/statistics.hpp"
#include "collectives/error.hpp"

namespace arb {
namespace {

constexpr double kBatchSeconds =
    0.02;  // of executions between two looks at the clock by the main thread
// Who wrote which cache line last decides what a small operation costs, so every algorithm starts
// from what it left behind itself: it runs a few times in a row, and the first of them is not a
// sample.
constexpr int kBlock = 8;
constexpr size_t kDiscarded = SIZE_MAX;
constexpr int64_t kMostRounds = 2000;  // of one batch
constexpr double kWorthNaming = 0.05;  // of all time measured was lost in them
constexpr double kSlowSample = 1.5;    // times the median: worth asking who was late
constexpr int64_t kFewSamples = 10;    // a median of fewer than 6 has no interval
constexpr size_t kRefillBytes = size_t{64}
                                << 20;  // larger messages keep their data in timed checks

uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

namespace {

/// The rank behind most of the time lost in slow samples. An algorithm in which all wait for a root
/// by design is not slow because of it: only samples well above the median count.
std::optional<int64_t> straggler(const std::vector<std::pair<int, double>>& late,
                                 const TimeStats& time) {
  std::map<int, std::pair<int64_t, double>> lost;
  double all = 0;
  for (const auto& [rank, seconds] : late) {
    if (seconds < kSlowSample * time.median) continue;
    ++lost[rank].first;
    lost[rank].second += seconds;
    all += seconds;
  }
  if (all < kWorthNaming * time.mean * static_cast<double>(time.n)) return std::nullopt;
  for (const auto& [rank, share] : lost) {
    if (share.first >= 2 && share.second * 2 > all) return rank;
  }
  return std::nullopt;
}

/// The steps in which the clock advances, seconds: reading it takes a multiple of them.
double clock_tick() {
  using Clock = std::chrono::steady_clock;
  std::set<int64_t> readings;  // nanoseconds between two calls
  for (int i = 0; i < 2000; ++i) {
    const auto first = Clock::now();
    readings.insert(std::chrono::nanoseconds(Clock::now() - first).count());
  }
  constexpr int64_t kRounding = 2;  // of the kernel's conversion to nanoseconds
  int64_t tick = std::max<int64_t>(*readings.begin(), 1);
  for (auto next = std::next(readings.begin()); next != readings.end(); ++next) {
    const int64_t step = *next - *std::prev(next);
    if (step > kRounding) tick = std::min(tick, step);
  }
  return static_cast<double>(tick) * 1e-9;
}

/// Many samples that fall on the same tick of the clock do not make the median more certain than a
/// tick.
void widen_to_tick(TimeStats& time, double tick) {
  if (!time.ci95) return;
  const double half = tick / 2 / static_cast<double>(time.batch);
  time.ci95->first = std::max(0.0, std::min(time.ci95->first, time.median - half));
  time.ci95->second = std::max(time.ci95->second, time.median + half);
}

}  // namespace

struct CaseRun::Contestant {
  WarmUp warm_up{WarmUpOptions{}};
  StoppingRule rule{StoppingOptions{}};
  double spent = 0;    // seconds in the phase at hand, overheads included
  double fastest = 0;  // seconds of one operation seen so far; 0: none
  int batch = 1;
  int64_t checks = 0, timed_checks = 0;
  Verdict verdict;
  bool common_clock = true;  // of all samples
  std::vector<std::pair<int, double>>
      late;  // the rank that the others waited for, seconds of the sample
};

CaseRun::CaseRun(Crew& crew, const Shape& shape, bool in_place, const CaseBuffers& buffers,
                 std::vector<Prepared> algorithms, const CaseSettings& settings)
    : crew_(crew),
      shape_(shape),
      in_place_(in_place),
      buffers_(buffers),
      algorithms_(std::move(algorithms)),
      settings_(settings),
      next_seed_(mix(settings.seed + shape.count * 1000003 + static_cast<size_t>(shape.ranks))) {
  WarmUpOptions warm;
  warm.fixed_count = settings.warmup;
  warm.max_seconds = settings.seconds / 3;
  for (size_t i = 0; i < algorithms_.size(); ++i) {
    contestants_.push_back(std::make_unique<Contestant>());
    contestants_.back()->warm_up = WarmUp(warm);
  }
}

CaseRun::~CaseRun() = default;

void CaseRun::fill() {
  const DataSpec data{DataKind::kRandom, shape_.dtype, shape_.op, shape_.ranks, settings_.seed};
  const size_t element = size_of(shape_.dtype);
  const BufferTools& tools = buffers_.tools();
  crew_.on_all([&](int worker) {
    const auto [first, last] = crew_.ranks_of(worker, shape_.ranks);
    for (size_t set = 0; set < buffers_.sets(); ++set) {
      for (int rank = first; rank < last; ++rank) {
        const RankBuffers& at = buffers_.set(set)[rank];
        const Range in = real_input(shape_, rank);
        const Range out = real_output(shape_, rank);
        tools.poison(rank, at.output + out.begin * element,
                     out.size * element);  // touches the pages where they are used
        tools.generate(data, rank, in.begin, in.size, at.input + in.begin * element);
      }
    }
  });
}

void CaseRun::note(Contestant& contestant, const Verdict& verdict, bool timed) {
  ++contestant.checks;
  if (timed) ++contestant.timed_checks;
  contestant.verdict.merge(verdict);
}

void CaseRun::check_one(size_t i, DataKind kind, uint64_t seed, bool fill_inputs) {
  const CheckRequest request{shape_, in_place_, kind, seed, fill_inputs, settings_.fault};
  CheckedRun checked(request, algorithms_[i], buffers_, 0, crew_);
  Execution execution{algorithms_[i].operation.get(), buffers_.set(0), shape_.ranks, 1,
                      iteration_++};
  checked.attach(execution);
  const Sample sample = execute({&execution, 1}).front();
  Contestant& contestant = *contestants_[i];
  contestant.fastest =
      contestant.fastest == 0 ? sample.seconds : std::min(contestant.fastest, sample.seconds);
  note(contestant, checked.verdict(), false);
}

void CaseRun::check() {
  for (int c = 0; c < settings_.checks; ++c) {
    for (const DataKind kind : {DataKind::kExact, DataKind::kRandom}) {
      const uint64_t seed = next_seed_++;
      bool fill_inputs = true;
      for (size_t i = 0; i < algorithms_.size(); ++i) {
        if (algorithms_[i].is_reference()) continue;
        check_one(i, kind, seed, fill_inputs);
        // The data stay for the next algorithm; whoever may have damaged them makes it fill again.
        fill_inputs = !contestants_[i]->verdict.ok() || settings_.fault.kind != FaultKind::kNothing;
        if (progress_) progress_(0);
      }
    }
  }
}

std::vector<size_t> CaseRun::open(bool timed) const {
  std::vector<size_t> who;
  for (size_t i = 0; i < contestants_.size(); ++i) {
    const Contestant& c = *contestants_[i];
    const bool done = timed ? c.rule.reason() != StopReason::kContinue : c.warm_up.done();
    if (!done) who.push_back(i);
  }
  return who;
}

int64_t CaseRun::rounds_for(const std::vector<size_t>& who) const {
  const int64_t samples_of_round = leaves_caches_warm() ? kBlock : 1;
  double one = 0;
  int64_t most = settings_.iterations ? 1 : kMostRounds;
  for (const size_t i : who) {
    const Contestant& c = *contestants_[i];
    if (c.fastest == 0) return 1;
    one += (c.fastest * c.batch + 1e-6) *
           static_cast<double>(samples_of_round + (leaves_caches_warm() ? 1 : 0));
    if (settings_.iterations) {  // no more than are still wanted
      const int64_t missing = *settings_.iterations - static_cast<int64_t>(c.rule.samples().size());
      most = std::max(most, (missing + samples_of_round - 1) / samples_of_round);
    }
  }
  return std::clamp<int64_t>(std::llround(kBatchSeconds / one), 1, std::min(most, kMostRounds));
}

bool CaseRun::choose_check(bool timed) {
  if (!timed || settings_.checks == 0) return false;
  next_seed_ = mix(next_seed_ + 1);
  return static_cast<double>(next_seed_ >> 11) * 0x1p-53 < settings_.checked_share;
}

std::vector<Sample> CaseRun::execute(std::span<const Execution> executions) {
  try {
    return crew_.run(executions);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kTimeLimit) throw;
    for (const Prepared& prepared : algorithms_) {
      if (prepared.operation.get() == crew_.current_operation()) {
        throw Error(error.kind(), prepared.algorithm + " " + error.what());
      }
    }
    throw;
  }
}

std::unique_ptr<CheckedRun> CaseRun::timed_check(size_t i, size_t set) {
  const bool refill = in_place_ || shape_.bytes() <= kRefillBytes || buffers_.sets() > 1;
  const uint64_t seed = refill ? next_seed_++ : settings_.seed;
  const CheckRequest request{shape_, in_place_, DataKind::kRandom, seed, refill, settings_.fault};
  return std::make_unique<CheckedRun>(request, algorithms_[i], buffers_, set, crew_);
}

bool CaseRun::leaves_caches_warm() const {
  const size_t buffers = in_place_ ? 1 : 2;
  return buffers_.sets() == 1 &&
         shape_.bytes() * buffers * static_cast<size_t>(shape_.ranks) <= settings_.last_level_bytes;
}

void CaseRun::round(const std::vector<size_t>& who, int64_t rounds, bool timed) {
  std::vector<Execution> executions;
  std::vector<size_t> owner;  // kDiscarded: not a sample
  std::vector<std::unique_ptr<CheckedRun>> checks;
  std::vector<size_t> check_owner;
  std::vector<char> planned(contestants_.size(), 0);
  const bool cached = leaves_caches_warm();
  for (int64_t r = 0; r < rounds; ++r) {
    for (const size_t i : who) {
      Contestant& contestant = *contestants_[i];
      for (int k = cached ? -1 : 0; k < (cached ? kBlock : 1); ++k) {
        const auto set = static_cast<size_t>(iteration_) % buffers_.sets();
        Execution execution{algorithms_[i].operation.get(), buffers_.set(set), shape_.ranks,
                            contestant.batch, iteration_++};
        const bool first = timed && settings_.checks > 0 && contestant.timed_checks == 0;
        const bool wanted =
            k >= 0 && ((first && std::exchange(planned[i], 1) == 0) || choose_check(timed));
        // In place the second operation of a batch would start from the first one's result.
        if (wanted && !algorithms_[i].is_reference() && (contestant.batch == 1 || !in_place_)) {
          checks.push_back(timed_check(i, set));
          checks.back()->attach(execution);
          check_owner.push_back(i);
        }
        executions.push_back(execution);
        owner.push_back(k < 0 ? kDiscarded : i);
      }
    }
  }
  const std::vector<Sample> samples = execute(executions);
  const double overhead = crew_.timing().wall_seconds / static_cast<double>(samples.size());
  for (size_t k = 0; k < checks.size(); ++k)
    note(*contestants_[check_owner[k]], checks[k]->verdict(), timed);
  for (size_t k = 0; k < samples.size(); ++k) {
    if (owner[k] == kDiscarded) continue;
    Contestant& contestant = *contestants_[owner[k]];
    const double seconds = samples[k].seconds / contestant.batch;
    contestant.fastest = contestant.fastest == 0 ? seconds : std::min(contestant.fastest, seconds);
    // Checks are not the contestant's own time: its share of the wall is bounded by what it ran.
    contestant.spent +=
        std::max(samples[k].seconds, std::min(overhead, samples[k].seconds * 2 + 2e-6));
    if (!timed) {
      contestant.warm_up.add(seconds, contestant.spent);
    } else if (contestant.rule.reason() == StopReason::kContinue) {
      contestant.rule.add(seconds, contestant.spent);
      contestant.common_clock = contestant.common_clock && samples[k].common_clock;
      if (samples[k].straggler != kNone) {
        contestant.late.emplace_back(samples[k].straggler, seconds);
      }
    }
  }
  if (progress_) progress_(share_done(timed));
}

void CaseRun::start_measuring() {
  for (const auto& contestant : contestants_) {
    StoppingOptions options;
    options.precision = settings_.precision;
    options.fixed_count = settings_.iterations;
    options.max_seconds = settings_.seconds;
    if (!settings_.seconds_given) {
      options.max_seconds = std::max(
          options.max_seconds, contestant->fastest * (static_cast<double>(kFewSamples) - 0.5));
    }
    contestant->rule = StoppingRule(options);
    contestant->spent = 0;
    if (contestant->fastest > 0 && contestant->fastest < settings_.clock.shortest_sample_seconds) {
      contestant->batch =
          static_cast<int>(std::ceil(settings_.clock.batched_sample_seconds / contestant->fastest));
    }
  }
}

double CaseRun::share_done(bool timed) const {
  if (!timed) return 0.2;
  double done = 0;
  for (const auto& contestant : contestants_) {
    if (contestant->rule.reason() != StopReason::kContinue) {
      done += 1;
    } else {
      done += std::min(1.0, contestant->spent / std::max(settings_.seconds, 1e-9));
    }
  }
  return 0.2 + 0.8 * done / static_cast<double>(contestants_.size());
}

void CaseRun::measure() {
  fill();  // timed runs of large messages are checked against these data
  for (auto who = open(false); !who.empty(); who = open(false)) {
    // One window at a time: a warm-up is short.
    round(who, leaves_caches_warm() ? 1 : std::min<int64_t>(rounds_for(who), 5), false);
  }
  start_measuring();
  for (auto who = open(true); !who.empty(); who = open(true)) round(who, rounds_for(who), true);
}

CaseResult CaseRun::result(size_t i) const {
  const Contestant& from = *contestants_[i];
  CaseResult result;
  if (!from.rule.samples().empty()) {
    result.time = summarize(from.rule.samples(), from.batch, settings_.raw);
    static const double host_tick = clock_tick();
    const double tick = settings_.clock.tick_seconds;
    widen_to_tick(*result.time, tick > 0 ? tick : host_tick);
    const bool wanted = !settings_.iterations && from.rule.reason() != StopReason::kPrecisionMet;
    if (wanted && !from.rule.precision_met()) {
      result.flags.emplace_back(from.rule.reason() == StopReason::kSampleCap ? "noisy"
                                                                             : "time cap");
    }
  }
  Verification& verify = result.verify;
  verify.checks = from.checks;
  verify.timed_checks = from.timed_checks;
  verify.wrong = from.verdict.wrong;
  verify.verdict = from.checks == 0 ? "not checked" : from.verdict.ok() ? "ok" : "wrong";
  if (from.verdict.max_error_ratio > 0) verify.max_error_ratio = from.verdict.max_error_ratio;
  if (!from.verdict.ok()) {
    verify.check = from.verdict.check;
    verify.index = from.verdict.index;
    if (from.verdict.rank >= 0) verify.rank = from.verdict.rank;
    verify.wanted = from.verdict.wanted;
    verify.got = from.verdict.got;
    verify.ulps = from.verdict.ulps;
  }
  result.common_clock = from.common_clock;
  result.clock_error_seconds = crew_.timing().clock_error_seconds;
  if (result.time) result.straggler = straggler(from.late, *result.time);
  return result;
}

}  // namespace arb
