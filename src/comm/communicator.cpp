#include "awele/comm/communicator.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>

#include "awele/support/decimal.hpp"
#include "impl.hpp"

namespace awele {

namespace {

constexpr int kTransferTag = 1;

/// A launcher that started several processes which do not know each other would let each solve everything
/// alone, on the same files.
void refuse_singletons() {
  // What starts ranks of which library.
  const bool open_mpi = MpiSession::library().find("Open MPI") != std::string::npos;
  const char* launcher = open_mpi ? "srun --mpi=pmix" : "srun --mpi=pmi2";
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
    const char* text = std::getenv(variable);
    const std::uint64_t announced = text ? parse_decimal(text).value_or(0) : 0;
    if (size == 1 && announced > 1)
      throw Error(
          fmt::format("the launcher announced {} ranks ({}) but MPI sees only one: it does not belong to the "
                      "MPI library that the program was built with ({}); start the program with that "
                      "library's mpirun (mpiexec), or with {}",
                      announced, variable, MpiSession::library(), launcher));
    if (announced > 0) return;  // the first that is set speaks for the launcher at hand
  }
}

/// Without a launcher Open MPI would start a process of its own beside this one, for spawning others. It
/// takes longer to start, and outlives a program that is killed.
void start_without_helper() { ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); }

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
  start_without_helper();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    refuse_singletons();
  } catch (...) {
    MPI_Finalize();  // a singleton: nobody waits
    throw;
  }
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == exceptions_) MPI_Finalize();
}

std::string MpiSession::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

void MpiSession::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  MPI_Comm_rank(impl_->comm, &impl_->rank);
  MPI_Comm_size(impl_->comm, &impl_->size);
}

Communicator::~Communicator() {
  if (impl_ && impl_->owned && !std::uncaught_exceptions()) MPI_Comm_free(&impl_->comm);
}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator Communicator::world() {
  auto impl = std::make_unique<Impl>();
  impl->comm = MPI_COMM_WORLD;
  return Communicator(std::move(impl));
}

int Communicator::rank() const { return impl_->rank; }
int Communicator::size() const { return impl_->size; }

Communicator Communicator::node() const {
  auto impl = std::make_unique<Impl>();
  MPI_Comm_split_type(impl_->comm, MPI_COMM_TYPE_SHARED, impl_->rank, MPI_INFO_NULL, &impl->comm);
  impl->owned = true;
  return Communicator(std::move(impl));
}

Communicator Communicator::split(int color) const {
  auto impl = std::make_unique<Impl>();
  MPI_Comm_split(impl_->comm, color, impl_->rank, &impl->comm);
  impl->owned = true;
  return Communicator(std::move(impl));
}

void Communicator::barrier() const { MPI_Barrier(impl_->comm); }

void Communicator::sum(std::span<std::uint64_t> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), checked_count(values.size()), MPI_UINT64_T, MPI_SUM,
                impl_->comm);
}

/// MPICH 4.0 takes MPI_UINT64_T for signed when it looks for the largest (MPI_MAX of 0 and 2^64 - 1 is 0
/// there). So the values travel as signed ones whose order is that of the unsigned.
void Communicator::max(std::span<std::uint64_t> values) const {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  for (std::uint64_t& value : values) value ^= kSign;
  MPI_Allreduce(MPI_IN_PLACE, values.data(), checked_count(values.size()), MPI_INT64_T, MPI_MAX, impl_->comm);
  for (std::uint64_t& value : values) value ^= kSign;
}

std::uint64_t Communicator::sum(std::uint64_t value) const {
  sum(std::span(&value, 1));
  return value;
}

std::uint64_t Communicator::max(std::uint64_t value) const {
  max(std::span(&value, 1));
  return value;
}

std::uint64_t Communicator::min(std::uint64_t value) const { return ~max(~value); }

bool Communicator::any(bool value) const { return max(std::uint64_t{value}) != 0; }

std::string Communicator::broadcast(std::string text) const {
  std::uint64_t bytes = text.size();
  MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, impl_->comm);
  text.resize(bytes);
  MPI_Bcast(text.data(), checked_count(bytes), MPI_CHAR, 0, impl_->comm);
  return text;
}

std::vector<std::uint64_t> Communicator::gather(std::uint64_t value) const {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(impl_->size));
  MPI_Allgather(&value, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, impl_->comm);
  return all;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  if (!root()) {
    send(0, std::as_bytes(std::span(text)));
    return {};
  }
  std::vector<std::string> all = {text};
  std::vector<std::byte> bytes;
  for (int r = 1; r < size(); ++r) {
    receive(r, bytes);
    all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

void Communicator::send(int to, std::span<const std::byte> bytes) const {
  MPI_Send(bytes.data(), checked_count(bytes.size()), MPI_BYTE, to, kTransferTag, impl_->comm);
}

void Communicator::receive(int from, std::vector<std::byte>& bytes) const {
  MPI_Status status;
  MPI_Probe(from, kTransferTag, impl_->comm, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  bytes.resize(static_cast<std::size_t>(count));
  MPI_Recv(bytes.data(), count, MPI_BYTE, from, kTransferTag, impl_->comm, MPI_STATUS_IGNORE);
}

}  // namespace awele
