// example_cpp DIR: the same in C++.
#include <awele/probe/board_text.hpp>
#include <awele/probe/probe.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const awele::Prober prober(argv[1]);
    const awele::BoardAnswer answer = prober.answer(awele::parse_board("0 1 2 0 0 0 0 1 2 0 0 0"));
    std::cout << awele::name(prober.rules().value()) << ", " << prober.largest() << " seeds: value "
              << answer.value << ", best move " << answer.best.front() << "\n";
  } catch (const awele::ProbeError& error) {
    std::cerr << error.what() << "\n";
    return 1;
  } catch (const awele::Error& error) {
    std::cerr << "not a board: " << error.what() << "\n";
    return 2;
  }
}
