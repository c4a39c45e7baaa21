#include "collectives/runners/mpi/waiting.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "collectives/error.hpp"

#ifdef ARB_SIMULATED
#include <smpi/smpi.h>
#endif

namespace arb {
namespace {

// Naps grow: at 500 us each, a rank that rests for a whole case took 5 % of a core from the others.
constexpr auto kFirstNap = std::chrono::microseconds(100);
constexpr auto kLongestNap = std::chrono::microseconds(8000);

[[noreturn]] void give_up(const char* what) {
  throw Error(ErrorKind::kTimeLimit, std::string("waited for the other processes in ") + what);
}

}  // namespace

double node_seconds() {
  if constexpr (kSimulated) return MPI_Wtime();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool Waiting::told_to_end() const {
  if (interrupted_ == nullptr || !*interrupted_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (!told_at_) told_at_ = now;
  return now - *told_at_ > kCourtesy;
}

bool Waiting::until(const std::function<double()>& clock, double seconds) const {
#ifdef ARB_SIMULATED
  const double missing = seconds - clock();
  if (missing > 0) smpi_execute(missing);
  return true;
#else
  Patience patience(spins_);
  while (clock() < seconds) {
    if (!pause(patience)) return false;
  }
  return true;
#endif
}

void Waiting::complete(MPI_Request& request, const char* what) const {
  if constexpr (kSimulated) {
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), what);
    return;
  }
  Patience patience(spins_);
  for (;;) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done != 0) return;
    if (!pause(patience)) give_up(what);
  }
}

void Waiting::rest(MPI_Request& request, const char* what) const {
  if constexpr (kSimulated) return complete(request, what);
  for (auto nap = kFirstNap;; nap = std::min(2 * nap, kLongestNap)) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done != 0) return;
    if (expired()) give_up(what);
    std::this_thread::sleep_for(nap);
  }
}

std::vector<std::string> Waiting::exchange(const std::string& own, const Communicator& comm) const {
  const auto size = static_cast<size_t>(comm.size());
  std::vector<int> lengths(size);
  std::vector<int> offsets(size, 0);
  const int length = static_cast<int>(own.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm.get(), &request),
            "MPI_Iallgather");
  complete(request, "an exchange");
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<size_t>(offsets.back() + lengths.back()), '\0');
  check_mpi(MPI_Iallgatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(),
                            offsets.data(), MPI_CHAR, comm.get(), &request),
            "MPI_Iallgatherv");
  complete(request, "an exchange");
  std::vector<std::string> texts;
  texts.reserve(size);
  for (size_t r = 0; r < size; ++r) {
    texts.push_back(all.substr(static_cast<size_t>(offsets[r]), static_cast<size_t>(lengths[r])));
  }
  return texts;
}

}  // namespace arb
