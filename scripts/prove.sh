#!/usr/bin/env bash
# The slow proofs, of which the test suite takes samples: 30 kills a cell of the table target x stage, and every kind of
# damage to slices and checkpoints in full. Some four hours on two cores. The exit code is 0 only when nothing was lost,
# wrong, crashed or hung.
#
#   scripts/prove.sh [kill | damage]     (default: both; build the release preset first)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
case "${1:-all}" in
  all|kill|damage) what=${1:-all} ;;
  --help|-h) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "prove.sh: '$1' is not one of kill, damage" >&2; exit 2 ;;
esac
[[ -x $build/src/awele ]] || { echo "prove.sh: $build/src/awele is not there; cmake --preset release && cmake --build --preset release" >&2; exit 2; }
source "$root/scripts/mpi-environment.sh"
code=0
if [[ $what != damage ]]; then python3 "$root/tests/kill_test.py" --awele "$build/src/awele" --runs 30 || code=1; fi
if [[ $what != kill ]]; then bash "$root/tests/damage_full.sh" "$build" || code=1; fi
exit $code
