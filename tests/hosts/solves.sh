#!/usr/bin/env bash
# Solves across three hosts, with a link that is cut for a moment, one that stays cut, and a host that is lost. To
# be started by hosts_test.sh.
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

# start_solve NAME PLACES SEEDS DIR [VARIABLE=VALUE...]: in the background, as process $job.
start_solve() {
  across "$solves_within" "$2" env "${@:5}" "$awele" solve --progress none --seeds "$3" --db "$4" \
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

# expect_error NAME LOST: the job, with the link of host LOST cut, ends in time, with an error that names a host that
# cannot be reached any more, and on all hosts.
expect_error() {
  local begin=$SECONDS code=0
  wait "$job" || code=$?
  took=$((SECONDS - begin))
  [[ $code != 0 && $code != 124 ]] || fail "with the link cut the job ended with exit code $code"
  ((took <= ends_within)) || fail "with the link cut the job ended only after $took s"
  grep -A 3 "lost communication with a remote daemon" "$scratch/$1.err" | grep -q "Remote daemon.*on node $2" ||
    fail "it is not said that $2 is lost"
  expect_idle 1 2 3
}

event() { grep -q "\"event\":\"$2\"" "$1/log" 2>/dev/null; }  # event DIR EVENT: it has been logged

ends_after_a_lasting_cut() {
  start_solve cut 1:1,2:1,3:1 12 "$scratch/cut" AWELE_INJECT=pause@rounds:12:1
  wait_until "$solves_within" event "$scratch/cut" injected || fail "slice 12 was not begun"
  cut_link 3
  expect_error cut awele-3
  expect_slices "$scratch/cut" 11
  echo "ok: a link that stays cut ends the job after $took s, on all hosts"
  mend_link 3
  solve mended 1:2,3:1 12 "$scratch/cut"
  expect_slices "$scratch/cut" 12
  echo "ok: with the link mended a run on 2 + 1 ranks ends with the same bytes"
}

checkpoint_there() { compgen -G "$1/checkpoint_$2_[0-9][0-9][0-9][0-9]" >/dev/null; }

# The host of mpirun and of rank 0 is lost. As after a node failure under Slurm, the job starts again on the others.
goes_on_without_a_lost_host() {
  mkdir "$scratch/lost"
  cp "$scratch"/short/slice_0*.h5 "$scratch"/short/slice_1[0-6].h5 "$scratch/lost"
  start_solve lost 1:1,2:1,3:1 17 "$scratch/lost" SLURM_JOB_ID=4711
  wait_until "$solves_within" event "$scratch/lost" slice_begins || fail "slice 17 was not begun"
  touch "$scratch/lost/checkpoint"
  wait_until "$solves_within" checkpoint_there "$scratch/lost" 17 || fail "no checkpoint was taken"
  cut_link 1
  expect_error lost "awele-[23]"
  checkpoint_there "$scratch/lost" 17 || fail "the checkpoint is gone"
  echo "ok: losing the host of rank 0 ends the job after $took s"
  solve others 2:2,3:2 17 "$scratch/lost" SLURM_JOB_ID=4711 SLURM_RESTART_COUNT=1
  event "$scratch/lost" resumed || fail "the checkpoint was not used"
  expect_slices "$scratch/lost" 17
  ! checkpoint_there "$scratch/lost" 17 || fail "the checkpoint is left over"
  echo "ok: the job goes on from its checkpoint on the other hosts, on 2 + 2 ranks, to the same bytes"
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
goes_on_without_a_lost_host
