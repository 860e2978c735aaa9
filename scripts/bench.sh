#!/usr/bin/env bash
# Measures the standard set of slices on one and on two ranks.
#
#   scripts/bench.sh [FILE [PROGRAM]]
#
#   FILE      where the results go (default bench.json): a JSON array of what `awele bench --format json` prints
#   PROGRAM   the awele to measure (default: build/release/src/awele in the repository)
#
# Settings: BENCH_SLICES (default "16 20 24"), BENCH_RANKS ("1 2"), BENCH_REPEAT (3: of each slice the fastest solve
# of as many counts), BENCH_DB (a directory of slices to use and keep; default: one that is removed again). The
# default set takes some five minutes on two idle cores, and 0.8 GB of disk.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case "${1:-}" in
  --help|-h) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "bench.sh: '$1' is not an option; give a file, or nothing" >&2; exit 2 ;;
esac
file=${1:-bench.json}
awele=${2:-$root/build/release/src/awele}
[ -x "$awele" ] || { echo "bench.sh: there is no program $awele; build it, or give its path" >&2; exit 1; }

source "$root/scripts/mpi-environment.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
db=${BENCH_DB:-$scratch/db}

separator='['
for slice in ${BENCH_SLICES:-16 20 24}; do
  for ranks in ${BENCH_RANKS:-1 2}; do
    echo "bench.sh: slice $slice, ranks: $ranks" >&2
    mpirun -n "$ranks" "$awele" bench --slice "$slice" --db "$db" --repeat "${BENCH_REPEAT:-3}" --format json \
      </dev/null >"$scratch/one"
    printf '%s\n%s' "$separator" "$(cat "$scratch/one")" >>"$scratch/all"
    separator=','
  done
done
printf '\n]\n' >>"$scratch/all"
cat "$scratch/all" >"$file"
echo "bench.sh: wrote $file" >&2
