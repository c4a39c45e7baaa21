#include "collectives/runners/host/team.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "collectives/error.hpp"

namespace arb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kSpins = 4000;  // about 50-100 us, then yield: somebody else may need the core
constexpr unsigned kLongWait = 1000;  // polls after which a wait is worth a note
constexpr auto kGrace = std::chrono::seconds(2);

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // best effort: unpinned still works
}

void busy_wait(double seconds, const std::atomic<bool>& stop) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  while (Clock::now() < until && !stop.load(std::memory_order_relaxed)) relax();
}

}  // namespace

Team::Team(int workers, std::vector<int> cpus)
    : workers_(workers),
      cpus_(std::move(cpus)),
      spins_(!cpus_.empty() && workers > static_cast<int>(cpus_.size()) ? 0 : kSpins),
      barrier_(workers),
      states_(static_cast<size_t>(workers)) {
  for (int w = 0; w < workers_; ++w) threads_.emplace_back([this, w] { work(w); });
}

Team::~Team() {
  stop_ = true;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::pair<int, int> Team::ranks_of(int worker, int ranks) const {
  return {static_cast<int>(int64_t{ranks} * worker / workers_),
          static_cast<int>(int64_t{ranks} * (worker + 1) / workers_)};
}

void Team::work(int worker) {
  if (!cpus_.empty()) pin(cpus_[static_cast<size_t>(worker) % cpus_.size()]);
  uint64_t done = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return closing_ || job_number_ != done; });
    if (closing_) return;
    done = job_number_;
    const auto* job = job_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*job)(worker);
    } catch (...) {
      failure = std::current_exception();
      stop_ = true;  // nobody waits for us at a barrier
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--working_ == 0) finished_.notify_all();
  }
}

void Team::on_all(const std::function<void(int)>& job) {
  std::unique_lock lock(mutex_);
  if (stop_) throw Error(ErrorKind::kInternal, "the worker threads have been stopped");
  job_ = &job;
  ++job_number_;
  working_ = workers_;
  wake_.notify_all();
  const auto idle = [&] { return working_ == 0; };
  std::optional<Clock::time_point> interrupted_at;
  bool cut = false;
  while (!finished_.wait_for(lock, std::chrono::milliseconds(20), idle)) {
    const auto now = Clock::now();
    if (interrupted_ != nullptr && *interrupted_ && !interrupted_at) interrupted_at = now;
    if ((deadline_ && now > *deadline_) || (interrupted_at && now > *interrupted_at + kGrace)) {
      cut = true;
      stop_ = true;
      // Workers look at the stop word in every wait; what does not wait ends by itself.
      finished_.wait(lock, idle);
    }
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (cut) throw Error(ErrorKind::kTimeLimit, hang_report());
}

std::vector<Sample> Team::run(std::span<const Execution> executions) {
  std::vector<Sample> samples(executions.size());
  int ranks = 0;
  for (const Execution& execution : executions) ranks = std::max(ranks, execution.ranks);
  if (static_cast<size_t>(ranks) > hints_.size()) hints_.resize(static_cast<size_t>(ranks));
  halt_ = false;
  const auto begin = Clock::now();
  on_all([&](int worker) { run_all(worker, executions, samples); });
  if (halt_) throw Error(ErrorKind::kTimeLimit, "was interrupted");
  timing_.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  current_ = nullptr;  // they belong to the caller; after an exception they name what was in work
  return samples;
}

void Team::run_all(int worker, std::span<const Execution> executions,
                   std::vector<Sample>& samples) {
  for (size_t i = 0; i < executions.size(); ++i) {
    const Execution& execution = executions[i];
    if (worker == 0) current_.store(&execution, std::memory_order_relaxed);
    if (execution.prepare != nullptr) (*execution.prepare)(worker);
    if (!execute(worker, execution)) return;
    // All stamps are written once all have passed this barrier.
    if (!barrier_.arrive_and_wait(stop_, spins_)) return;
    if (execution.inspect != nullptr) (*execution.inspect)(worker);
    if (worker == 0) {
      samples[i] = collect(execution);
      halt_ = interrupted_ != nullptr && *interrupted_;
    }
    if (!barrier_.arrive_and_wait(stop_, spins_) || halt_) return;
  }
}

bool Team::execute(int worker, const Execution& execution) {
  WorkerState& state = states_[static_cast<size_t>(worker)];
  if (!barrier_.arrive_and_wait(stop_, spins_)) return false;
  state.start = Clock::now();
  for (int b = 0; b < execution.batch; ++b) {
    if (!drive(worker, execution, b == 0)) return false;
  }
  state.end = Clock::now();
  return true;
}

bool Team::drive(int worker, const Execution& execution, bool first_of_batch) {
  Operation& operation = *execution.operation;
  WorkerState& state = states_[static_cast<size_t>(worker)];
  std::vector<int>& pending = state.pending;
  const auto [first, last] = ranks_of(worker, execution.ranks);
  pending.clear();
  Clock::time_point begin;
  if (fault_.slows(first, last)) begin = Clock::now();
  for (int rank = first; rank < last; ++rank) {
    if (fault_.stalls(rank, execution.iteration)) {
      pending.push_back(~rank);  // never advanced
      continue;
    }
    if (first_of_batch && fault_.delays(rank, execution.iteration)) {
      busy_wait(fault_.delay_seconds, stop_);
    }
    operation.begin(rank, execution.buffers[rank]);
    pending.push_back(rank);
  }
  Patience patience(spins_);
  Clock::time_point long_since;
  while (!pending.empty()) {
    bool moved = false;
    size_t kept = 0;
    for (const int rank : pending) {
      const Advance advance = rank >= 0 ? operation.advance(rank) : Advance::kBlocked;
      if (advance != Advance::kBlocked) moved = true;
      if (advance != Advance::kDone) pending[kept++] = rank;
    }
    pending.resize(kept);
    if (moved) {
      if (patience.waited() >= kLongWait) end_long_wait(state, long_since);
      patience.reset();
      continue;
    }
    if (stop_.load(std::memory_order_relaxed)) return false;
    patience.wait();
    if (patience.waited() == kLongWait) {
      long_since = Clock::now();
      state.waiting = pending;
      state.waited_for.clear();
      for (const int rank : pending) {
        state.waited_for.push_back(rank >= 0 ? operation.waits_for(rank) : kNone);
      }
    }
  }
  if (fault_.slows(first, last)) {
    const std::chrono::duration<double> taken = Clock::now() - begin;
    busy_wait(fault_.held_back_seconds(first, last, taken.count()), stop_);
  }
  return true;
}

void Team::end_long_wait(WorkerState& state, Clock::time_point since) {
  const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
  for (size_t i = 0; i < state.waiting.size(); ++i) {
    if (state.waited_for[i] == kNone) continue;
    WaitHint& hint = hints_[static_cast<size_t>(state.waiting[i])];
    if (hint.execution != execution_ || hint.wait.seconds < seconds) {
      hint = {execution_, {state.waited_for[i], seconds}};
    }
  }
}

int Team::straggler(int ranks) const {
  std::vector<Wait> waits(static_cast<size_t>(ranks));
  for (size_t rank = 0; rank < waits.size(); ++rank) {
    if (hints_[rank].execution == execution_) waits[rank] = hints_[rank].wait;
  }
  return find_straggler(waits);
}

Sample Team::collect(const Execution& execution) {
  auto start = states_.front().start;
  auto end = states_.front().end;
  for (const WorkerState& state : states_) {
    start = std::max(start, state.start);
    end = std::max(end, state.end);
  }
  Sample sample;
  sample.seconds = std::chrono::duration<double>(end - start).count();
  // Ranks that share a worker wait for each other without anybody being late.
  if (execution.ranks <= workers_) sample.straggler = straggler(execution.ranks);
  ++execution_;
  return sample;
}

std::string Team::hang_report() const {
  const Execution* execution = current_.load();
  if (execution == nullptr) return "stopped between two operations";
  std::string text = "stopped in iteration " + std::to_string(execution->iteration) + ":";
  constexpr int kShown = 16;
  for (int rank = 0; rank < std::min(execution->ranks, kShown); ++rank) {
    const bool stalled = fault_.stalls(rank, execution->iteration);
    text += "\n  rank " + std::to_string(rank) + ": " +
            (stalled ? "takes no part; last at: " : "") + execution->operation->where(rank);
  }
  if (execution->ranks > kShown) {
    text += "\n  and " + std::to_string(execution->ranks - kShown) + " more ranks";
  }
  return text;
}

}  // namespace arb
