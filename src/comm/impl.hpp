// The MPI communicator behind a Communicator. Only files of src/comm include this, and with it mpi.h.
#pragma once

#include <mpi.h>

#include <limits>

#include "awele/comm/communicator.hpp"
#include "awele/support/error.hpp"

namespace awele {

struct Communicator::Impl {
  MPI_Comm comm = MPI_COMM_NULL;
  bool owned = false;
  int rank = 0;
  int size = 1;
};

/// MPI 3.1 counts are int.
inline int checked_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error("a message of 2 GiB or more was about to be sent; this is a fault of the program");
  return static_cast<int>(count);
}

}  // namespace awele
