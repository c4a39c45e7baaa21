// A job: the processes that mpirun or srun started, parts of it, and groups of its first ranks. No
// MPI type is seen here, so that the rest of the program does not know MPI.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runners/crew.hpp"
#include "collectives/runners/cuda/peers.hpp"
#include "collectives/runners/runner.hpp"

namespace arb {

enum class Path {
  kAuto,      // shared memory between ranks of a node, messages between nodes
  kShm,       // shared memory only; an error if there are several nodes
  kMessages,  // messages even between ranks of a node, for comparison
};

struct Node {
  std::string host;
  std::vector<int> ranks;  // ascending
  int cores = 1;           // that all processes of the job on this node may use together
};

struct GroupSettings {
  Path path = Path::kAuto;
  HostFactsForSlots host;
  CrewControl control;
};

/// The first ranks of a job, ready to run operations together.
class Group {
 public:
  virtual ~Group() = default;
  virtual Crew& crew() = 0;
  virtual Runner& runner() = 0;
  /// Where this process stands, in words; may be called by another thread.
  virtual std::string where() const = 0;

  // For ranks on GPUs: see Peers.
  virtual std::vector<int> node_of() const = 0;  // [rank]
  virtual bool claims_device_messages() const = 0;
  virtual void pass_on(const std::byte* own, std::byte* received, size_t bytes) = 0;
  /// Not beside operations of the runner: tags are shared.
  virtual std::unique_ptr<Carrier> carry(const std::vector<FarFifo>& fifos, int tags) = 0;
};

class World {
 public:
  /// MPI_Init. Throws Error{kEnvironment}, always where this build has no MPI. One at a time.
  World(int* argc, char*** argv);
  /// MPI_Finalize, if it is the whole job; collective, unless the stack is being unwound.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const;
  int size() const;
  std::string version() const;  // "Open MPI 4.1.4"
  bool simulated() const;       // built against SMPI: times are the simulator's

  /// The nodes of the first `ranks` ranks, by their lowest rank.
  std::vector<Node> nodes(int ranks) const;

  /// What every process says, by rank. Collective.
  std::vector<std::string> exchange(const std::string& own) const;
  /// What rank 0 says. Collective; who waits sleeps, so that it takes no core from those at work.
  std::string broadcast(const std::string& of_rank_0) const;

  /// All are here. Collective; who waits sleeps.
  void meet() const;

  /// A world of the processes that say the same colour, at least 0; null for those that say kNone.
  /// Ordered by place, and as here where that is the same. Worlds of several colours work side by
  /// side; abort() ends the whole job. Collective; it has to end before this world does.
  std::unique_ptr<World> split(int colour, int place = 0) const;

  /// Collective; null for processes that are not among the first `ranks`. Throws
  /// Error{kEnvironment} if the path is impossible.
  std::unique_ptr<Group> group(int ranks, const GroupSettings& settings) const;

  /// What the runner of group(ranks) would choose.
  SlotChooser slot_chooser(Path path, const HostFactsForSlots& host) const;

  /// For tests: rank r is on node node_of[r] from now on, whatever the truth is, so that messages
  /// between nodes and shared memory on a node can be tried on one machine. The same on all ranks.
  void pretend_nodes(const std::vector<int>& node_of);

  /// Ends all processes at once. Does not return.
  [[noreturn]] void abort(int code) const;

 private:
  struct State;
  explicit World(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace arb
