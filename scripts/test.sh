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

# build PRESET TARGET [CMAKE-OPTION...]; a build that fails counts as one failed test.
build() {
  local preset=$1 target=$2 log="$root/build/$1.log"
  mkdir -p build
  echo "== $preset: building"
  cmake --preset "$preset" -DAWELE_TESTS=ON "${@:3}" >"$log" 2>&1 &&
    cmake --build --preset "$preset" --target "$target" --parallel "$(nproc)" >>"$log" 2>&1 && return 0
  grep -n -m 20 -A 5 -E "CMake Error|error:|FAILED" "$log" || tail -n 40 "$log"
  echo "test.sh: the build of the preset $preset failed (full log: $log)" >&2
  failed=$((failed + 1))
  return 1
}

# run_tests PRESET [CTEST-OPTION...]: the counts are those that ctest prints ("... M tests failed out of N"), among
# whose failures are tests that could not be started; skipped ones it counts as passed, here they are not.
run_tests() {
  local preset=$1 log="$root/build/$1/ctest.log" code=0 bad all idle
  echo "== $preset: testing"
  ctest --preset "$preset" --no-tests=error --parallel "$(nproc)" "${@:2}" </dev/null 2>&1 | tee "$log" || code=$?
  read -r bad all < <(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests* failed out of \([0-9]*\)$/\1 \2/p' "$log" | tail -n 1)
  idle=$(grep -cE '^[[:space:]]+[0-9]+ - .* \(Skipped\)$' "$log")
  if [[ -n ${all:-} ]]; then
    passed=$((passed + all - bad - idle)) failed=$((failed + bad)) skipped=$((skipped + idle))
  fi
  # ctest is not content although it counted no failure: no test at all, or it was stopped.
  if [[ $code != 0 && ${bad:-0} == 0 ]]; then failed=$((failed + 1)); fi
}

build release all && run_tests release
build sanitize sanitize_tests && run_tests sanitize -L '^sanitize$'
if command -v mpicxx.mpich >/dev/null && command -v mpiexec.mpich >/dev/null; then
  build mpich mpich_tests -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)" && run_tests mpich -L '^mpich$'
else
  echo "== mpich: left out, there is no mpicxx.mpich here"
fi

echo
if [[ $skipped == 0 ]]; then echo "$passed passed, $failed failed"
else echo "$passed passed, $failed failed, $skipped skipped"; fi
[[ $failed == 0 && $passed -gt 0 ]]
