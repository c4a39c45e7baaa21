#include "collectives/runners/mpi/world.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/host/affinity.hpp"
#include "collectives/runners/host/runner.hpp"
#include "collectives/runners/mpi/device_carrier.hpp"
#include "collectives/runners/mpi/openmpi_list.hpp"
#include "collectives/runners/mpi/process_team.hpp"
#include "collectives/runners/mpi/runner.hpp"

namespace arb {
namespace {

constexpr unsigned kSpins = 4000;  // about 50-100 us, then yield: somebody else may need the core

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  check_mpi(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
  return {name, static_cast<size_t>(length)};
}

/// "Open MPI 4.1.4" of "Open MPI v4.1.4, package: ..., ident: ...".
std::string short_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  std::string version(text, static_cast<size_t>(length));
  version = version.substr(0, version.find_first_of(",\n"));
  const size_t v = version.find(" v");
  if (v != std::string::npos && v + 2 < version.size() && std::isdigit(version[v + 2]) != 0) {
    version.erase(v + 1, 1);
  }
  return version;
}

/// All ranks whose memory this process is to see, of the first `ranks`.
Locality locality_of(const std::vector<int>& node_of, int ranks, int rank, Path path) {
  Locality locality;
  locality.driven = {rank};
  for (int r = 0; r < ranks; ++r) {
    const bool same = node_of[static_cast<size_t>(r)] == node_of[static_cast<size_t>(rank)];
    if (r == rank || (same && path != Path::kMessages)) locality.near.push_back(r);
  }
  return locality;
}

Communicator part_of(MPI_Comm comm, int colour, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, colour, key, &part), "MPI_Comm_split");
  if (part != MPI_COMM_NULL) MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
  return Communicator(part);
}

/// Numbers the nodes in order of their lowest rank. names: [rank]
template <typename Name>
std::vector<int> dense(const std::vector<Name>& names) {
  std::vector<int> node_of;
  node_of.reserve(names.size());
  std::map<Name, int> index;
  for (const Name& name : names) {
    node_of.push_back(index.try_emplace(name, static_cast<int>(index.size())).first->second);
  }
  return node_of;
}

/// Do any two of the first `ranks` see each other's memory?
bool shares_memory(const std::vector<int>& node_of, int ranks, Path path) {
  const auto end = node_of.begin() + ranks;
  const std::set<int> nodes(node_of.begin(), end);
  return path != Path::kMessages && nodes.size() < static_cast<size_t>(ranks);
}

class FirstRanks final : public Group {
 public:
  FirstRanks(Communicator comm, const std::vector<int>& node_of, int cores,
             const GroupSettings& settings)
      : comm_(std::move(comm)),
        messages_(Communicator::duplicate(comm_.get())),
        node_of_(node_of.begin(), node_of.begin() + comm_.size()),
        locality_(locality_of(node_of, comm_.size(), comm_.rank(), settings.path)),
        near_(part_of(comm_.get(), locality_.near.front(), comm_.rank())),
        waiting_(waiting(node_of, cores, settings)),
        arena_(near_, waiting_),
        clock_(comm_.get(), first_of(node_of, comm_.size()), [this] { look_at_the_clock(); }),
        team_(comm_, locality_, arena_, clock_, waiting_),
        runner_(messages_, locality_, shares_memory(node_of, comm_.size(), settings.path),
                settings.host) {
    locality_.allocate = [this](size_t bytes) { return arena_.allocate(bytes); };
    team_.set_fault(settings.control.fault);
    team_.set_interrupt(settings.control.interrupted);
  }

  Crew& crew() override { return team_; }
  Runner& runner() override { return runner_; }
  std::string where() const override { return team_.where(); }

  std::vector<int> node_of() const override { return node_of_; }
  bool claims_device_messages() const override { return arb::claims_device_messages(); }
  void pass_on(const std::byte* own, std::byte* received, size_t bytes) override {
    const int ranks = comm_.size();
    const int next = (comm_.rank() + 1) % ranks;
    const int previous = (comm_.rank() + ranks - 1) % ranks;
    const int count = static_cast<int>(bytes);
    MPI_Request requests[2];
    check_mpi(MPI_Irecv(received, count, MPI_BYTE, previous, 0, messages_.get(), &requests[0]),
              "MPI_Irecv");
    check_mpi(MPI_Isend(own, count, MPI_BYTE, next, 0, messages_.get(), &requests[1]), "MPI_Isend");
    for (MPI_Request& request : requests) waiting_.complete(request, "a message");
  }
  std::unique_ptr<Carrier> carry(const std::vector<FarFifo>& fifos, int tags) override {
    if (tags > largest_tag() - next_tag_) next_tag_ = 0;
    return std::make_unique<DeviceCarrier>(messages_, std::exchange(next_tag_, next_tag_ + tags),
                                           fifos);
  }

 private:
  static int largest_tag() {
    int* value = nullptr;
    int known = 0;
    check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &known), "MPI_Comm_get_attr");
    return known != 0 ? *value : 32767;
  }
  static std::vector<int> first_of(const std::vector<int>& node_of, int ranks) {
    if (kSimulated) return std::vector<int>(static_cast<size_t>(ranks), 0);  // one clock
    return {node_of.begin(), node_of.begin() + ranks};
  }

  /// Processes of a node that compete for its cores yield at once.
  Waiting waiting(const std::vector<int>& node_of, int cores, const GroupSettings& settings) const {
    const int node = node_of[static_cast<size_t>(comm_.rank())];
    const auto here = std::count(node_of.begin(), node_of.begin() + comm_.size(), node);
    Waiting waiting(here > cores ? 0 : kSpins);
    waiting.set_deadline(settings.control.deadline);
    waiting.set_interrupt(settings.control.interrupted);
    return waiting;
  }

  void look_at_the_clock() const {
    if (waiting_.expired()) throw Error(ErrorKind::kTimeLimit, "while clocks were compared");
  }

  Communicator comm_;
  Communicator messages_;
  std::vector<int> node_of_;
  Locality locality_;
  Communicator near_;
  Waiting waiting_;
  Arena arena_;
  ClockSync clock_;
  ProcessTeam team_;
  MpiRunner runner_;
  int next_tag_ = 0;  // of carriers
};

}  // namespace

struct World::State {
  Communicator comm;
  Waiting waiting{0};
  std::vector<int> node_of;  // [rank] dense, in order of their lowest rank
  std::vector<std::string> hosts;
  std::vector<int> cores;  // [rank] that the processes of its node may use together
  std::string version;
  bool whole = true;  // the job; false: a part of it, which began after MPI_Init
};

World::World(int* argc, char*** argv) : state_(std::make_unique<State>()) {
  int provided = 0;
  allow_openmpi_forcing();
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    throw Error(ErrorKind::kEnvironment, "MPI_Init failed");
  }
  State& state = *state_;
  state.comm = Communicator::duplicate(MPI_COMM_WORLD);
  state.version = short_version();
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(state.comm.get(), MPI_COMM_TYPE_SHARED, state.comm.rank(),
                                MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  Communicator shared(node);
  int leader = state.comm.rank();
  check_mpi(MPI_Bcast(&leader, 1, MPI_INT, 0, shared.get()), "MPI_Bcast");
  state.node_of = dense(exchange(std::to_string(leader)));
  state.hosts = exchange(host_name());
  std::string cpus;
  for (const int cpu : usable_cpus()) cpus += std::to_string(cpu) + " ";
  std::set<std::string> together;
  const std::vector<std::string> all = exchange(cpus);
  for (size_t r = 0; r < all.size(); ++r) {
    if (state.node_of[r] != state.node_of[static_cast<size_t>(rank())]) continue;
    for (size_t at = 0; at < all[r].size();) {
      const size_t end = all[r].find(' ', at);
      together.insert(all[r].substr(at, end - at));
      at = end + 1;
    }
  }
  const auto cores = std::max<size_t>(1, together.size());
  for (const std::string& said : exchange(std::to_string(cores))) {
    state.cores.push_back(std::stoi(said));
  }
}

World::World(std::unique_ptr<State> state) : state_(std::move(state)) {}

World::~World() {
  if (std::uncaught_exceptions() > 0) return;
  state_->comm.reset();
  if (state_->whole) MPI_Finalize();
}

int World::rank() const { return state_->comm.rank(); }
int World::size() const { return state_->comm.size(); }
std::string World::version() const { return state_->version; }
bool World::simulated() const { return kSimulated; }

std::vector<Node> World::nodes(int ranks) const {
  std::vector<Node> nodes;
  for (int r = 0; r < ranks; ++r) {
    const auto node = static_cast<size_t>(state_->node_of[static_cast<size_t>(r)]);
    if (node >= nodes.size()) nodes.resize(node + 1);
    if (nodes[node].ranks.empty()) {
      nodes[node].host = state_->hosts[static_cast<size_t>(r)];
      nodes[node].cores = state_->cores[static_cast<size_t>(r)];
    }
    nodes[node].ranks.push_back(r);
  }
  return nodes;
}

std::vector<std::string> World::exchange(const std::string& own) const {
  return state_->waiting.exchange(own, state_->comm);
}

std::string World::broadcast(const std::string& of_rank_0) const {
  int length = static_cast<int>(of_rank_0.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(&length, 1, MPI_INT, 0, state_->comm.get(), &request), "MPI_Ibcast");
  state_->waiting.rest(request, "a broadcast");
  std::string text = rank() == 0 ? of_rank_0 : std::string(static_cast<size_t>(length), '\0');
  check_mpi(MPI_Ibcast(text.data(), length, MPI_CHAR, 0, state_->comm.get(), &request),
            "MPI_Ibcast");
  state_->waiting.rest(request, "a broadcast");
  return text;
}

std::unique_ptr<World> World::split(int colour, int place) const {
  const bool in = colour != kNone;
  auto part = std::make_unique<State>();
  part->comm = part_of(state_->comm.get(), in ? colour : MPI_UNDEFINED, place);
  if (!in) return nullptr;
  const auto here = static_cast<size_t>(rank());
  const auto tell = [&](const std::string& own) { return part->waiting.exchange(own, part->comm); };
  part->node_of = dense(tell(std::to_string(state_->node_of[here])));
  part->hosts = tell(state_->hosts[here]);
  for (const std::string& said : tell(std::to_string(state_->cores[here]))) {
    part->cores.push_back(std::stoi(said));
  }
  part->version = state_->version;
  part->whole = false;
  return std::unique_ptr<World>(new World(std::move(part)));
}

void World::meet() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(state_->comm.get(), &request), "MPI_Ibarrier");
  state_->waiting.rest(request, "a meeting");
}

std::unique_ptr<Group> World::group(int ranks, const GroupSettings& settings) const {
  const int here = static_cast<int>(nodes(ranks).size());
  if (settings.path == Path::kShm && here > 1) {
    throw Error(ErrorKind::kEnvironment, "--path shm: the first " + std::to_string(ranks) +
                                             " ranks are on " + std::to_string(here) +
                                             " nodes, which share no memory; use --path auto");
  }
  const bool in = rank() < ranks;
  Communicator comm = part_of(state_->comm.get(), in ? 0 : MPI_UNDEFINED, rank());
  if (!in) return nullptr;
  return std::make_unique<FirstRanks>(std::move(comm), state_->node_of,
                                      state_->cores[static_cast<size_t>(rank())], settings);
}

SlotChooser World::slot_chooser(Path path, const HostFactsForSlots& host) const {
  const std::vector<int> node_of = state_->node_of;
  return [=](const Schedule& schedule, const Shape& shape, bool in_place) {
    const Locality locality = locality_of(node_of, shape.ranks, 0, path);
    return locality.sees_all(shape.ranks) ? choose_slots(schedule, shape, in_place, host)
                                          : choose_message_slots(schedule, shape);
  };
}

void World::pretend_nodes(const std::vector<int>& node_of) { state_->node_of = dense(node_of); }

void World::abort(int code) const {
  // A simulation is one process, and ends with 0 after MPI_Abort.
  if constexpr (!kSimulated) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace arb
