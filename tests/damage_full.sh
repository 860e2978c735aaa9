#!/usr/bin/env bash
# The damage tests in full, where the test suite takes a sample. Slices with one chunk, with six and with a paged chunk
# index: every metadata byte, some 2,000 lengths, 20,000 random bits, of the smallest every bit. Checkpoints: every
# metadata byte, every bit of the control file, 2,000 random bits. Takes about two hours on one core. Prints a line of
# counts for each, and ends with exit code 0 only when there was no wrong answer, crash or hang.
#
#   tests/damage_full.sh [BUILD-DIRECTORY]     (default: build/release)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case "${1:-}" in
  --help|-h) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "damage_full.sh: '$1' is not an option; there is none" >&2; exit 2 ;;
esac
build=${1:-$root/build/release}
source "$root/scripts/mpi-environment.sh"
code=0
for test in damage checkpoint_damage; do
  program=$build/tests/${test}_test
  if [[ ! -x $program ]]; then
    echo "damage_full.sh: $program is not there; build it first: cmake --preset release && cmake --build --preset release" >&2
    exit 2
  fi
  "$program" --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_*' || code=1
done
exit $code
