#!/usr/bin/env bash
# The slow proofs, of which the test suite takes samples: 30 kills a cell of the table target x stage, every kind of
# damage to slices and checkpoints in full, every call on files of a solve failing in every way, and games of 16 to 20
# seeds solved for their outcome against exact values clamped. Some five hours on two cores. The exit code is 0 only when
# nothing was lost, wrong, crashed or hung.
#
#   scripts/prove.sh [kill | damage | fault | outcomes]     (default: all; build the release preset first)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
case "${1:-all}" in
  all|kill|damage|fault|outcomes) what=${1:-all} ;;
  --help|-h) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "prove.sh: '$1' is not one of kill, damage, fault, outcomes" >&2; exit 2 ;;
esac
[[ -x $build/src/awele ]] || { echo "prove.sh: $build/src/awele is not there; cmake --preset release && cmake --build --preset release" >&2; exit 2; }
source "$root/scripts/mpi-environment.sh"
code=0
wanted() { [[ $what == all || $what == "$1" ]]; }
if wanted kill; then python3 "$root/tests/kill_test.py" --awele "$build/src/awele" --runs 30 || code=1; fi
if wanted damage; then bash "$root/tests/damage_full.sh" "$build" || code=1; fi
if wanted fault; then
  python3 "$root/tests/fault_test.py" --awele "$build/src/awele" --shim "$build/tests/libfaulty_io.so" || code=1
fi
if wanted outcomes; then bash "$root/tests/outcomes_full.sh" "$build/src/awele" || code=1; fi
exit $code
