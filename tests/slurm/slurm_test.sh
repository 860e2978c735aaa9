#!/usr/bin/env bash
# The batch scripts of slurm/ in a real Slurm on this machine: jobs that are warned, save their state in the middle of
# a slice, come back and finish it, with the bytes of a run that nobody disturbed.
#
#   tests/slurm/slurm_test.sh PROGRAM [TEST...]      TEST: time_limit, signal, ...; default: all
#
# Exit code 77 (skipped) where there is no Slurm, or not root.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
real_program=$(realpath "$1")

readonly seeds=14  # of every database below
readonly stage="rounds:$seeds"

# Nothing of a job that this may be run in.
for variable in $(compgen -e | grep -E '^(SLURM|SBATCH|SRUN|AWELE)_'); do unset "$variable"; done
# shellcheck disable=SC1091
. "$root/scripts/mpi-environment.sh"

scratch=$(mktemp -d /tmp/awele-slurm.XXXXXX)
chmod 755 "$scratch"  # munged wants its socket within reach of all
slurm=$scratch/slurm

clean_up() {
  local code=$?
  trap - EXIT
  bash "$here/private_slurm.sh" stop "$slurm" || true
  if [[ $code == 0 || $code == 77 ]]; then
    rm -rf "$scratch"
  else
    tail -n 40 "$scratch"/jobs/*.log "$scratch"/db-*/log "$slurm"/log/*.log 2>/dev/null || true
    echo "FAILED${failure:+: $failure}; everything is left in $scratch" >&2
  fi
  exit "$code"
}
trap clean_up EXIT
trap 'exit 143' TERM INT

# CTest kills a test that takes too long; the daemons must not stay for that. In a session of its own, no child.
guard() {
  # shellcheck disable=SC2016
  (setsid bash -c 'while kill -0 "$1"; do sleep 2; done; bash "$2" stop "$3"' guard $$ "$here/private_slurm.sh" \
    "$slurm" >/dev/null 2>&1 </dev/null &)
}

fail() {
  failure=$*
  echo "slurm_test.sh: $*" >&2
  exit 1
}

step() { echo "$(date '+%T')  $*"; }

# within SECONDS COMMAND...: tries until it succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || fail "in vain for long: $*"
    sleep 0.2
  done
}

# --------------------------------------------------------------------------------------- what jobs do

field() { scontrol show job --oneliner "$1" | grep -o -m 1 " $2=[^ ]*" | cut -d = -f 2 || true; }
job_is() { [[ " ${*:2} " == *" $(field "$1" JobState) "* ]]; }
# The node is free again, and the end is on record.
job_is_over() { job_is "$1" COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL; }

require_field() {
  local found
  found=$(field "$1" "$2")
  [[ $found == "$3" ]] || fail "job $1: $2 is $found, not $3"
}

# A requeued job waits for two minutes, unless told not to. In the very second in which its first start ended, the node
# refuses a second one ("already killed").
start_again() {
  within 30 job_is "$1" PENDING
  sleep 3
  scontrol update jobid="$1" StartTime=now
}

# ------------------------------------------------------------------------- what the solver did, by its log

# happened DATABASE EVENT [PATTERN]: a line of the log of that event, and with that pattern.
happened() { grep -s "\"event\": *\"$2\"" "$1/log" | grep -q -- "${3:-}"; }
not_happened() { ! happened "$@"; }

line_of() { grep -n "\"event\": *\"$2\"" "$1/log" | head -n 1 | cut -d : -f 1 || true; }

# The solver is held, and for so long that the rest of its slice seems to take longer than saving it: it would be
# finished otherwise.
wait_until_held() {
  within 60 happened "$DB" injected
  sleep 3
}

# The slice was interrupted in its rounds, saved, and went on from what was saved; in this order, once each.
require_checkpoint_and_resume() {
  local event previous=0 line
  for event in injected checkpoint stop resumed "done"; do
    line=$(line_of "$1" "$event")
    [[ -n $line ]] || fail "$1/log tells nothing of: $event"
    ((line > previous)) || fail "$1/log: $event comes too early"
    previous=$line
  done
  for event in checkpoint resumed; do
    happened "$1" "$event" "\"seeds\": *$seeds\b" || fail "$1/log: no $event of the slice of $seeds seeds"
  done
  [[ $(grep -c '"event": *"resumed"' "$1/log") == 1 ]] || fail "$1/log: resumed more than once"
  not_happened "$1" bad_checkpoint || fail "$1/log: a bad checkpoint"
  not_happened "$1" error || fail "$1/log: an error"
}

# Lines "seeds CRC-32" of all slices.
digests() {
  "$real_program" info --db "$1" --format json | grep -o '"seeds":[0-9]*\|"crc32":"[0-9a-f]*"' | paste - -
}

require_same_bytes() {
  [[ $(digests "$1") == "$(digests "$scratch/db-undisturbed")" ]] ||
    fail "the CRC-32s of $1 are not those of an undisturbed run"
  "$real_program" check --db "$1" >/dev/null || fail "awele check finds $1 damaged"
  local left
  left=$(find "$1" -name 'checkpoint_*' -o -name '*.tmp' -o -name lock -o -name stop)
  [[ -z $left ]] || fail "left in $1: $left"
}

# ------------------------------------------------------------------------------------------- the tests

start() {
  guard
  bash "$here/private_slurm.sh" start "$slurm" 4 || exit
  # shellcheck disable=SC1091
  . "$slurm/environment"
  mkdir "$scratch/jobs"
  cd "$scratch/jobs"
  mpirun -n 2 "$real_program" solve --seeds $seeds --db "$scratch/db-undisturbed" >/dev/null 2>&1 ||
    fail "the undisturbed run failed"

  # Holds the first solver of a database in the middle of its last slice, and no later one: a requeued job has the
  # environment of its first start.
  cat >"$scratch/awele" <<'WRAPPER'
#!/usr/bin/env bash
if [[ ${1:-} == solve && -n ${INJECT:-} ]] && ! grep -qs '"injected"' "$DB/log"; then
  export AWELE_INJECT=$INJECT
fi
WRAPPER
  echo "exec '$real_program' \"\$@\"" >>"$scratch/awele"
  chmod +x "$scratch/awele"
  export PROGRAM=$scratch/awele SEEDS=$seeds TASKS=2 TIME=5 WARN=60 INJECT=
}

# The real thing: Slurm itself warns, 30 s before the limit of a minute (it looks every 30 s).
test_time_limit() {
  local job
  step "time limit, srun"
  export DB=$scratch/db-limit
  job=$(INJECT="pause@$stage" LAUNCHER="srun --mpi=pmix" TIME=1 WARN=30 bash "$root/slurm/solve.sbatch" --parsable)
  within 60 happened "$DB" injected
  step "the solver is held in its rounds; now waiting for Slurm to warn it"
  within 60 happened "$DB" stop
  start_again "$job"
  within 60 job_is_over "$job"
  require_field "$job" JobState COMPLETED
  require_field "$job" Restarts 1
  require_field "$job" ExitCode 0:0
  [[ $(grep -c "warned by Slurm" "awele-$job.log") == 1 ]] || fail "the job was not warned once"
  [[ $(grep -c "job $job, restart" "awele-$job.log") == 2 ]] || fail "the log was not appended to"
  require_checkpoint_and_resume "$DB"
  require_same_bytes "$DB"
}

# The warning sent by hand; with mpirun; and a job that may requeue once only, interrupted once more.
test_signal() {
  local job
  step "warning by scancel, mpirun"
  export DB=$scratch/db-signal
  job=$(INJECT="pause@$stage" LAUNCHER=mpirun bash "$root/slurm/solve.sbatch" --parsable)
  wait_until_held
  scancel --signal=USR1 --batch "$job"
  within 30 happened "$DB" stop
  start_again "$job"
  within 60 job_is_over "$job"
  require_field "$job" JobState COMPLETED
  require_field "$job" Restarts 1
  require_checkpoint_and_resume "$DB"
  require_same_bytes "$DB"
}

test_no_more_requeues() {
  local job
  step "no more requeues"
  export DB=$scratch/db-once
  job=$(INJECT="pause@$stage" MAX_REQUEUES=0 LAUNCHER=mpirun bash "$root/slurm/solve.sbatch" --parsable)
  wait_until_held
  scancel --signal=USR1 --batch "$job"
  within 60 job_is_over "$job"
  require_field "$job" JobState FAILED
  require_field "$job" ExitCode 75:0
  require_field "$job" Restarts 0
  compgen -G "$DB/checkpoint_${seeds}_*" >/dev/null || fail "no checkpoint in $DB"
  # Submitted again in the same words, it goes on.
  job=$(LAUNCHER=mpirun bash "$root/slurm/solve.sbatch" --parsable)
  within 60 job_is_over "$job"
  require_field "$job" ExitCode 0:0
  require_checkpoint_and_resume "$DB"
  require_same_bytes "$DB"
}

# A file DB/stop ends the job for good. (The signal wakes the solver, which the test holds.)
test_stop_file() {
  local job
  step "stopped by a file"
  export DB=$scratch/db-file
  job=$(INJECT="pause@$stage" LAUNCHER=mpirun bash "$root/slurm/solve.sbatch" --parsable)
  wait_until_held
  touch "$DB/stop"
  scancel --signal=USR1 --batch "$job"
  within 60 job_is_over "$job"
  require_field "$job" JobState FAILED
  require_field "$job" ExitCode 75:0
  require_field "$job" Restarts 0
  happened "$DB" checkpoint || fail "no checkpoint in $DB"
}

test_chain() {
  local jobs
  step "chain"
  export DB=$scratch/db-chain
  INJECT="pause@$stage" LAUNCHER=mpirun bash "$root/slurm/chain.sh" 4 >chain.out
  mapfile -t jobs < <(sed -n 's/^job .*: //p' chain.out)
  wait_until_held
  job_is "${jobs[1]}" PENDING || fail "the second job of the chain does not wait"
  scancel --signal=USR1 --batch "${jobs[0]}"
  for job in "${jobs[@]}"; do within 60 job_is_over "$job"; done
  require_field "${jobs[0]}" ExitCode 75:0
  require_field "${jobs[1]}" JobState COMPLETED
  require_field "${jobs[2]}" JobState CANCELLED
  require_field "${jobs[3]}" JobState CANCELLED
  require_checkpoint_and_resume "$DB"
  require_same_bytes "$DB"
}

# Where jobs must not cancel others, each sees for itself that all is done. (This one may, so the last is left.)
test_chain_with_nothing_to_do() {
  local jobs
  step "chain with nothing to do"
  export DB=$scratch/db-undisturbed
  LAUNCHER=mpirun bash "$root/slurm/chain.sh" 2 >chain.out
  mapfile -t jobs < <(sed -n 's/^job .*: //p' chain.out)
  for job in "${jobs[@]}"; do within 60 job_is_over "$job"; done
  require_field "${jobs[0]}" JobState COMPLETED
  require_field "${jobs[1]}" JobState CANCELLED
  grep -q "is complete up to $seeds seeds" "awele-${jobs[0]}.log" || fail "the job did not see that all is done"
  ! grep -q "started by" "awele-${jobs[0]}.log" || fail "the job started the solver"
}

# A job that needs all CPUs, in the partition for which others make room.
take_all_cpus() { sbatch --parsable --partition=high --ntasks=4 --output=/dev/null --wrap="sleep 2"; }

# preempted LAUNCHER OPTIONS: a job in its rounds makes room for another; its number is in $job.
preempted() {
  local other
  job=$(INJECT="pause@$stage" LAUNCHER=$1 OPTIONS=$2 bash "$root/slurm/solve.sbatch" --parsable --partition=low)
  wait_until_held
  other=$(take_all_cpus)
  within 60 job_is "$job" PENDING
  within 60 job_is_over "$other"
  require_field "$other" JobState COMPLETED
  start_again "$job"
  within 60 job_is_over "$job"
  require_field "$job" JobState COMPLETED
  require_field "$job" Restarts 1
}

test_preemption() {
  local job launcher
  for launcher in "srun --mpi=pmix" mpirun; do
    step "preempted with time to save the state, $launcher"
    export DB="$scratch/db-preempted-${launcher%% *}"
    preempted "$launcher" ""
    require_checkpoint_and_resume "$DB"
    require_same_bytes "$DB"
  done
}

# A solver that leaves at once all the same (no grace, or a state too large for it) loses its last checkpoint's age.
test_preemption_without_checkpoint() {
  local job
  step "preempted without time to save the state"
  export DB=$scratch/db-ended
  preempted "srun --mpi=pmix" "--grace 0"
  grep -q "preempted without a new checkpoint" "awele-$job.log" || fail "the job does not say that it was preempted"
  not_happened "$DB" checkpoint || fail "a checkpoint was written"
  require_same_bytes "$DB"
}

# scancel is no preemption: the job ends for good, although the solver used the grace to save its state.
test_cancel() {
  local job
  step "cancelled"
  export DB=$scratch/db-cancelled
  job=$(INJECT="pause@$stage" LAUNCHER="srun --mpi=pmix" bash "$root/slurm/solve.sbatch" --parsable --partition=low)
  wait_until_held
  scancel "$job"
  within 60 job_is_over "$job"
  require_field "$job" JobState CANCELLED
  require_field "$job" Restarts 0
}

# Called within an interactive allocation the script submits a job; options of the solver and AWELE_ names reach it.
test_interactive() {
  local job
  step "submitted from an interactive allocation, with options"
  export DB=$scratch/db-interactive
  job=$(salloc --quiet --ntasks=1 env AWELE_SEEDS=8 OPTIONS="--distances --checkpoint-every 0" \
    LAUNCHER="srun --mpi=pmix" bash "$root/slurm/solve.sbatch" --parsable)
  within 60 job_is_over "$job"
  require_field "$job" JobState COMPLETED
  h5dump -A "$DB/slice_08.h5" | grep -q distance_crc32 || fail "--distances did not reach the solver"
  [[ ! -e $DB/slice_09.h5 ]] || fail "AWELE_SEEDS did not reach the solver"
}

test_array_by_mistake() {
  local job
  step "a job array by mistake"
  export DB=$scratch/db-array
  job=$(bash "$root/slurm/solve.sbatch" --parsable --array=1-2)
  within 60 job_is_over "${job}_1"
  require_field "${job}_1" ExitCode 2:0
  [[ ! -e $DB ]] || fail "a task of the array began to solve"
}

# The array task of a slice that is missing fails, all others are well.
test_verify() {
  local job slice
  step "verify"
  export DB=$scratch/db-verify
  cp -r "$scratch/db-undisturbed" "$DB"
  rm "$DB/slice_$seeds.h5"
  job=$(TASKS=1 SAMPLE=2000 LAUNCHER=mpirun bash "$root/slurm/verify.sbatch" --parsable)
  for ((slice = 0; slice <= seeds; ++slice)); do within 120 job_is_over "${job}_$slice"; done
  for ((slice = 0; slice < seeds; ++slice)); do
    require_field "${job}_$slice" JobState COMPLETED
    grep -q "^slice *$slice: .* 0 wrong" "awele-verify-$job-$slice.log" || fail "slice $slice was not verified"
  done
  require_field "${job}_$seeds" JobState FAILED
}

tests=("${@:2}")
[[ ${#tests[@]} != 0 ]] || tests=(time_limit signal no_more_requeues stop_file chain chain_with_nothing_to_do verify preemption
  preemption_without_checkpoint cancel interactive array_by_mistake)
start
for name in "${tests[@]}"; do "test_$name"; done
step "passed: ${tests[*]}"
