// A build without MPI: there is never a World, so its functions are never called.
#include <cstdlib>
#include <utility>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/world.hpp"

namespace arb {

struct World::State {};

World::World(int* /*argc*/, char*** /*argv*/) {
  throw Error(ErrorKind::kEnvironment, "this build has no MPI backend");
}
World::World(std::unique_ptr<State> state) : state_(std::move(state)) {}
World::~World() = default;

int World::rank() const { std::abort(); }
int World::size() const { std::abort(); }
std::string World::version() const { std::abort(); }
bool World::simulated() const { std::abort(); }
std::vector<Node> World::nodes(int /*ranks*/) const { std::abort(); }
std::vector<std::string> World::exchange(const std::string& /*own*/) const { std::abort(); }
std::string World::broadcast(const std::string& /*of_rank_0*/) const { std::abort(); }
void World::meet() const { std::abort(); }
std::unique_ptr<World> World::split(int /*colour*/, int /*place*/) const { std::abort(); }
std::unique_ptr<Group> World::group(int /*ranks*/, const GroupSettings& /*settings*/) const {
  std::abort();
}
SlotChooser World::slot_chooser(Path /*path*/, const HostFactsForSlots& /*host*/) const {
  std::abort();
}
void World::pretend_nodes(const std::vector<int>& /*node_of*/) { std::abort(); }
void World::abort(int /*code*/) const { std::abort(); }

}  // namespace arb
