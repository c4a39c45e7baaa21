// Open MPI's AVX reduction of int8 and uint8 sums: saturates whole vectors, wraps the rest. Started
// twice: as it is, and with OMPI_MCA_op=^avx, the cure that openmpi_cure() names.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "tests/mpi/openmpi/harness.hpp"

namespace arb {
namespace {

bool cured() {
  const char* op = std::getenv("OMPI_MCA_op");
  return op != nullptr && std::string_view(op) == "^avx";
}

/// Whether the process has the component op/avx: only then do its control variables exist.
bool has_avx_component() {
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  int index = 0;
  const bool found = MPI_T_cvar_get_index("op_avx_support", &index) == MPI_SUCCESS;
  MPI_T_finalize();
  return found;
}

template <class T>
void sum_of_two(MPI_Datatype type, T a, T b, T saturated) {
  constexpr int kVector = 16;  // bytes: the smallest vector of the component
  for (int count = 0; count <= 200; ++count) {
    const std::vector<T> in(static_cast<size_t>(count), a);
    std::vector<T> in_out(static_cast<size_t>(count), b);
    MPI_Reduce_local(in.data(), in_out.data(), count, type, MPI_SUM);
    const int vectors = cured() ? 0 : count / kVector * kVector;
    for (int i = 0; i < count; ++i) {
      const T wanted = i < vectors ? saturated : static_cast<T>(a + b);
      ASSERT_EQ(in_out[static_cast<size_t>(i)], wanted) << "element " << i << " of " << count;
    }
  }
}

TEST(OpenMpiSaturation, WholeVectorsSaturateAndTheRestWraps) {
  if (!cured() && !has_avx_component()) GTEST_SKIP() << "this Open MPI or CPU has no op/avx";
  sum_of_two<int8_t>(MPI_INT8_T, 100, 100, 127);
  sum_of_two<int8_t>(MPI_INT8_T, -100, -100, -128);
  sum_of_two<uint8_t>(MPI_UINT8_T, 200, 100, 255);
}

TEST(OpenMpiSaturation, TheCheckSeesItAndTheCureMakesItRight) {
  if (!cured() && !has_avx_component()) GTEST_SKIP() << "this Open MPI or CPU has no op/avx";
  if (world_size() == 1) GTEST_SKIP() << "one rank reduces nothing";
  for (const OpenMpiAlgorithm& row : openmpi_algorithms()) {
    if (!reduces(row.collective)) continue;
    for (const Dtype dtype : {Dtype::kInt8, Dtype::kUint8}) {
      const Shape shape{row.collective, world_size(), 0, 70000 * static_cast<size_t>(world_size()),
                        dtype,          Op::kSum};
      if (openmpi_unsupported(row, shape)) continue;
      const auto operation = prepare_openmpi(row, shape, false, MPI_COMM_WORLD);
      const bool has_result = row.collective != Collective::kReduce || world_rank() == shape.root;
      const Verdict verdict = run_checked(*operation, shape, false, 1);
      EXPECT_EQ(verdict.ok(), cured() || !has_result) << describe(row, shape, false);
      EXPECT_FALSE(openmpi_cure(dtype, Op::kSum).empty());
    }
  }
}

TEST(OpenMpiSaturation, NoOtherDtypeOrOpIsTouched) {
  for (const Dtype dtype : kDtypes) {
    for (const Op op : {Op::kSum, Op::kProd, Op::kMin, Op::kMax}) {
      const Shape shape{Collective::kAllReduce, world_size(), 0, 1013, dtype, op};
      const OpenMpiAlgorithm& row = *find_openmpi(shape.collective, "openmpi:default");
      if (openmpi_unsupported(row, shape) || !openmpi_cure(dtype, op).empty()) continue;
      const auto operation = prepare_openmpi(row, shape, false, MPI_COMM_WORLD);
      EXPECT_TRUE(run_checked(*operation, shape, false).ok()) << describe(row, shape, false);
    }
  }
}

}  // namespace
}  // namespace arb
