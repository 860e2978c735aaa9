#!/usr/bin/env bash
# Solves across three hosts, with a link that is cut for a moment and one that stays cut. To be started by
# hosts_test.sh.
#
#   solves.sh FOLDER PROGRAM MPIRUN
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$1 awele=$2 mpirun=$3
readonly here scratch awele mpirun
# shellcheck source=tests/hosts/network.bash
. "$here/network.bash"

# In seconds. A lasting cut is noticed after 11 (see network.bash), then the job is ended.
readonly cut_for_a_moment=3 ends_within=30 solves_within=120

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# wait_until SECONDS COMMAND...
wait_until() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

# digests DIR: "seeds crc32" of every slice, computed again from its values.
digests() { "$awele" check --db "$1" | sed -nE 's/^slice_0?([0-9]+)\.h5 .* CRC-32 ([0-9a-f]{8})  ok$/\1 \2/p'; }

# expect_slices DIR SEEDS: all slices up to SEEDS have the digests of tests/data, where they came from runs on one
# host.
expect_slices() {
  diff <(tail -n +2 "$here/../data/measured_slices.csv" | head -n $(($2 + 1)) | awk -F, '{print $1, $3}') \
    <(digests "$1") >&2 || fail "the slices in $1 are not those of an undisturbed run"
}

# expect_idle HOST...: no process is left there, after a moment.
all_processes() {
  local host
  for host in "$@"; do host_processes "$host"; done
}
idle() { [[ -z $(all_processes "$@") ]]; }
expect_idle() {
  wait_until 10 idle "$@" || fail "processes are left on hosts: $(all_processes "$@" | xargs -r ps -o pid,args)"
}

start_solve() {  # start_solve NAME PLACES SEEDS DIR [OPTION...]: in the background, as process $job
  across "$solves_within" "$2" "$awele" solve --progress none --seeds "$3" --db "$4" "${@:5}" \
    >"$scratch/$1.out" 2>"$scratch/$1.err" &
  job=$!
}

solve() {
  start_solve "$@"
  wait "$job" || fail "solve $1 ended with exit code $?"
}

hosts_are_apart() {
  local places
  places=$(across 30 1:2,2:1,3:2 hostname | sort | uniq -c | xargs)
  [[ $places == "2 awele-1 1 awele-2 2 awele-3" ]] || fail "the ranks are at: $places"
  on_host 1 touch /dev/shm/mark
  on_host 2 test ! -e /dev/shm/mark || fail "the hosts share /dev/shm"
  echo "ok: ranks on three hosts, each with a name, an address and a /dev/shm of its own"
}

solves_12_seeds() {
  "$awele" solve --progress none --seeds 12 --db "$scratch/alone" >"$scratch/alone.out" 2>"$scratch/alone.err"
  local before bytes
  before=$(received)
  solve twelve 1:2,2:1,3:2 12 "$scratch/twelve"
  bytes=$(($(received) - before))
  diff <(digests "$scratch/alone") <(digests "$scratch/twelve") >&2 || fail "other bytes than on one host"
  expect_slices "$scratch/twelve" 12
  # Of 2.7 million positions 64 % cross from host to host, with 12 bytes each or so.
  ((bytes > 10000000)) || fail "only $bytes bytes went over the switch"
  echo "ok: 12 seeds on 2 + 1 + 2 ranks, the same bytes as on one; $bytes bytes went over the switch"
}

# slice_begun DIR SEEDS: the slice before it is there, and it is not.
slice_begun() { [[ -e $(printf '%s/slice_%02d.h5' "$1" $(($2 - 1))) && ! -e $(printf '%s/slice_%02d.h5' "$1" "$2") ]]; }

goes_on_after_a_short_cut() {
  start_solve short 1:1,2:1,3:1 17 "$scratch/short"
  wait_until "$solves_within" slice_begun "$scratch/short" 17 || fail "slice 17 was not begun"
  cut_link 2
  sleep "$cut_for_a_moment"
  slice_begun "$scratch/short" 17 || fail "slice 17 was solved without host 2"
  mend_link 2
  wait "$job" || fail "a cut of $cut_for_a_moment s ended the job, exit code $?"
  expect_slices "$scratch/short" 17
  echo "ok: a link cut for $cut_for_a_moment s stalls the job, which then goes on to the same bytes"
}

ends_after_a_lasting_cut() {
  start_solve cut 1:1,2:1,3:1 17 "$scratch/cut"
  wait_until "$solves_within" slice_begun "$scratch/cut" 17 || fail "slice 17 was not begun"
  cut_link 3
  local begin=$SECONDS code=0
  wait "$job" || code=$?
  local seconds=$((SECONDS - begin))
  [[ $code != 0 && $code != 124 ]] || fail "with the link cut the job ended with exit code $code"
  ((seconds <= ends_within)) || fail "with the link cut the job ended only after $seconds s"
  grep -q "awele-3" "$scratch/cut.err" || fail "the host that was lost is not named"
  expect_idle 1 2 3
  expect_slices "$scratch/cut" 16
  grep -m 1 "awele-3" "$scratch/cut.err"
  echo "ok: a link that stays cut ends the job after $seconds s with exit code $code"
}

resumes_on_other_ranks() {
  mend_link 3
  solve resumed 3:2,1:2 17 "$scratch/cut"
  expect_slices "$scratch/cut" 17
  echo "ok: with the link mended the run goes on, on 2 + 2 ranks, to the same bytes"
}

for name in $(compgen -e); do
  case $name in SLURM_* | PMI_* | PMIX_* | OMPI_* | AWELE_*) unset "$name" ;; esac
done
hosts_up 3 "$scratch"
export OMPI_MCA_orte_tmpdir_base="$scratch/local"
hosts_are_apart
solves_12_seeds
goes_on_after_a_short_cut
ends_after_a_lasting_cut
resumes_on_other_ranks
