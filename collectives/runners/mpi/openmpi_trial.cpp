#include "collectives/runners/mpi/openmpi_trial.hpp"

#include <bit>
#include <string>
#include <vector>

#include "collectives/error.hpp"

namespace arb {
namespace {

OpCalls observed;  // an MPI operator takes no context

void observing_sum(void* in, void* in_out, int* count, MPI_Datatype*) {
  ++observed.calls;
  observed.elements += *count;
  const int* from = static_cast<const int*>(in);
  int* to = static_cast<int*>(in_out);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
}

constexpr int kNonoverlapping = 2;

unsigned largest_power(int ranks) { return std::bit_floor(static_cast<unsigned>(ranks)); }

}  // namespace

OpCalls observe_allreduce(MPI_Comm comm, int count) {
  MPI_Op op = MPI_OP_NULL;
  check_mpi(MPI_Op_create(observing_sum, 1, &op), "MPI_Op_create");
  const std::vector<int> input(static_cast<size_t>(count), 1);
  std::vector<int> output(static_cast<size_t>(count), 0);
  observed = {};
  const int code = MPI_Allreduce(input.data(), output.data(), count, MPI_INT, op, comm);
  MPI_Op_free(&op);
  check_mpi(code, "MPI_Allreduce (trial)");
  return observed;
}

int trial_count(int forced, int ranks) {
  if (forced == kNonoverlapping) return 1;  // not to be split, whatever reduce is chosen
  return forced == 6 ? static_cast<int>(largest_power(ranks)) : ranks;
}

OpCalls expected_calls(int forced, int ranks, int rank) {
  const long count = trial_count(forced, ranks);
  // Recursive algorithms: the first 2 * extra ranks pair up, so that a power of two goes on.
  const long power = largest_power(ranks);
  const long extra = ranks - power;
  const long steps = std::bit_width(largest_power(ranks)) - 1;
  const bool paired = rank < 2 * extra;
  const bool odd = rank % 2 != 0;
  const auto whole_messages = [&](long calls) { return OpCalls{calls, calls * count}; };
  switch (forced) {
    case 1:
      return whole_messages(rank == 0 ? ranks - 1 : 0);
    case kNonoverlapping:
      return whole_messages(ranks - 1);
    case 3:  // the odd rank of a pair goes on, with one reduction more
      if (paired) return whole_messages(odd ? steps + 1 : 0);
      return whole_messages(steps);
    case 4:
    case 5:
      return {ranks - 1, ranks - 1};
    case 6:  // a pair shares a reduction by halves, and its even rank goes on
      if (paired) return odd ? OpCalls{1, power / 2} : OpCalls{steps + 1, power / 2 + power - 1};
      return {steps, power - 1};
    default:
      throw Error(ErrorKind::kInternal,
                  "coll/tuned has no algorithm " + std::to_string(forced) + " that we know");
  }
}

bool runs_as(int forced, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  OpCalls calls = observe_allreduce(comm, trial_count(forced, ranks));
  if (forced == kNonoverlapping) {
    long both[] = {calls.calls, calls.elements};
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_LONG, MPI_SUM, comm), "MPI_Allreduce");
    calls = {both[0], both[1]};
  }
  int same = calls == expected_calls(forced, ranks, rank) ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return same != 0;
}

}  // namespace arb
