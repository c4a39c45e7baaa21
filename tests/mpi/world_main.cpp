// GoogleTest on every rank of a job, which is entered as the program does it.
#include "tests/mpi/run_on_ranks.hpp"
#include "tests/mpi/world_harness.hpp"

namespace arb {
namespace {

World* the_world = nullptr;

}  // namespace

World& world() { return *the_world; }

}  // namespace arb

int main(int argc, char** argv) {
  arb::World world(&argc, &argv);
  arb::the_world = &world;
  testing::InitGoogleTest(&argc, argv);
  return arb::run_on_ranks();
}
