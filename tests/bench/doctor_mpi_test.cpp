// What mpirun needs to hear is said with the option that cures it.
#include "bench/doctor_mpi.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "bench/doctor.hpp"

namespace arb {
namespace {

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

Lookup variables(const std::map<std::string, std::string>& all) {
  return [all](const std::string& name) -> std::optional<std::string> {
    const auto found = all.find(name);
    if (found == all.end()) return std::nullopt;
    return found->second;
  };
}

Node node(int ranks, int cores) {
  Node node{"node7", {}, cores};
  for (int rank = 0; rank < ranks; ++rank) node.ranks.push_back(rank);
  return node;
}

TEST(DoctorMpi, AUserOnAMachineNeedsNothingForAsManyRanksAsCores) {
  const std::string text = mpirun_text({false, true, 8, ""});
  EXPECT_TRUE(mentions(text, "  mpirun -np 8 allreduce-bench ...\n")) << text;
  EXPECT_TRUE(mentions(text, "more than 8 ranks add --oversubscribe --mca mpi_yield_when_idle 1"))
      << text;
  EXPECT_FALSE(mentions(text, "root")) << text;
  EXPECT_FALSE(mentions(text, "vader")) << text;
}

TEST(DoctorMpi, RootMustBeAllowed) {
  const std::string text = mpirun_text({true, true, 1, ""});
  EXPECT_TRUE(mentions(text, "  mpirun --allow-run-as-root -np 2 allreduce-bench")) << text;
  EXPECT_TRUE(mentions(text, "you are root")) << text;
  EXPECT_TRUE(mentions(text, "more than 1 rank add")) << text;
}

TEST(DoctorMpi, AContainerThatForbidsReadingMemoryIsRecognizedByOpenMpisWords) {
  const std::string text = mpirun_text({false, false, 4, "docker"});
  EXPECT_TRUE(mentions(text, "mpirun --mca btl_vader_single_copy_mechanism none -np 4")) << text;
  EXPECT_TRUE(mentions(text, "\"Read -1, expected")) << text;
  EXPECT_TRUE(mentions(text, "container (docker)")) << text;
  EXPECT_TRUE(mentions(mpirun_text({false, false, 4, ""}), "  * here no process")) << text;
}

TEST(DoctorMpi, TheNeedsOfThisMachineAreRead) {
  System system;
  system.cpus = {0, 1, 2};
  system.container = "podman";
  const MpirunNeeds needs = read_mpirun_needs(system);
  EXPECT_EQ(needs.root, geteuid() == 0);
  EXPECT_EQ(needs.cores, 3);
  EXPECT_EQ(needs.container, "podman");
}

TEST(DoctorMpi, IsASectionOfTheDoctorsTextWhereThereIsMpi) {
  Examination e;
  e.system.cpus = {0};
  EXPECT_FALSE(mentions(doctor_text(e), "Under mpirun"));
  e.mpirun = MpirunNeeds{true, true, 1, ""};
  EXPECT_TRUE(mentions(doctor_text(e), "Under mpirun (Open MPI)\n  mpirun --allow-run-as-root"));
}

TEST(DoctorMpi, WarnsWhereRanksTakeTurnsAndWaitWithoutYielding) {
  const std::vector<Node> crowded{node(2, 2), node(4, 2)};
  const auto warning = yield_warning(crowded, "Open MPI 4.1.4", variables({}));
  ASSERT_TRUE(warning);
  EXPECT_TRUE(mentions(*warning, "4 ranks take turns on 2 cores of node7")) << *warning;
  EXPECT_TRUE(mentions(*warning, "mpirun --mca mpi_yield_when_idle 1")) << *warning;
  EXPECT_TRUE(yield_warning(
      crowded, "Open MPI 4.1.4",
      variables({{"OMPI_MCA_mpi_yield_when_idle", "0"}, {"OMPI_MCA_mpi_oversubscribe", "1"}})));
}

TEST(DoctorMpi, IsSilentWhereNothingIsLost) {
  const std::vector<Node> crowded{node(4, 2)};
  const std::vector<Node> roomy{node(4, 4)};
  EXPECT_FALSE(yield_warning(roomy, "Open MPI 4.1.4", variables({})));
  EXPECT_FALSE(yield_warning(crowded, "MPICH 4.0", variables({})));
  for (const char* variable : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"}) {
    EXPECT_FALSE(yield_warning(crowded, "Open MPI 4.1.4", variables({{variable, "1"}})))
        << variable;
  }
}

}  // namespace
}  // namespace arb
