// Ranks and the few collective operations the program needs. Everything that touches MPI lies behind this
// header and exchange.hpp; no mpi.h here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace awele {

/// Initialises MPI for the life of the object. One in a process. When it is destroyed while an exception
/// unwinds, or after fail(), it does not finalize (the other ranks may be waiting): the process must end
/// through abort().
class MpiSession {
 public:
  /// Throws awele::Error when a launcher announced several ranks but MPI sees one (started as singletons).
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// "Open MPI v4.1.4, ..."
  static std::string library();
  /// Ends all ranks with `code`.
  [[noreturn]] static void abort(int code);

 private:
  int exceptions_;
};

/// A group of ranks. All operations but rank(), size() and the sends are collective. Errors of MPI end the
/// job.
class Communicator {
 public:
  /// All ranks.
  static Communicator world();
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  int rank() const;
  int size() const;
  bool root() const { return rank() == 0; }

  /// The ranks that share this rank's memory, in the order of their ranks here.
  Communicator node() const;

  /// The ranks that give the same `color` (>= 0), in the order of their ranks here.
  Communicator split(int color) const;

  void barrier() const;
  void sum(std::span<std::uint64_t> values) const;  ///< in place, the same result on all ranks
  void max(std::span<std::uint64_t> values) const;
  std::uint64_t sum(std::uint64_t value) const;
  std::uint64_t max(std::uint64_t value) const;
  std::uint64_t min(std::uint64_t value) const;
  bool any(bool value) const;
  /// `text` of rank 0 on every rank.
  std::string broadcast(std::string text) const;
  /// Every rank's text, in rank order, on rank 0; nothing elsewhere.
  std::vector<std::string> gather(const std::string& text) const;
  /// Every rank's value, in rank order, on every rank.
  std::vector<std::uint64_t> gather(std::uint64_t value) const;

  /// Blocking point-to-point transfer of up to 2 GiB.
  void send(int to, std::span<const std::byte> bytes) const;
  /// Receives the next message from `from`, whatever its length.
  void receive(int from, std::vector<std::byte>& bytes) const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Communicator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele
