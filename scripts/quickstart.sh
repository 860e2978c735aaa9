#!/usr/bin/env bash
# From a fresh clone to a first result: installs what is missing, builds, solves the game up to 12 seeds on two
# ranks, prints the slices and the 12-seed start position with the value of each move.
#
#   scripts/quickstart.sh [DIR]
#
#   DIR   where the slices go (default: db-12 in the repository); slices already there are kept
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case "${1:-}" in
  --help|-h) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "quickstart.sh: '$1' is not an option; give a directory, or nothing" >&2; exit 2 ;;
esac
db=$(realpath -m -- "${1:-$root/db-12}")

bash "$root/scripts/install-dependencies.sh"
if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi
cd "$root"
echo "Building in $root/build/release"
log=$(mktemp)
if ! { cmake --preset release -DAWELE_TESTS=OFF &&
       cmake --build --preset release --parallel "$(nproc)" --target awele; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "quickstart.sh: the build failed (full log: $log)" >&2
  exit 1
fi
rm -f "$log"

source "$root/scripts/mpi-environment.sh"
awele="$root/build/release/src/awele"
# The mpirun of the MPI library that was built against.
mpirun=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' build/release/CMakeCache.txt)
echo "Solving up to 12 seeds on two ranks into $db"
echo
"${mpirun:-mpirun}" -n 2 "$awele" solve --seeds 12 --db "$db" --progress none </dev/null
cat <<TEXT

Next: any board of up to 12 seeds, the mover's pits first:  $awele probe --db $db 0 0 2 1 0 3 1 0 0 2 2 1
      the board in a browser:  $awele serve --db $db --open
      or all up to 20 seeds (1 minute, 0.1 GB):  . $root/scripts/mpi-environment.sh; mpirun -n $(nproc) $awele solve --seeds 20 --db $db
TEXT
