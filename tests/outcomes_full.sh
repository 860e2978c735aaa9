#!/usr/bin/env bash
# Games of T = 16 .. 20 seeds under awari: the slices solved for their outcome are those of the exact database clamped.
#
#   tests/outcomes_full.sh AWELE
set -euo pipefail
awele=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# digests FOLDER: a line of CRC-32 for each slice
digests() { "$awele" info --db "$1" --format json | python3 -c '
import json, sys
for entry in json.load(sys.stdin)["slices"]: print(entry["seeds"], entry["crc32"])'; }

mpirun -n 2 "$awele" solve --seeds 20 --db "$folder/exact" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
wrong=0
for total in 16 17 18 19 20; do
  rm -rf "$folder/solved" "$folder/clamped"
  mpirun -n 2 "$awele" solve --outcome --total "$total" --seeds "$total" --db "$folder/solved" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  "$awele" clamp --db "$folder/exact" --seeds "$total" --out "$folder/clamped" --total "$total" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  digests "$folder/solved" >"$folder/solved.txt"
  digests "$folder/clamped" >"$folder/clamped.txt"
  if [[ $(wc -l <"$folder/solved.txt") == $((total + 1)) ]] && cmp -s "$folder/solved.txt" "$folder/clamped.txt"; then
    echo "games of $total seeds: the same"
  else
    echo "games of $total seeds: DIFFERENT"
    diff "$folder/solved.txt" "$folder/clamped.txt" || true
    wrong=1
  fi
done
exit $wrong
