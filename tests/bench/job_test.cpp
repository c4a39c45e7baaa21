// Whether processes that a launcher started can work together is found out before anything is
// measured.
#include "bench/job.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/bench/refusal.hpp"

namespace arb {
namespace {

Launched launched(const std::map<std::string, std::string>& variables) {
  return read_launch([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(Launch, IsReadFromWhatEachLauncherSets) {
  EXPECT_EQ(launched({}).processes, 1);
  EXPECT_EQ(launched({}).variable, "");
  const Launched open_mpi =
      launched({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  EXPECT_EQ(open_mpi.processes, 4);
  EXPECT_EQ(open_mpi.rank, 3);
  EXPECT_FALSE(talks(open_mpi));
  EXPECT_EQ(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}).processes, 2);
  EXPECT_TRUE(talks(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}})));
  EXPECT_EQ(launched({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}}).rank, 5);
  // Of the whole job, also set for the one process of a batch script.
  EXPECT_EQ(launched({{"SLURM_NTASKS", "8"}}).processes, 1);
  EXPECT_EQ(launched({{"OMPI_COMM_WORLD_SIZE", "many"}}).processes, 1);
}

TEST(Launch, ProcessesThatDoNotSeeEachOtherAreToldTheCure) {
  const Launched four{4, 0, "PMI_SIZE"};
  EXPECT_FALSE(why_apart({}, "", 1, ""));
  EXPECT_FALSE(why_apart(four, "", 4, "Open MPI 4.1.4"));
  const auto foreign = why_apart(four, "", 1, "Open MPI 4.1.4");
  ASSERT_TRUE(foreign);
  EXPECT_EQ(
      foreign->rfind("4 processes were launched (PMI_SIZE), but MPI (Open MPI 4.1.4) sees one", 0),
      0U)
      << *foreign;
  EXPECT_NE(foreign->find("srun --mpi=pmix"), std::string::npos) << *foreign;
  const auto without = why_apart(four, "switched off", 1, "");
  ASSERT_TRUE(without);
  EXPECT_NE(without->find("no MPI backend: switched off"), std::string::npos) << *without;
  EXPECT_NE(without->find("--ranks 4"), std::string::npos) << *without;
}

TEST(Backend, OfAProcessAloneIsHost) {
  Options options;
  EXPECT_EQ(settled_backend(options, nullptr), "host");
  options.backend = "mpi";
  expect_refused([&] { settled_backend(options, nullptr); }, ErrorKind::kEnvironment,
                 {"--backend mpi", "mpirun -np 4"});
  options.backend = "auto";
  options.path = "shm";
  expect_usage([&] { settled_backend(options, nullptr); }, {"--path", "mpirun"});
}

TEST(Backend, AlgorithmsOfAnotherBackendAreRefused) {
  Options options;
  options.algorithms = {"ring", "openmpi:ring"};
  expect_usage([&] { settled_backend(options, nullptr); },
               {"openmpi:ring", "the host backend has no such algorithm", "mpirun"});
}

}  // namespace
}  // namespace arb
