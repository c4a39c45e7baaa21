// Stands in for the program in tests of `tune --verify`: times openmpi:default at --sizes on all
// ranks and writes a report to --output. ARB_STAND_IN_FACTOR replaces the measured times by made-up
// ones, that factor as long when rules are in force: then the verdict is known.
// ARB_STAND_IN_WRONG makes all results wrong: "rules" with rules only, "always" without them too.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/runners/mpi/mpi.hpp"
#include "reports/json.hpp"
#include "tests/reports/plain_record.hpp"

namespace {

std::string value_of(const std::vector<std::string>& words, const std::string& option) {
  const auto at = std::find(words.begin(), words.end(), option);
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

double median_of_allreduce(int64_t bytes) {
  const auto count = static_cast<size_t>(bytes) / sizeof(float);
  const std::vector<float> in(count, 1.0F);
  std::vector<float> out(count);
  std::vector<double> samples;
  for (int i = 0; i < 21; ++i) {
    const double start = MPI_Wtime();
    arb::check_mpi(MPI_Allreduce(in.data(), out.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                                 MPI_COMM_WORLD),
                   "MPI_Allreduce");
    samples.push_back(MPI_Wtime() - start);
  }
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

bool with_rules() { return std::getenv("OMPI_MCA_coll_tuned_dynamic_rules_filename") != nullptr; }

bool is_wrong() {
  const char* when = std::getenv("ARB_STAND_IN_WRONG");
  return when != nullptr && (with_rules() || std::string(when) == "always");
}

double made_up(int64_t bytes, const char* factor) {
  return static_cast<double>(bytes) * 1e-9 * (with_rules() ? std::atof(factor) : 1);
}

arb::Record record_of(int64_t bytes, int ranks, double seconds) {
  arb::Record record = arb::plain_record("openmpi:default", ranks, bytes);
  record.backend = "mpi";
  record.kind = "native";
  record.time->n = 21;
  record.time->min = record.time->median = record.time->mean = record.time->max = seconds;
  if (is_wrong()) record.status = arb::Status::kWrong;
  return record;
}

void run(const std::vector<std::string>& words) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  arb::Report report;
  report.complete = true;
  std::istringstream sizes(value_of(words, "--sizes"));
  for (std::string size; std::getline(sizes, size, ',');) {
    const int64_t bytes = std::atoll(size.c_str());
    double seconds = median_of_allreduce(bytes);
    if (const char* factor = std::getenv("ARB_STAND_IN_FACTOR")) seconds = made_up(bytes, factor);
    report.records.push_back(record_of(bytes, ranks, seconds));
  }
  if (rank == 0) std::ofstream(value_of(words, "--output")) << write_json(report);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
  MPI_Finalize();
}
