#!/usr/bin/env bash
# For sites where jobs must not requeue themselves: submits COUNT jobs of slurm/solve.sbatch, each to begin when the
# one before has ended, in whatever way. The chain ends by itself: the job that reaches the goal cancels the rest, and
# so does one that fails in a way that the next would, too (exit codes 2 and 4).
#
#   NODES=4 TASKS=32 TIME=12:00:00 SEEDS=36 DB=/scratch/me/awari bash slurm/chain.sh COUNT [SBATCH-OPTION...]
#
# Variables as for solve.sbatch (slurm/README.md). All jobs have one name, by which to cancel them; it is printed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

case "${1:-}" in
  "" | *[!0-9]*) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
count=$1
shift

unset AWELE_CHAIN
CHAIN="awele-chain-$$-$(date +%s)"
export CHAIN
options=(--parsable --no-requeue --job-name="$CHAIN" "$@")
previous=
for ((k = 1; k <= count; ++k)); do
  after=()
  [[ -z $previous ]] || after=(--dependency="afterany:$previous")
  previous=$(bash "$here/solve.sbatch" "${options[@]}" "${after[@]}")
  previous=${previous%%;*}  # ";cluster" follows on some sites
  echo "job $k of $count: $previous"
done
echo "All of them: squeue --name=$CHAIN; to stop the chain: scancel --name=$CHAIN"
