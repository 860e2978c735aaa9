// Solves slices 0..N of one rule set and compares their digests with the second algorithm's. Linked with
// mutated sources it must find a difference; with the true ones it must not.
//   digest_main RULES N     prints "all digests agree" or "caught: ..."
#include <cstdio>
#include <cstdlib>

#include "awele/solver/solve.hpp"
#include "awele/store/codec.hpp"
#include "reference/reference_solver.hpp"
#include "support/scratch_directory.hpp"

int main(int argc, char** argv) {
  using namespace awele;
  MpiSession session(argc, argv);
  const Communicator ranks = Communicator::world();
  const test::ScratchDirectory scratch;
  SolveOptions options;
  options.dir = scratch.path();
  options.rules = parse_rules(argv[1]).value();
  options.seeds = std::atoi(argv[2]);
  SolveObserver quiet;
  SolveControl undisturbed;
  try {
    const auto reports = solve(options, ranks, quiet, undisturbed);
    const auto slices = reference::reference_slices(options.rules, options.seeds);
    for (std::size_t n = 0; n < slices.size(); ++n)
      if (reports[n].crc != crc32(0, std::span(slices[n]))) {
        std::printf("caught: the digest of slice %zu differs\n", n);
        return 1;
      }
  } catch (const std::exception& error) {
    std::printf("caught: %s\n", error.what());
    return 1;
  }
  std::printf("all digests agree\n");
}
