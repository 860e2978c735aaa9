// main() of tests that run under mpirun at any number of ranks. Every rank runs every test; rank 0 prints,
// the others only their failures, and the exit status is that of the worst rank. A condition that can fail on
// one rank alone must be reduced before it is asserted, or the others wait for ever.
#include <gtest/gtest.h>

#include <cstdio>

#include "awele/comm/communicator.hpp"

namespace {

/// Of ranks other than 0.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "[rank %d] %s:%d: Failure\n%s\n", rank_,
                   result.file_name() ? result.file_name() : "", result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  awele::MpiSession session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const awele::Communicator ranks = awele::Communicator::world();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!ranks.root()) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(ranks.rank()));
  }
  const auto failed = static_cast<std::uint64_t>(RUN_ALL_TESTS() != 0);
  return static_cast<int>(ranks.max(failed));
}
