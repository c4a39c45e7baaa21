#include "collectives/runners/mpi/process_team.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "collectives/error.hpp"

namespace arb {
namespace {

// A wait is worth a note after so many polls that only spin; where the core is yielded between
// polls, by us or by MPI, each of them may take a time slice: there the clock is asked.
constexpr unsigned kLongWait = 1000;
constexpr double kLongSeconds = 1e-4;
constexpr size_t kMostLongWaits = 256;  // of a rank in one batch
constexpr double kClockSeconds = 2;     // after which clocks of nodes are compared again
constexpr auto kAnswer = std::chrono::milliseconds(1000);  // rank 0 waits so long for all places
constexpr auto kHastyAnswer = std::chrono::milliseconds(200);  // when it is about to be killed
constexpr int kPlaceTag = 1;
constexpr double kMarginDecay = 0.9;  // per start: one late agreement does not delay all others

}  // namespace

ProcessTeam::ProcessTeam(const Communicator& comm, const Locality& locality, Arena& arena,
                         ClockSync& clock, const Waiting& waiting)
    : comm_(comm),
      locality_(locality),
      arena_(arena),
      clock_(clock),
      waiting_(waiting),
      rank_(comm.rank()),
      ranks_(comm.size()),
      worker_(static_cast<int>(std::lower_bound(locality.near.begin(), locality.near.end(), rank_) -
                               locality.near.begin())) {}

std::pair<int, int> ProcessTeam::ranks_of(int worker, int /*ranks*/) const {
  const int rank = locality_.near[static_cast<size_t>(worker)];
  return {rank, rank + 1};
}

void ProcessTeam::on_all(const std::function<void(int)>& job) { job(worker_); }

bool ProcessTeam::meet() {
  if (locality_.near.size() > 1) return arena_.meet();
  return true;
}

std::vector<std::string> ProcessTeam::exchange(const std::string& own) {
  return waiting_.exchange(own, comm_);
}

bool ProcessTeam::everybody_meets() {
  if (locality_.sees_all(ranks_)) return meet();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm_.get(), &request), "MPI_Ibarrier");
  waiting_.complete(request, "a barrier");
  return true;
}

/// A barrier lets some ranks go one message earlier than others, and what they send meanwhile is
/// for free. So all agree on a moment: the latest arrival, which an all-reduce tells everybody,
/// plus what that all-reduce has lately taken. Who hears of it later starts at once.
bool ProcessTeam::start_together() {
  if (locality_.sees_all(ranks_)) return meet();
  double said[2] = {clock_.to_common(node_seconds()), agreeing_seconds_};
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, said, 2, MPI_DOUBLE, MPI_MAX, comm_.get(), &request),
            "MPI_Iallreduce");
  waiting_.complete(request, "agreeing on a start");
  const double arrived = said[0];
  agreeing_seconds_ = clock_.to_common(node_seconds()) - arrived;
  start_margin_ = std::max(said[1], kMarginDecay * start_margin_);
  return waiting_.until([&] { return clock_.to_common(node_seconds()); }, arrived + start_margin_);
}

/// Clocks of nodes drift: they are compared again when rank 0 finds the last time too long ago.
void ProcessTeam::keep_clock() {
  if (clock_.common() || !clock_old_) return;
  clock_.measure();
  clock_measured_ = node_seconds();
}

std::vector<Sample> ProcessTeam::run(std::span<const Execution> executions) {
  if (broken_) throw Error(ErrorKind::kInternal, "the processes have lost each other");
  interrupted_ = false;
  try {
    keep_clock();
    start_.assign(executions.size(), 0);
    end_.assign(executions.size(), 0);
    long_waits_.clear();
    const double begin = node_seconds();
    for (size_t i = 0; i < executions.size(); ++i) execute(i, executions[i]);
    std::vector<Sample> samples = collect(executions, node_seconds() - begin);
    current_ = nullptr;
    if (interrupted_) throw Error(ErrorKind::kTimeLimit, "was interrupted");
    return samples;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kTimeLimit && !interrupted_) give_up();
    current_ = nullptr;
    throw;
  }
}

void ProcessTeam::execute(size_t index, const Execution& execution) {
  current_.store(&execution, std::memory_order_relaxed);
  if (execution.prepare != nullptr) (*execution.prepare)(worker_);
  const auto meet_or_stop = [this] {
    if (!everybody_meets()) throw Error(ErrorKind::kTimeLimit, "at a barrier");
  };
  if (!start_together()) throw Error(ErrorKind::kTimeLimit, "at the start");
  start_[index] = node_seconds();
  for (int b = 0; b < execution.batch; ++b) drive(execution, index, b == 0);
  end_[index] = node_seconds();
  if (execution.inspect == nullptr) return;
  meet_or_stop();
  (*execution.inspect)(worker_);
  meet_or_stop();
}

void ProcessTeam::drive(const Execution& execution, size_t index, bool first_of_batch) {
  Operation& operation = *execution.operation;
  const bool slow = fault_.slows(rank_, rank_ + 1);
  const double begin = slow ? node_seconds() : 0;
  if (first_of_batch && fault_.delays(rank_, execution.iteration)) {
    waiting_.until(node_seconds, node_seconds() + fault_.delay_seconds);
  }
  const bool stalled = fault_.stalls(rank_, execution.iteration);
  if (!stalled) operation.begin(rank_, execution.buffers[rank_]);
  Patience patience(waiting_.spins());
  const bool spins = waiting_.spins() > 0 && locality_.sees_all(ranks_);
  const unsigned long_wait = spins ? kLongWait : 0;
  double long_since = 0;
  int waits_for = kNone;
  for (;;) {
    const Advance advance = stalled ? Advance::kBlocked : operation.advance(rank_);
    if (advance == Advance::kBlocked) {
      if (patience.waited() == long_wait && !stalled) {
        waits_for = operation.waits_for(rank_);  // afterwards it waits for somebody else
        long_since = node_seconds();
      }
      if (!waiting_.pause(patience)) throw Error(ErrorKind::kTimeLimit, "in an operation");
      continue;
    }
    if (patience.waited() > long_wait) {
      note_wait(index, {waits_for, node_seconds() - long_since}, spins ? 0 : kLongSeconds);
    }
    if (advance == Advance::kDone) break;
    patience.reset();
  }
  if (slow) {
    const double now = node_seconds();
    waiting_.until(node_seconds, now + fault_.held_back_seconds(rank_, rank_ + 1, now - begin));
  }
}

void ProcessTeam::note_wait(size_t index, const Wait& wait, double at_least_seconds) {
  if (wait.for_rank == kNone || wait.seconds < at_least_seconds) return;
  if (long_waits_.size() < kMostLongWaits) long_waits_.push_back({index, wait});
}

/// Maxima over the ranks: of starts, ends and durations, and of what one of them wants.
std::vector<Sample> ProcessTeam::collect(std::span<const Execution> executions,
                                         double wall_seconds) {
  const size_t n = executions.size();
  enum Wish : size_t { kWall, kInterrupted, kExpired, kWaited, kClockOld, kWishes };
  std::vector<double> all(3 * n + kWishes);
  for (size_t i = 0; i < n; ++i) {
    all[i] = clock_.to_common(start_[i]);
    all[n + i] = clock_.to_common(end_[i]);
    all[2 * n + i] = end_[i] - start_[i];
  }
  double* const wishes = all.data() + 3 * n;
  wishes[kWall] = wall_seconds;
  wishes[kInterrupted] = interrupt_ != nullptr && *interrupt_ ? 1 : 0;
  wishes[kExpired] = waiting_.expired() ? 1 : 0;
  wishes[kWaited] = long_waits_.empty() ? 0 : 1;
  wishes[kClockOld] = rank_ == 0 && node_seconds() - clock_measured_ > kClockSeconds ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE,
                           MPI_MAX, comm_.get(), &request),
            "MPI_Iallreduce");
  waiting_.complete(request, "collecting the time stamps");
  timing_.wall_seconds = wishes[kWall];
  timing_.clock_error_seconds = clock_.residual();
  interrupted_ = wishes[kInterrupted] != 0;
  expired_ = wishes[kExpired] != 0;
  clock_old_ = wishes[kClockOld] != 0;
  std::map<const Operation*, std::vector<double>> durations;
  for (size_t i = 0; i < n; ++i) durations[executions[i].operation].push_back(all[2 * n + i]);
  std::vector<Sample> samples(n);
  for (size_t i = 0; i < n; ++i) {
    std::vector<double>& of_operation = durations[executions[i].operation];
    const auto middle = of_operation.begin() + static_cast<std::ptrdiff_t>(of_operation.size() / 2);
    std::nth_element(of_operation.begin(), middle, of_operation.end());
    samples[i].common_clock = small_against(clock_.residual(), *middle);
    samples[i].seconds = samples[i].common_clock ? all[n + i] - all[i] : all[2 * n + i];
  }
  if (wishes[kWaited] != 0) find_stragglers(samples);
  return samples;
}

void ProcessTeam::find_stragglers(std::vector<Sample>& samples) {
  std::string own;
  for (const LongWait& wait : long_waits_) {
    own.append(reinterpret_cast<const char*>(&wait), sizeof wait);
  }
  std::map<size_t, std::vector<Wait>> waits;  // [execution][rank]
  const std::vector<std::string> all = exchange(own);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    for (size_t at = 0; at + sizeof(LongWait) <= all[rank].size(); at += sizeof(LongWait)) {
      LongWait wait;
      std::copy_n(all[rank].data() + at, sizeof wait, reinterpret_cast<char*>(&wait));
      auto& of_execution = waits[wait.execution];
      of_execution.resize(all.size());
      if (of_execution[rank].seconds < wait.wait.seconds) of_execution[rank] = wait.wait;
    }
  }
  for (const auto& [execution, of_execution] : waits) {
    samples[execution].straggler = find_straggler(of_execution);
  }
}

std::string ProcessTeam::where() const {
  if (given_up_.load(std::memory_order_acquire)) return given_up_at_;
  const Execution* execution = current_.load();
  if (execution == nullptr) return "between two operations";
  const bool stalled = fault_.stalls(rank_, execution->iteration);
  return "iteration " + std::to_string(execution->iteration) + ": " +
         (stalled ? "takes no part; last at: " : "") + execution->operation->where(rank_);
}

/// Rank 0 asks nobody: everybody who finds the time limit passed says where it stands.
std::string ProcessTeam::gather_places(const std::string& own, std::chrono::milliseconds patience) {
  std::vector<std::string> places(static_cast<size_t>(ranks_));
  places[0] = own;
  int missing = ranks_ - 1;
  const auto until = std::chrono::steady_clock::now() + patience;
  while (missing > 0 && std::chrono::steady_clock::now() < until) {
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kPlaceTag, comm_.get(), &arrived, &status);
    if (arrived == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<size_t>(length), '\0');
    MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, kPlaceTag, comm_.get(),
             MPI_STATUS_IGNORE);
    places[static_cast<size_t>(status.MPI_SOURCE)] = text;
    --missing;
  }
  constexpr int kShown = 16;
  std::string text;
  int shown = 0;
  // Who does not answer comes first: it is the one to look at.
  for (const bool silent : {true, false}) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const std::string& place = places[static_cast<size_t>(rank)];
      if (place.empty() != silent || ++shown > kShown) continue;
      text += "\n  rank " + std::to_string(rank) + ": " +
              (silent ? "does not answer: dead, stopped, or inside a call of MPI" : place);
    }
  }
  if (shown > kShown) text += "\n  and " + std::to_string(shown - kShown) + " more ranks";
  return text;
}

std::string ProcessTeam::roll_call(const std::string& own) {
  if (broken_) return "";
  broken_ = true;
  given_up_at_ = own;
  given_up_.store(true, std::memory_order_release);
  if (rank_ == 0) return gather_places(own, waiting_.told_to_end() ? kHastyAnswer : kAnswer);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, kPlaceTag, comm_.get(),
            &request);
  const auto until = std::chrono::steady_clock::now() + kAnswer;
  int done = 0;
  while (done == 0 && std::chrono::steady_clock::now() < until) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return "";
}

void ProcessTeam::give_up() {
  expired_ = true;
  const std::string own = where();
  const std::string places = roll_call(own);
  throw Error(ErrorKind::kTimeLimit, rank_ == 0 ? "stopped:" + places : own);
}

}  // namespace arb
