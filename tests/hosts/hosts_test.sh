#!/usr/bin/env bash
# Solves across several hosts, made of namespaces (network.bash, solves.sh); cleans up after them.
#
#   tests/hosts/hosts_test.sh PROGRAM [MPIRUN]
#
# Needs root, or leave to make user namespaces; and Open MPI 4, whose settings are used.
# Exit code 0: all as it should be; 77: skipped, hosts cannot be made here; anything else: failed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
awele=$(realpath "${1:?hosts_test.sh: the program to test is missing}")
mpirun=${2:-mpirun}
# shellcheck source=tests/hosts/network.bash
. "$here/network.bash"

finish() {
  local code=$?
  trap - EXIT
  if [[ -n $world ]]; then
    kill -KILL "$world" 2>/dev/null || true
    wait "$world" 2>/dev/null || true
  fi
  if ((code > 0 && code < 128)); then tail -n 15 "$scratch"/*.err >&2 || true; fi
  rm -rf "$scratch"
  exit "$code"
}

if ! reason=$(hosts_possible); then
  echo "skipped: $reason"
  exit 77
fi
scratch=$(mktemp -d /tmp/awele-hosts.XXXXXX)
world=
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"${in_world[@]}" "$here/solves.sh" "$scratch" "$awele" "$mpirun" &
world=$!
wait "$world"
