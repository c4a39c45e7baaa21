#include "collectives/runners/mpi/openmpi_forced.hpp"

#include <utility>
#include <vector>

#include "collectives/error.hpp"
#include "collectives/runners/mpi/openmpi_trial.hpp"

namespace arb {
namespace {

constexpr int kRing = 4;
constexpr const char* kAllowed = "coll_tuned_use_dynamic_rules";
constexpr const char* kRulesFile = "coll_tuned_dynamic_rules_filename";
constexpr const char* kAlgorithm = "coll_tuned_allreduce_algorithm";
constexpr const char* kSegmentBytes = "coll_tuned_allreduce_algorithm_segmentsize";

int finalize_tools(MPI_Comm, int, void*, void*) { return MPI_T_finalize(); }

/// Every use of a control variable demands that MPI's tool interface is initialised. Once for the
/// process, since Open MPI opens all its components for it, which takes 0.2 s; and until
/// MPI_Finalize, which deletes the attributes of MPI_COMM_SELF first (later it would crash).
void start_tools() {
  static bool started = false;
  if (started) return;
  int provided = 0;
  check_mpi(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_tools, &key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  started = true;
}

/// One control variable of the process; refuses those that belong to an object, such as a
/// communicator.
class ControlVariable {
 public:
  explicit ControlVariable(const char* name) {
    int index = 0;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return;
    int verbosity = 0;
    int bind = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (MPI_T_cvar_get_info(index, nullptr, nullptr, &verbosity, &type, nullptr, nullptr, nullptr,
                            &bind, &scope) != MPI_SUCCESS ||
        bind != MPI_T_BIND_NO_OBJECT) {
      return;
    }
    writable_ = scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY;
    is_int_ = type == MPI_INT;
    is_bool_ = type == MPI_C_BOOL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) != MPI_SUCCESS) {
      handle_ = MPI_T_CVAR_HANDLE_NULL;
      return;
    }
    count_ = static_cast<size_t>(count);
  }
  ~ControlVariable() {
    if (found()) MPI_T_cvar_handle_free(&handle_);
  }
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  bool found() const { return handle_ != MPI_T_CVAR_HANDLE_NULL; }
  bool is_writable_int() const { return found() && is_int_ && writable_ && count_ == 1; }

  std::optional<int> number() const {
    int value = 0;
    if (!found() || !is_int_ || count_ != 1) return std::nullopt;
    if (MPI_T_cvar_read(handle_, &value) != MPI_SUCCESS) return std::nullopt;
    return value;
  }
  bool is_true() const {
    bool value = false;
    if (!found() || !is_bool_ || count_ != 1) return number().value_or(0) != 0;
    return MPI_T_cvar_read(handle_, &value) == MPI_SUCCESS && value;
  }
  std::string text() const {
    std::vector<char> value(count_ + 1, '\0');
    if (!found() || MPI_T_cvar_read(handle_, value.data()) != MPI_SUCCESS) return "";
    return value.data();
  }
  /// False if MPI refuses the value.
  bool write(int value) const { return MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  size_t count_ = 0;
  bool is_int_ = false;
  bool is_bool_ = false;
  bool writable_ = false;
};

/// Gives a variable a value for as long as it lives.
class Override {
 public:
  Override(const char* name, int value) : variable_(name), before_(variable_.number()) {
    done_ = before_ && variable_.is_writable_int() && variable_.write(value);
  }
  ~Override() {
    if (done_) variable_.write(*before_);
  }
  Override(const Override&) = delete;
  Override& operator=(const Override&) = delete;

  bool done() const { return done_; }

 private:
  ControlVariable variable_;
  std::optional<int> before_;
  bool done_ = false;
};

bool all_agree(bool own, MPI_Comm comm) {
  int all = own ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all != 0;
}

}  // namespace

std::optional<std::string> openmpi_forcing_unavailable() {
  start_tools();
  const ControlVariable allowed(kAllowed);
  if (!allowed.found()) {
    return std::string("this MPI has no ") + kAllowed +
           ": only Open MPI with its component coll/tuned can be told which algorithm to run";
  }
  if (!ControlVariable(kAlgorithm).is_writable_int() ||
      !ControlVariable(kSegmentBytes).is_writable_int()) {
    return std::string("this Open MPI does not let ") + kAlgorithm + " be written while it runs";
  }
  if (!allowed.is_true()) {
    return std::string("Open MPI was started with ") + kAllowed + " off: mpirun --mca " + kAllowed +
           " 1";
  }
  const std::string rules = ControlVariable(kRulesFile).text();
  if (!rules.empty()) {
    return "the rules in " + rules + " come before a forced algorithm: unset " + kRulesFile;
  }
  return std::nullopt;
}

Communicator duplicate_forced(const OpenMpiAlgorithm& algorithm, MPI_Comm comm) {
  std::optional<std::string> unavailable = openmpi_forcing_unavailable();
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::kEnvironment,
                std::string(algorithm.name) + " cannot be forced: " + reason);
  };
  if (!all_agree(!unavailable, comm)) {
    refuse(unavailable.value_or("it is unavailable on another rank"));
  }
  const auto force = [&](int number, int segment_bytes) {
    std::optional<Communicator> forced;
    bool written = false;
    {
      const Override of_number(kAlgorithm, number);
      const Override of_segment(kSegmentBytes, segment_bytes);
      written = of_number.done() && of_segment.done();
      forced = Communicator::duplicate(comm);
    }
    if (!all_agree(written, comm)) refuse("Open MPI refuses the number " + std::to_string(number));
    if (!runs_as(number, forced->get())) {
      refuse(
          "a trial shows another algorithm; perhaps a component other than coll/tuned took over "
          "MPI_Allreduce: mpirun --mca coll self,basic,libnbc,tuned");
    }
    return std::move(*forced);
  };
  // The linear patterns are also those of coll/basic; a ring is run by nobody but coll/tuned.
  force(kRing, 0);
  return force(algorithm.forced, algorithm.segment_bytes);
}

}  // namespace arb
