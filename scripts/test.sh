#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: the release build with Open MPI, then the tests marked
# for the sanitizers in a build with them, then those marked for MPICH in a build with it (where there is one).
# The last line counts the tests of all three; the exit code is 0 only when none failed.
#
#   scripts/test.sh
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case "${1:-}" in
  "") ;;
  --help|-h) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "test.sh: '$1' is not an option; there is none" >&2; exit 2 ;;
esac

bash "$root/scripts/install-dependencies.sh" --tests || exit 1
if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi
source "$root/scripts/mpi-environment.sh"
cd "$root" || exit 1

passed=0 failed=0 skipped=0

# A build that fails counts as one failed test.
build() {
  local preset=$1 log="$root/build/$1.log"
  mkdir -p build
  echo "== $preset: building"
  cmake --preset "$preset" -DAWELE_TESTS=ON >"$log" 2>&1 &&
    cmake --build --preset "$preset" --parallel "$(nproc)" >>"$log" 2>&1 && return 0
  grep -n -m 20 -A 5 -E "CMake Error|error:|FAILED" "$log" || tail -n 40 "$log"
  echo "test.sh: the build of the preset $preset failed (full log: $log)" >&2
  failed=$((failed + 1))
  return 1
}

attribute() { sed -n "/<testsuite /,/>/s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1; }

# The counts are those of ctest's own report, in which every test stands once.
run_tests() {
  local preset=$1 report="$root/build/$1/ctest.xml" code=0 all bad=0 idle
  shift
  build "$preset" || return
  echo "== $preset: testing"
  rm -f "$report"
  ctest --preset "$preset" --no-tests=error --parallel "$(nproc)" --output-junit "$report" "$@" </dev/null || code=$?
  all=$(attribute "$report" tests 2>/dev/null)
  if [[ -n $all ]]; then
    bad=$(attribute "$report" failures)
    idle=$(( $(attribute "$report" skipped) + $(attribute "$report" disabled) ))
    passed=$((passed + all - bad - idle)) failed=$((failed + bad)) skipped=$((skipped + idle))
  fi
  # ctest is not content although it counts no failure: no test at all, or it was stopped.
  if [[ $code != 0 && $bad == 0 ]]; then failed=$((failed + 1)); fi
}

run_tests release
run_tests sanitize -L '^sanitize$'
if command -v mpicxx.mpich >/dev/null && command -v mpiexec.mpich >/dev/null; then
  run_tests mpich -L '^mpich$'
else
  echo "== mpich: left out, there is no mpicxx.mpich here"
fi

echo
if [[ $skipped == 0 ]]; then echo "$passed passed, $failed failed"
else echo "$passed passed, $failed failed, $skipped skipped"; fi
[[ $failed == 0 && $passed -gt 0 ]]
